import {
  defined,
  messageOf,
  type ObjectId,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import {
  readAccountRow,
  sentMessages,
  sessionBill,
  summaryCosts,
} from "@self-context-manager/core/inspect";

import type { SessionRow, SessionsAnswer } from "../answers.ts";
import { problemOf, type Reading, readOr } from "./reading.ts";

/** Keeps the rows of sessions that have not changed since. */
export type SessionRows = Map<ObjectId, { readonly state: string; readonly row: SessionRow }>;

/** The number of sessions that are read at once. */
const sessionsAtOnce = 8;

/** The sessions of one page. */
const pageSize = 100;

/** The newest sessions. A row is read for each of them only. */
export async function sessionsAnswer(
  reading: Reading,
  known: SessionRows,
  limit: number = pageSize,
): Promise<SessionsAnswer> {
  const all = (await reading.sessions()).toSorted((one, other) => other.at.tx_id - one.at.tx_id);
  const sessions = all.slice(0, limit);
  const views = await reading.described(sessions.flatMap(viewOf));
  const rows: SessionRow[] = [];
  for (let start = 0; start < sessions.length; start += sessionsAtOnce) {
    const some = sessions.slice(start, start + sessionsAtOnce);
    rows.push(
      ...(await Promise.all(some.map(async (one) => await rowOf(reading, known, one, views)))),
    );
  }
  return {
    sessions: rows.toSorted((one, other) => Date.parse(other.lastAt) - Date.parse(one.lastAt)),
    ...(all.length > sessions.length ? { older: all.length - sessions.length } : {}),
  };
}

/** One session as in the list of sessions. */
export async function sessionRow(
  reading: Reading,
  known: SessionRows,
  session: StoredMetadata,
): Promise<SessionRow> {
  return await rowOf(reading, known, session, await reading.described(viewOf(session)));
}

async function rowOf(
  reading: Reading,
  known: SessionRows,
  session: StoredMetadata,
  views: ReadonlyMap<ObjectId, StoredMetadata>,
): Promise<SessionRow> {
  const { id } = session.body;
  const [viewId] = viewOf(session);
  const view = viewId === undefined ? undefined : views.get(viewId);
  const state = `${session.version} ${view?.version ?? 0}`;
  const kept = known.get(id);
  if (kept?.state === state) return kept.row;
  const row = await readRow(reading, session, viewId, view);
  known.set(id, { state, row });
  return row;
}

async function readRow(
  { store, layouts }: Reading,
  session: StoredMetadata,
  viewId: ObjectId | undefined,
  view: StoredMetadata | undefined,
): Promise<SessionRow> {
  const { body, at } = session;
  const problems: string[] = [];
  const [first] = await readOr(
    async () => await store.history(body.id, { limit: 1 }),
    [],
    problems,
  );
  const whole = await readOr(async () => await store.get(body.id), undefined, problems);
  const last =
    viewId === undefined
      ? undefined
      : await readOr(async () => await store.get(viewId), undefined, problems);
  if (viewId !== undefined && view === undefined && problems.length === 0)
    problems.push(`the views of the session are not in the store`);
  const layout = last?.body["layout"];
  if (typeof layout === "string" && !layouts.some(({ name }) => name === layout))
    problems.push(
      `the last call was made by the layout ${layout}, which this program does not have; update it`,
    );
  const workspace = view?.body["workspace"];
  return {
    id: body.id,
    harness: textIn(body["harness"]),
    hostId: textIn(body["session_id"]),
    ...(typeof workspace === "string" ? { workspace } : {}),
    firstAt: first?.at.tx_time ?? at.tx_time,
    lastAt: later(at.tx_time, view?.at.tx_time),
    calls: view?.version ?? 0,
    tokens: tokensOf(last, problems),
    ...costOf(whole),
    ...defined({ summaries: whole === undefined ? undefined : summaryCosts(whole.body) }),
    ...problemOf(problems),
  };
}

function tokensOf(view: StoredVersion | undefined, problems: string[]): number {
  if (view === undefined) return 0;
  try {
    return sentMessages(view).tokens;
  } catch (cause) {
    problems.push(`the last call has no readable record (${messageOf(cause)})`);
    return 0;
  }
}

function costOf(session: StoredVersion | undefined): Pick<SessionRow, "cost" | "reported"> {
  const account = readAccountRow(session?.body["cost_account"]);
  if (account === undefined) return {};
  const { reported } = account;
  const { units, plainUnits } = sessionBill(account);
  return {
    cost: { units: Math.round(units), plainUnits: Math.round(plainUnits) },
    ...(reported.calls === 0
      ? {}
      : {
          reported: {
            calls: reported.calls,
            input: reported.input,
            cacheRead: reported.cache_read,
            cacheWrite: reported.cache_write,
          },
        }),
  };
}

/** The id of a session's view; empty before the first call. */
function viewOf({ body }: StoredMetadata): readonly ObjectId[] {
  const reference = body["view_ref"];
  return typeof reference === "object" && reference !== null && "id" in reference
    ? [reference["id"] as ObjectId]
    : [];
}

function later(one: string, other: string | undefined): string {
  return other !== undefined && Date.parse(other) > Date.parse(one) ? other : one;
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
