import {
  isJsonObject,
  type JsonObject,
  type ObjectId,
  type StoredMetadata,
} from "@self-context-manager/objects";

import type { InView } from "../answers.ts";
import { isDamage, type Reading } from "./reading.ts";
import type { ShownRun, ShownVersions } from "./shown-versions.ts";

/**
 * The newest sessions that are looked through for an object, and those of them whose calls are read. Reading the calls of a
 * session for the first time takes time, so only so many calls are read for the page of an object.
 */
const most = { searched: 30, read: 3, newCalls: 2_000 };

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

/** The newest sessions that have the object in their pool, or as a system prompt. */
async function knowing(reading: Reading, id: ObjectId): Promise<readonly ObjectId[]> {
  const newest = (await reading.sessions()).slice(0, most.searched).map(({ body }) => body.id);
  const bodies = await reading.contents(newest);
  const found = newest.filter((one) => {
    const body = bodies.get(one)?.body;
    return hasInPool(body?.["pool"], id) || isPrompt(body?.["system_prompt_refs"], id);
  });
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

function isPrompt(references: unknown, id: ObjectId): boolean {
  return (
    typeof references === "object" &&
    references !== null &&
    Object.values(references as JsonObject).some((one) => isJsonObject(one) && one["id"] === id)
  );
}

async function inSession(
  reading: Reading,
  id: ObjectId,
  session: StoredMetadata,
): Promise<InView | undefined> {
  const shown = await reading.shown(session);
  if (shown === undefined) return undefined;
  const sessionId = session.body.id;
  const { parts } = await reading.timeline(sessionId);
  const handle = parts.find((part) => part.id === id)?.handle;
  const runs = handle === undefined ? await promptRuns(reading, id, shown) : shown.runs(handle);
  if (handle === undefined && runs.length === 0) return undefined;
  return {
    session: sessionId,
    sessionName: reading.named(sessionId, session).name,
    calls: shown.calls,
    handle: handle ?? "",
    runs,
  };
}

/** The runs of calls in which a system prompt was sent. Views name its versions by their transactions. */
async function promptRuns(
  { store }: Reading,
  id: ObjectId,
  { prompts }: ShownVersions,
): Promise<readonly ShownRun[]> {
  const sent = prompts.filter((one) => one.id === id);
  if (sent.length === 0) return [];
  let versions: readonly StoredMetadata[] = [];
  try {
    versions = await store.history(id);
  } catch (error) {
    // The calls are known without the versions, which the page of the object then reports as damaged.
    if (!isDamage(error)) throw error;
  }
  return sent.map(({ from, to, txId }) => ({
    from,
    to,
    version: versions.findLast(({ at }) => at.tx_id <= txId)?.version ?? 0,
  }));
}
