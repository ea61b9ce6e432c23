import type { ObjectId, StoredMetadata } from "@self-context-manager/objects";
import type { SessionTimeline } from "@self-context-manager/core/inspect";

import type { InView } from "../answers.ts";
import type { Reading } from "./reading.ts";

/**
 * The newest sessions that are looked through for an object, and those of them whose calls are read. Reading the calls of a
 * session for the first time takes time, so only so many calls are read for the page of an object.
 */
const most = { searched: 30, read: 3, newCalls: 2_000 };

/** The last runs whose shown version is looked up, because each needs the view of its first call. */
const mostRuns = 40;

/** Returns the calls in which the content of an object was in view: of one session, or of the newest that know it. */
export async function inViewOf(
  reading: Reading,
  id: ObjectId,
  session: ObjectId | undefined,
): Promise<readonly InView[]> {
  const sessions = session === undefined ? await knowing(reading, id) : [session];
  const metadata = await reading.described(sessions);
  const found: InView[] = [];
  for (const one of sessions) {
    const stored = metadata.get(one);
    if (stored === undefined || stored.body.type !== "session") continue;
    const seen = await inSession(reading, id, stored);
    if (seen !== undefined) found.push(seen);
  }
  return found;
}

/** The newest sessions that have the object in their pool. */
async function knowing(reading: Reading, id: ObjectId): Promise<readonly ObjectId[]> {
  const newest = (await reading.sessions()).slice(0, most.searched).map(({ body }) => body.id);
  const bodies = await reading.contents(newest);
  const found = newest.filter((one) => hasInPool(bodies.get(one)?.body["pool"], id));
  const chosen = found.filter((one) => reading.timelines.has(one)).slice(0, most.read);
  let calls = 0;
  for (const one of found) {
    if (chosen.length >= most.read || chosen.includes(one)) continue;
    calls += (await reading.history(one)).count;
    if (calls <= most.newCalls) chosen.push(one);
  }
  return chosen;
}

function hasInPool(pool: unknown, id: ObjectId): boolean {
  return (
    Array.isArray(pool) &&
    pool.some((row: unknown) => {
      return typeof row === "object" && row !== null && "id" in row && row.id === id;
    })
  );
}

async function inSession(
  reading: Reading,
  id: ObjectId,
  session: StoredMetadata,
): Promise<InView | undefined> {
  const sessionId = session.body.id;
  const timeline = await reading.timeline(sessionId);
  const index = timeline.parts.findIndex((part) => part.id === id);
  const handle = timeline.parts[index]?.handle;
  if (handle === undefined) return undefined;
  const runs = runsOf(timeline, index);
  const shown: InView["runs"][number][] = [];
  for (const run of runs.slice(-mostRuns))
    shown.push({ ...run, version: await versionAt(reading, sessionId, run.from, handle) });
  return {
    session: sessionId,
    sessionName: reading.named(sessionId, session).name,
    handle,
    runs: shown,
  };
}

/** The runs of calls in which a part has tokens. */
export function runsOf(
  { calls }: Pick<SessionTimeline, "calls">,
  part: number,
): readonly { readonly from: number; readonly to: number }[] {
  const runs: { from: number; to: number }[] = [];
  let tokens = 0;
  let last: { from: number; to: number } | undefined;
  for (const { call, changes } of calls) {
    tokens = changes.find(([changed]) => changed === part)?.[1] ?? tokens;
    if (tokens === 0) last = undefined;
    else if (last === undefined) runs.push((last = { from: call, to: call }));
    else last.to = call;
  }
  return runs;
}

/** The newest version of an object that a call shows; 0 if the call cannot be read. */
async function versionAt(
  reading: Reading,
  session: ObjectId,
  call: number,
  handle: string,
): Promise<number> {
  const view = await (await reading.history(session)).rebuild(call);
  const versions = (view?.entries ?? [])
    .flatMap((entry) => entry.versions)
    .filter((one) => one.handle === handle)
    .map(({ version }) => version);
  return Math.max(0, ...versions);
}
