import { findSecrets } from "@self-context-manager/compose";
import type { ObjectId, ObjectStore, StoredMetadata } from "@self-context-manager/core";
import {
  type ForgetTarget,
  literalPlaces,
  shortestForgotten,
} from "@self-context-manager/core/forget";
import {
  removableObjects,
  type StoreContents,
  storeContents,
} from "@self-context-manager/core/inspect";
import {
  allItems,
  defined,
  selectVersion,
  versionedName,
  type VersionSelector,
} from "@self-context-manager/objects";
import { resolve, sep } from "node:path";

import { CliError, UsageError } from "../cli-errors.ts";
import type { CommandCall } from "../command.ts";
import { findTarget } from "../find-target.ts";
import { linkParts } from "../followed-links.ts";
import { visible } from "../format/terminal-text.ts";
import { nextCommand } from "../next-command.ts";
import type { InputLines } from "./input-lines.ts";

/** Returns what the arguments and options mean. Throws `UsageError` for what cannot be meant. */
export async function targetOf(
  store: ObjectStore,
  call: CommandCall,
  input: InputLines,
): Promise<ForgetTarget> {
  const { matches, texts = [] } = await matcherOf(call, input);
  const folder = call.text("workspace");
  if (matches === undefined && folder === undefined && call.arguments.length === 0)
    throw new UsageError("give a TARGET, --matching, --literal, --secrets or --workspace");
  const objects: ObjectId[] = [];
  const sessions: ObjectId[] = [];
  const ofFolder: ObjectId[] = [];
  const versions = new Map<ObjectId, number[]>();
  for (const name of call.arguments) {
    const { stored, version } = await named(store, call, name);
    const { id, type } = stored.body;
    if (version !== undefined) versions.set(id, [...(versions.get(id) ?? []), version]);
    else if (type === "session") sessions.push(id);
    else if (type === "chat" || type === "view")
      throw new CliError(
        `${visible(name)} is the ${type} of a session, which cannot be without it; name the session`,
      );
    else objects.push(id);
  }
  const hasSessions = sessions.length > 0 || folder !== undefined;
  const contents = hasSessions ? await storeContents(store) : undefined;
  if (folder !== undefined && contents !== undefined) {
    const inFolder = await workspaceObjects(store, contents, resolve(call.folder, folder));
    sessions.push(...inFolder.sessions);
    ofFolder.push(...inFolder.files);
  }
  const ofSessions = contents === undefined ? [] : await partsOf(store, call, contents, sessions);
  const parts = [...new Set([...ofSessions, ...ofFolder])];
  return { objects: [...new Set(objects)], parts, versions, texts, ...defined({ matches }) };
}

/** Returns the objects that only some sessions have, with the sessions. */
async function partsOf(
  store: ObjectStore,
  call: CommandCall,
  contents: StoreContents,
  sessions: readonly ObjectId[],
): Promise<readonly ObjectId[]> {
  if (sessions.length === 0) return [];
  const links = await linkParts(store, call);
  const { removed, kept } = await removableObjects({ store, contents, links }, new Set(sessions));
  // That a file is in a folder in which others work too is no reason to keep what only this session has read.
  const inFolder = [...kept].filter(([, { why }]) => why === "workspace").map(([id]) => id);
  return [...sessions, ...removed, ...inFolder];
}

async function named(
  store: ObjectStore,
  call: CommandCall,
  name: string,
): Promise<{ readonly stored: StoredMetadata; readonly version?: number }> {
  try {
    return { stored: await findTarget(store, call, name) };
  } catch (error) {
    const parts = versionedName(name);
    if (parts === undefined || !(error instanceof CliError)) throw error;
    const stored = await findTarget(store, call, parts.name);
    const selected = await selectVersion(store, stored.body.id, parts.version);
    const selector: VersionSelector | undefined =
      selected.type === "one" ? selected.selector : undefined;
    const one = selector === undefined ? undefined : await store.get(stored.body.id, selector);
    if (one === undefined)
      throw new CliError(
        `object ${stored.body.id} has versions 1 to ${stored.version}, and ${parts.text} names none or several; see ${nextCommand(call, "history", stored.body.id)}`,
      );
    return { stored, version: one.version };
  }
}

async function workspaceObjects(
  store: ObjectStore,
  contents: StoreContents,
  folder: string,
): Promise<{ readonly sessions: readonly ObjectId[]; readonly files: readonly ObjectId[] }> {
  const within = (path: unknown): boolean =>
    typeof path === "string" && (path === folder || path.startsWith(`${folder}${sep}`));
  const all = async (type: string): Promise<readonly StoredMetadata[]> =>
    await allItems(async (page) => await store.find({ where: { type }, limit: 500, ...page }));
  const sessions = [...contents.sessions.values()]
    .filter(({ workspace }) => within(workspace))
    .map(({ id }) => id);
  const files = [...(await all("file")), ...(await all("note"))].filter(
    ({ body }) => within(body["path"]) || within(body.provenance.origin),
  );
  if (sessions.length + files.length === 0)
    throw new CliError(`the store has no session and no file of ${visible(folder)}`);
  return { sessions, files: files.map(({ body }) => body.id) };
}

async function matcherOf(
  call: CommandCall,
  input: InputLines,
): Promise<Pick<ForgetTarget, "matches" | "texts">> {
  const pattern = call.text("matching");
  const literal = call.text("literal");
  const given = [pattern, literal, call.isSet("secrets") ? "" : undefined];
  if (given.filter((one) => one !== undefined).length > 1)
    throw new UsageError("give one of --matching, --literal and --secrets");
  if (call.isSet("secrets")) return { matches: (text) => findSecrets(text) };
  if (literal !== undefined) {
    const text = literal === "-" ? await input.text() : literal;
    if (text.trim().length < shortestForgotten) throw tooShort();
    return { matches: (one) => literalPlaces(one, text), texts: [text] };
  }
  if (pattern === undefined) return {};
  try {
    const regex = new RegExp(pattern, "gu");
    if (regex.test("")) throw new UsageError("--matching fits an empty text; write what it needs");
    return { matches: (text) => regexPlaces(text, regex) };
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`--matching is no regular expression (${String(cause)})`, { cause });
  }
}

function* regexPlaces(text: string, regex: RegExp): Iterable<{ start: number; end: number }> {
  for (const { 0: found, index } of text.matchAll(regex)) {
    if (found === "") continue;
    if (found.trim().length < shortestForgotten)
      throw new UsageError(
        `--matching fits ${JSON.stringify(visible(found))}, and a text of less than ${shortestForgotten} characters is a part of too many others; write a pattern that fits only longer ones`,
      );
    yield { start: index, end: index + found.length };
  }
}

function tooShort(): UsageError {
  return new UsageError(
    `a text of less than ${shortestForgotten} characters is a part of too many others; give more of it`,
  );
}
