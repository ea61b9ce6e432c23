import { isObjectId } from "@self-context-manager/core/host";
import type { ObjectId, ObjectStore, StoredMetadata } from "@self-context-manager/core";
import { allItems, composed, compositions } from "@self-context-manager/objects";

import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { CliError, UsageError } from "./cli-errors.ts";
import type { CommandCall } from "./command.ts";
import { objectName } from "./format/object-name.ts";
import { visible } from "./format/terminal-text.ts";
import { nextCommand } from "./next-command.ts";
import { findSession, onlySession, sessionPool } from "./session-pool.ts";

/** The number of objects that are shown for an ambiguous beginning of an id. */
const mostCandidates = 10;

/** Finds the object that TARGET means. Rejects with `CliError` if there is none, or more than one. */
export async function findTarget(
  store: ObjectStore,
  call: Pick<CommandCall, "folder" | "text">,
  target: string,
): Promise<StoredMetadata> {
  if (target === "") throw new UsageError("TARGET is empty; name an object");
  const session = call.text("session");
  const found =
    (session === undefined ? undefined : await byHandle(store, call, session, target)) ??
    (isObjectId(target) ? await byName(store, target) : undefined) ??
    (await byPath(store, resolve(call.folder, target))) ??
    (await byHostSession(store, target)) ??
    (await byPrefix(store, call.folder, target)) ??
    (await byPathEnd(store, call.folder, target)) ??
    (session === undefined && isHandle(target) ? await inOnlySession(store, target) : undefined);
  if (found !== undefined) return found;
  if (isHandle(target)) {
    throw new CliError(
      session === undefined
        ? `${target} looks like a handle, and a handle belongs to one session: add --session latest, or --session ID (${nextCommand(call, "list", "--type", "session")} lists the sessions)`
        : `session ${visible(session)} has no object with the handle ${target}; ${nextCommand(call, "list", "--session", visible(session))} lists its objects`,
    );
  }
  throw new CliError(
    `the store has no object with the id, nickname, path or session id ${visible(target)}; ${nextCommand(call, "list")} lists the objects`,
  );
}

/** Whether a target looks like a handle: a letter and a number. No other name has this form on purpose. */
function isHandle(target: string): boolean {
  return /^[a-z]\d+$/u.test(target);
}

async function byHandle(
  store: ObjectStore,
  call: Pick<CommandCall, "text">,
  session: string,
  handle: string,
): Promise<StoredMetadata | undefined> {
  return await inPool(store, await findSession(store, call, session), handle);
}

async function inOnlySession(
  store: ObjectStore,
  handle: string,
): Promise<StoredMetadata | undefined> {
  const session = await onlySession(store);
  return session === undefined ? undefined : await inPool(store, session, handle);
}

async function inPool(
  store: ObjectStore,
  session: StoredMetadata,
  handle: string,
): Promise<StoredMetadata | undefined> {
  return (await sessionPool(store, session)).find((one) => one.handle === handle)?.stored;
}

async function byName(store: ObjectStore, name: ObjectId): Promise<StoredMetadata | undefined> {
  const [exact] = await store.describe([name]);
  if (exact !== undefined) return exact;
  for (const form of compositions(name)) {
    const named = isObjectId(form) ? await store.lookup(form) : undefined;
    if (named !== undefined) return named;
  }
  return undefined;
}

/** Files are stored by their real paths; a deleted file is found by its last path. */
async function byPath(store: ObjectStore, path: string): Promise<StoredMetadata | undefined> {
  for (const form of compositions(path)) {
    const found = await byExactPath(store, await realPathOf(form));
    if (found !== undefined) return found;
  }
  return undefined;
}

async function byExactPath(store: ObjectStore, real: string): Promise<StoredMetadata | undefined> {
  const now = await store.find({ where: { path: real }, newestFirst: true, limit: 1 });
  if (now.items[0] !== undefined) return now.items[0];
  const gone = await store.find({
    where: { path: null, "provenance.origin": real },
    newestFirst: true,
    limit: 1,
  });
  return gone.items[0];
}

/** Finds a session by its host's id; undefined also if two harnesses have a session with this id. */
async function byHostSession(
  store: ObjectStore,
  sessionId: string,
): Promise<StoredMetadata | undefined> {
  const where = { type: "session", session_id: sessionId };
  const { items } = await store.find({ where, limit: 2 });
  return items.length === 1 ? items[0] : undefined;
}

async function realPathOf(path: string): Promise<string> {
  for (const [folder, name] of [
    [path, ""],
    [dirname(path), basename(path)],
  ] as const) {
    try {
      return join(await realpath(folder), name);
    } catch {
      // A path that is no longer on the disk can still be in the store.
    }
  }
  return path;
}

/** Finds a file of another folder by the end of its path: `src/cart.mjs` if only one path in the store ends with it. */
async function byPathEnd(
  store: ObjectStore,
  folder: string,
  target: string,
): Promise<StoredMetadata | undefined> {
  const end = composed(`/${target.replace(/^\.?\/+/u, "")}`);
  const where = { type: "file" };
  const files = await allItems(async (place) => await store.find({ where, limit: 500, ...place }));
  const found = files.filter(({ body }) => composed(lastPath(body)).endsWith(end));
  if (found.length <= 1) return found[0];
  const paths = found.slice(0, mostCandidates).map(({ body }) => `  ${objectName(body, folder)}`);
  throw new CliError(
    `${visible(target)} is the end of several paths; give more of the path:\n${paths.join("\n")}`,
  );
}

function lastPath(body: StoredMetadata["body"]): string {
  const path = body["path"];
  return typeof path === "string" ? path : body.provenance.origin;
}

async function byPrefix(
  store: ObjectStore,
  folder: string,
  prefix: string,
): Promise<StoredMetadata | undefined> {
  if (prefix === "") return undefined;
  const { items, next } = await store.find({ idPrefix: prefix, limit: mostCandidates });
  if (items.length <= 1) return items[0];
  const candidates = items.map(
    ({ body }) => `  ${visible(body.id)}  ${body.type}  ${objectName(body, folder)}`,
  );
  const more = next === undefined ? "" : "\n  and more";
  throw new CliError(
    `${visible(prefix)} is the beginning of several ids; give more of the id:\n${candidates.join("\n")}${more}`,
  );
}
