import { linkAmong, linkNamed, type LinkTarget } from "@self-context-manager/links";
import {
  composed,
  compositions,
  defined,
  isObjectId,
  type ObjectId,
  type ObjectMetadata,
  presenceOf,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { providerId } from "../calls/toolcall-object.ts";
import { isAssistantStep, sentIdsOf } from "../chat/turn.ts";
import { findFile } from "../history/file-index.ts";
import { distinctNames } from "../render/distinct-names.ts";
import { nameWeights, shortName } from "../render/short-name.ts";
import { shownAs } from "../render/shown-as.ts";
import type { SessionScope } from "../state/session-scope.ts";
import type { PoolEntry } from "../view/pool-entry.ts";
import { filesNamed } from "./disk-targets.ts";
import { linkParts, withinReach } from "./reach.ts";

/** The object that a name from the model or the user means (decisions D41, D45). */
export type Target =
  | { readonly type: "known"; readonly entry: PoolEntry }
  | { readonly type: "locked"; readonly id: ObjectId; readonly name: string }
  /** An object of the store that is not in this session, within the reach of the operation (decision D68). */
  | { readonly type: "elsewhere"; readonly stored: StoredMetadata }
  /** Several objects whose ids begin with the name, that a link with this name could mean, or that lines show so. */
  | {
      readonly type: "ambiguous";
      readonly by: "id" | "name" | "shown";
      readonly candidates: readonly string[];
    }
  | { readonly type: "unknown"; readonly candidates: readonly string[] };

const shortestPrefix = 4;
const mostCandidates = 5;

/**
 * Returns the object that a handle, id, id prefix, nickname or path names, or that a line shows by the name, also if it is
 * cut there. Exact matches have priority. The provider id of a tool call of this session means that call, although another
 * session can have an object with this id.
 */
export async function resolveTarget(scope: SessionScope, given: string): Promise<Target> {
  const name = withoutBrackets(given.trim());
  return (
    (await retiredTarget(scope, name)) ??
    inSession(scope, name) ??
    (await inStore(scope, name)) ??
    (await byLinkName(scope, name)) ??
    byPrefix(scope, name) ??
    byShownName(scope, name) ??
    (await onDisk(scope, name)) ??
    unknownTarget(scope, name)
  );
}

/** A name as it is written in a link, `[[name|alias]]`, is the name. */
export function withoutBrackets(given: string): string {
  const inside = /^\[\[(?!\[)([\s\S]+)\]\]$/u.exec(given)?.[1];
  // With other text between them, these are the brackets of two links.
  if (inside === undefined || /\[\[|\]\][^\]]/u.test(inside)) return given;
  return inside.replace(/\\?\|[\s\S]*$/u, "").trim() || given;
}

/** Returns the object of a handle that has left the pool. Its handle is that of no other object (decision D45). */
async function retiredTarget(
  { state: { pool }, dependencies: { store } }: SessionScope,
  name: string,
): Promise<Target | undefined> {
  const id = pool.handles.get(name.replace(/^@/u, ""));
  if (id === undefined || pool.has(id)) return undefined;
  const [stored] = await store.describe([id]);
  return stored === undefined ? undefined : { type: "elsewhere", stored };
}

function inSession(scope: SessionScope, name: string): Target | undefined {
  const { state, dependencies } = scope;
  const byHandle = state.pool.handles.get(name.replace(/^@/u, ""));
  const locked = lockedTarget(scope, name);
  if (locked !== undefined) return locked;
  const direct = byHandle ?? (isObjectId(name) && state.pool.has(name) ? name : undefined);
  const entry = direct === undefined ? undefined : state.pool.get(direct);
  if (entry !== undefined) return { type: "known", entry };
  const path = dependencies.files.resolve(name, dependencies.workspace);
  for (const candidate of state.pool.entries.values()) {
    if (isNamed(candidate.stored.body, name, path)) return { type: "known", entry: candidate };
  }
  for (const candidate of state.pool.entries.values()) {
    const { body } = candidate.stored;
    if (presenceOf(body) === "missing" && name !== "" && body.provenance.origin === path)
      return { type: "known", entry: candidate };
  }
  return ownCall(scope, name);
}

/** Returns the call of the session that is sent with an id. A call without a result has no object that can be shown. */
function ownCall(scope: SessionScope, name: string): Target | undefined {
  const { chat, pool } = scope.state;
  if (name === "") return undefined;
  if (chat.openCalls.has(name)) return unknownTarget(scope, name);
  const entry = chat.sentIds.has(name)
    ? sentCall(scope, name)
    : [...pool.entries.values()].findLast(
        ({ stored: { body } }) => body.type === "toolcall" && providerId(body) === name,
      );
  return entry === undefined ? undefined : { type: "known", entry };
}

function sentCall({ state: { chat, pool } }: SessionScope, name: string): PoolEntry | undefined {
  const steps = chat.turns.flatMap((turn) => turn.steps.filter(isAssistantStep));
  const step = steps.findLast((one) => sentIdsOf(one).includes(name));
  const id = step?.toolcall_ids[sentIdsOf(step).indexOf(name)];
  return id === undefined ? undefined : pool.get(id);
}

function isNamed(body: ObjectMetadata, name: string, path: string): boolean {
  return body.nickname === name || (name !== "" && body["path"] === path);
}

function lockedTarget(scope: SessionScope, name: string): Target | undefined {
  const { state } = scope;
  if (name === state.chat.id || name === "chat" || state.pool.handles.get(name) === state.chat.id)
    return { type: "locked", id: state.chat.id, name: "the chat" };
  if (name === state.id) return { type: "locked", id: state.id, name: "the session" };
  for (const [origin, id] of state.sent.systemPrompts) {
    if (name === id) return { type: "locked", id, name: `the system prompt (${origin})` };
  }
  return undefined;
}

async function inStore(scope: SessionScope, name: string): Promise<Target | undefined> {
  const { store, files, workspace } = scope.dependencies;
  if (name === "") return undefined;
  const byId = isObjectId(name) ? await store.describe([name]) : [];
  let stored = await oneWithin(scope, byId[0]);
  // The same letters can be stored in another composition.
  for (const form of compositions(name)) {
    const named = isObjectId(form) ? await store.lookup(form) : undefined;
    stored ??=
      (await oneWithin(scope, named)) ??
      (await oneWithin(scope, await findFile(scope, files.resolve(form, workspace))));
  }
  if (stored === undefined) return undefined;
  const known = scope.state.pool.get(stored.body.id);
  return known === undefined ? { type: "elsewhere", stored } : { type: "known", entry: known };
}

async function oneWithin(
  scope: SessionScope,
  stored: StoredMetadata | undefined,
): Promise<StoredMetadata | undefined> {
  return stored === undefined ? undefined : (await withinReach(scope, [stored]))[0];
}

/** Returns what a link `[[name]]` in a document at the root of the workspace would mean. */
async function byLinkName(scope: SessionScope, name: string): Promise<Target | undefined> {
  const { store, workspace } = scope.dependencies;
  const target = await linkTarget(scope, name);
  // A section of an object is no name of it.
  if (target.state === "unresolved" || target.heading !== undefined) return undefined;
  const ids = target.state === "ambiguous" ? target.candidates : [target.id];
  const stored = (await store.describe(ids)).filter((one) => one !== undefined);
  // A file can have moved out of the workspace since it was indexed.
  const found = await withinReach(scope, stored);
  const [first] = found;
  if (first === undefined) return undefined;
  if (found.length > 1) {
    const some = found.slice(0, mostCandidates).map(({ body }) => body);
    return { type: "ambiguous", by: "name", candidates: distinctNames(workspace, some) };
  }
  const known = scope.state.pool.get(first.body.id);
  return known === undefined
    ? { type: "elsewhere", stored: first }
    : { type: "known", entry: known };
}

/** Returns what a link means, by the index. What was read a moment ago can be missing there, so the pool is asked too. */
async function linkTarget(scope: SessionScope, name: string): Promise<LinkTarget> {
  const { state, dependencies } = scope;
  const { documents, workspace } = dependencies;
  if (documents === undefined || name === "") return { state: "unresolved" };
  const parts = linkParts(scope, documents.parser);
  const indexed = await linkNamed(name, parts);
  if (indexed.state !== "unresolved") return indexed;
  await documents.soon();
  const soon = await linkNamed(name, parts);
  if (soon.state !== "unresolved") return soon;
  const known = [...state.pool.entries.values()].map(({ id, stored: { body } }) => ({
    id,
    aliases: [],
    ...defined({ nickname: body.nickname }),
    ...(typeof body["path"] === "string" ? { path: body["path"] } : {}),
  }));
  return linkAmong(name, known, workspace);
}

/** Longer names are no names of files. */
const longestName = 1_024;

/** Returns the file of the workspace that a link with this name would mean, although no object is known for it (decision D62). */
async function onDisk(scope: SessionScope, name: string): Promise<Target | undefined> {
  const { documents, workspace } = scope.dependencies;
  if (documents === undefined || name === "" || name.length > longestName) return undefined;
  const found = await filesNamed(scope, name);
  const [first] = found;
  if (first === undefined) return undefined;
  if (found.length === 1) return { type: "elsewhere", stored: first };
  const some = found.slice(0, mostCandidates).map(({ body }) => body);
  return { type: "ambiguous", by: "name", candidates: distinctNames(workspace, some) };
}

function byPrefix(scope: SessionScope, name: string): Target | undefined {
  if (name.length < shortestPrefix) return undefined;
  const entries = [...scope.state.pool.entries.values()].filter(({ id }) => id.startsWith(name));
  const only = entries[0];
  if (only === undefined) return undefined;
  if (entries.length === 1) return { type: "known", entry: only };
  return {
    type: "ambiguous",
    by: "id",
    candidates: entries.slice(0, mostCandidates).map(({ handle }) => handle),
  };
}

/** A handle before a name, and a version behind it, as a line of the object has them. */
const line = /^(?<handle>[a-z]\d+) (?<name>.+?)(?: v(?<version>\d+))?$/u;

/** Returns the object that lines show by the name, whole or cut. Of several, the one that lines show by exactly this text. */
function byShownName(scope: SessionScope, given: string): Target | undefined {
  const { workspace } = scope.dependencies;
  const { pool } = scope.state;
  const { handle, name = given, version } = line.exec(given)?.groups ?? {};
  const id = handle === undefined ? undefined : pool.handles.get(handle);
  const owner = id === undefined ? undefined : pool.get(id);
  // The header of an earlier version does not mean the newest one.
  if (owner !== undefined && version !== undefined && Number(version) !== owner.stored.version)
    return undefined;
  const entries = owner === undefined ? [...pool.entries.values()] : [owner];
  const text = owner === undefined ? given : name;
  if (text === "") return undefined;
  const whole: PoolEntry[] = [];
  const cut: PoolEntry[] = [];
  for (const entry of entries) {
    const how = shownAs(workspace, entry.stored.body, text);
    if (how === "whole") whole.push(entry);
    if (how === "cut") cut.push(entry);
  }
  const exact = cut.filter(({ stored: { body } }) =>
    Object.values(nameWeights).some((weight) => shortName(workspace, body, weight) === text),
  );
  const [found = []] = [whole, exact, cut].filter((some) => some.length > 0);
  const [entry] = found;
  if (entry === undefined) return undefined;
  if (found.length === 1) return { type: "known", entry };
  const some = found.slice(0, mostCandidates);
  const names = distinctNames(
    workspace,
    some.map(({ stored }) => stored.body),
  );
  const candidates = some.map((one, index) => `${one.handle} ${names[index] ?? ""}`.trim());
  return { type: "ambiguous", by: "shown", candidates };
}

function unknownTarget(scope: SessionScope, name: string): Target {
  const last = compared(name.split(/[/\\]/u).at(-1) ?? name);
  const candidates: string[] = [];
  for (const { handle, stored } of scope.state.pool.entries.values()) {
    const path = stored.body["path"];
    const alike = last !== "" && typeof path === "string" && compared(path).endsWith(last);
    if (alike && candidates.length < mostCandidates) candidates.push(handle);
  }
  return { type: "unknown", candidates };
}

function compared(text: string): string {
  return composed(text).toLowerCase();
}
