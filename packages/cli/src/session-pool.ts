import type { JsonObject, ObjectId, ObjectStore, StoredMetadata } from "@self-context-manager/core";
import { allItems, objectId } from "@self-context-manager/objects";

import { CliError } from "./cli-errors.ts";
import type { CommandCall } from "./command.ts";
import { objectName } from "./format/object-name.ts";
import { visible } from "./format/terminal-text.ts";
import { nextCommand } from "./next-command.ts";

/** The number of sessions that are shown for an ambiguous beginning. */
const mostCandidates = 10;

/** An object with its handle and state in a session. */
export interface PoolObject {
  readonly handle: string;
  /** `gone`: it has left the pool of the session, and its handle still names it. */
  readonly state: "pinned" | "active" | "inactive" | "locked" | "gone";
  readonly stored: StoredMetadata;
}

/** The name of the newest session on the command line. */
const latest = "latest";

/**
 * Finds a session by its id, its host's id, or the beginning of one of them; `latest` is the newest session with a model
 * call, or else the newest one.
 */
export async function findSession(
  store: ObjectStore,
  call: Pick<CommandCall, "text">,
  given: string,
): Promise<StoredMetadata> {
  const byHost = await store.find({ where: { type: "session", session_id: given }, limit: 10 });
  const named = byHost.items.length > 0 ? byHost.items : await byBeginning(store, given);
  const found = named.length === 0 && given === latest ? await newestWithCall(store) : named;
  const [session, another] = found;
  if (session === undefined) {
    throw new CliError(
      `the store has no session ${visible(given)}; ${nextCommand(call, "list", "--type", "session")} lists the sessions`,
    );
  }
  if (another === undefined) return session;
  const candidates = found
    .slice(0, mostCandidates)
    .map(({ body }) => `  ${body.id}  ${objectName(body, "")}`);
  throw new CliError(
    `${visible(given)} matches several sessions; give an id:\n${candidates.join("\n")}`,
  );
}

/** The session of a store that has only one; undefined otherwise. */
export async function onlySession(store: ObjectStore): Promise<StoredMetadata | undefined> {
  const [session, another] = await newest(store, 2);
  return another === undefined ? session : undefined;
}

/** The number of sessions among which the newest one with a model call is looked for. */
const mostLookedAt = 100;

async function newestWithCall(store: ObjectStore): Promise<readonly StoredMetadata[]> {
  const sessions = await newest(store, mostLookedAt);
  const found = sessions.find(({ body }) => body["view_ref"] !== undefined) ?? sessions[0];
  return found === undefined ? [] : [found];
}

async function newest(store: ObjectStore, limit: number): Promise<readonly StoredMetadata[]> {
  return (await store.find({ where: { type: "session" }, newestFirst: true, limit })).items;
}

async function byBeginning(store: ObjectStore, given: string): Promise<readonly StoredMetadata[]> {
  if (given === "") return [];
  const where = { type: "session" };
  const all = await allItems(async (place) => await store.find({ where, limit: 500, ...place }));
  const found = all.filter(
    ({ body: { id, session_id: ofHost } }) =>
      id.startsWith(given) || (typeof ofHost === "string" && ofHost.startsWith(given)),
  );
  const exact = found.filter(({ body }) => body.id === given);
  return exact.length > 0 ? exact : found;
}

/** The objects of a session: locked ones first, then the others in the order in which they joined. */
export async function sessionPool(
  store: ObjectStore,
  session: StoredMetadata,
): Promise<readonly PoolObject[]> {
  const body: JsonObject = (await store.get(session.body.id))?.body ?? {};
  const pinned = new Set(idsIn(body["pinned_set"]));
  const active = idsIn(body["active_set"]);
  const activeIds = new Set(active);
  const rows = poolRows(body["pool"]);
  const pooled = new Set(rows.map(({ id }) => id));
  const locked = active
    .filter((id) => !pooled.has(id))
    .map((id) => ({ id, handle: "-", isGone: false }));
  const all = [...locked, ...rows];
  const described = await store.describe(all.map(({ id }) => id));
  return all.flatMap(({ id, handle, isGone }, index): readonly PoolObject[] => {
    const stored = described[index];
    if (stored === undefined) return [];
    const isActive = isGone ? "gone" : activeIds.has(id) ? "active" : "inactive";
    const state = pooled.has(id) ? (pinned.has(id) ? "pinned" : isActive) : "locked";
    return [{ handle, state, stored }];
  });
}

function idsIn(value: unknown): readonly ObjectId[] {
  return Array.isArray(value) ? value.map((id) => objectId(String(id))) : [];
}

function poolRows(
  value: unknown,
): readonly { readonly id: ObjectId; readonly handle: string; readonly isGone: boolean }[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((row: unknown) => {
    if (typeof row !== "object" || row === null || !("id" in row) || !("handle" in row)) return [];
    const isGone = "gone" in row && row.gone === true;
    return [{ id: objectId(String(row.id)), handle: String(row.handle), isGone }];
  });
}
