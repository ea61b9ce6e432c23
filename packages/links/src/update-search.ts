import {
  defined,
  isJsonObject,
  type ObjectBody,
  type ObjectId,
  type ObjectMetadata,
  type ObjectStore,
  type SearchIndex,
  type SearchText,
  type StoredMetadata,
  usualOperation,
} from "@self-context-manager/objects";

import { addedText } from "./added-text.ts";
import { undamaged } from "./undamaged.ts";
import type { UpdateOptions, UpdateOutcome } from "./update-index.ts";

/** Number of versions that are looked at in one step. */
const versionsAtOnce = 200;

/** Characters of contents that are read in one step, so that it ends soon and its texts fit into the memory. */
const charactersAtOnce = 4_000_000;

/**
 * Characters of a content that are searched, unless it only grows. A longer one is data or a log, and of it the beginning
 * is known, so that the work does not follow the size of a file.
 */
const searchedCharacters = 1_000_000;

/** Characters of contents after which other work comes in between. */
const sliceCharacters = 100_000;

/** Types whose content is no text that somebody wrote or read: it says what other objects say. */
const unsearched = new Set(["view", "session", "system_prompt"]);

/**
 * Types whose text only grows, so that of several versions the newest says it all. Reading each version of a long chat
 * would take time that grows with the square of its length.
 */
const growing = new Set(["chat"]);

/** Characters of the arguments of a tool call that are searched with its output. */
const longestArguments = 2_000;

/** Where an update of a full-text index begins, whether it continues, and what comes in between. */
export interface SearchUpdateOptions extends UpdateOptions {
  /** Waited for within a step, after some contents. Default: nothing. */
  readonly breathe?: () => Promise<void>;
  /** Called for each version that is damaged, so that the index lacks its text. */
  readonly onDamaged?: (id: ObjectId, version: number) => void;
}

/**
 * Brings a full-text index up to date with the versions of a store, in steps. Each version adds what the one before it
 * did not have.
 */
export async function updateSearch(
  store: ObjectStore,
  index: SearchIndex,
  {
    from,
    mayContinue = () => true,
    breathe = async () => {},
    onDamaged,
    onLeft,
  }: SearchUpdateOptions = {},
): Promise<UpdateOutcome> {
  let position = from ?? (await index.position());
  const counts = onLeft !== undefined;
  let added = 0;
  for (;;) {
    if (!(await mayContinue())) return { isBehind: true, added, position };
    const next = await store.changesSince(position, { limit: versionsAtOnce, counts });
    if (next.restarted === true) {
      // Versions were rewritten or removed, so their texts must go; another process may have begun with that.
      const kept = await index.position();
      if (kept === position) await index.clear();
      position = kept === position ? undefined : kept;
      continue;
    }
    if (next.versions.length === 0) return { isBehind: false, added, position };
    const limit = countAtOnce(next.versions);
    const changes =
      limit < next.versions.length ? await store.changesSince(position, { limit, counts }) : next;
    const texts = await textsOf(changes.versions, store, breathe, onDamaged);
    await index.add(texts, changes.position);
    added += texts.length;
    position = changes.position;
    onLeft?.(changes.left ?? 0);
  }
}

/** Returns how many versions one step reads: their contents together are not too long, and there is at least one. */
function countAtOnce(versions: readonly StoredMetadata[]): number {
  const growingOnes = new Map<ObjectId, number>();
  let characters = 0;
  for (const [index, { body }] of versions.entries()) {
    const whole = Number(body["char_count"] ?? 0);
    const count = growing.has(body.type) ? whole : Math.min(whole, searchedCharacters);
    if (unsearched.has(body.type) || isFinding(body)) continue;
    characters += count - (growingOnes.get(body.id) ?? 0);
    // Of these, a step reads only the newest version.
    if (growing.has(body.type)) growingOnes.set(body.id, count);
    if (characters > charactersAtOnce && index > 0) return index;
  }
  return versions.length;
}

async function textsOf(
  versions: readonly StoredMetadata[],
  store: ObjectStore,
  breathe: () => Promise<void>,
  onDamaged: SearchUpdateOptions["onDamaged"],
): Promise<readonly SearchText[]> {
  const texts: SearchText[] = [];
  let read = 0;
  const newest = new Map(versions.map(({ body, version }) => [body.id, version]));
  /** The version of each growing object before those of this step. */
  const firsts = new Map<ObjectId, number>();
  for (const { body, version } of versions)
    if (!firsts.has(body.id)) firsts.set(body.id, version - 1);
  const known = new Map<ObjectId, { readonly version: number; readonly text: OwnText }>();
  for (const { body, version } of versions) {
    const { id, type } = body;
    if (unsearched.has(type) || (isFinding(body) && noteOf(body) === "")) continue;
    if (growing.has(type) && newest.get(id) !== version) continue;
    const stored = await undamaged(store, id, version);
    if (stored === undefined) {
      onDamaged?.(id, version);
      continue;
    }
    const own = ownText(stored.body);
    if (typeof stored.body.content !== "string" && own.note === "") continue;
    const former = growing.has(type) ? (firsts.get(id) ?? 0) : version - 1;
    const before = known.get(id);
    const earlier = before?.version === former ? before.text : await ownTextOf(store, id, former);
    known.set(id, { version, text: own });
    read += own.content.length + earlier.content.length;
    if (read >= sliceCharacters) {
      read = 0;
      await breathe();
    }
    const comparison = addedText(earlier.content, own.content);
    let step = comparison.next();
    for (; step.done !== true; step = comparison.next()) await breathe();
    const note = own.note === earlier.note ? "" : `${own.note}\n`;
    const text = `${former === 0 ? headOf(stored.body) : ""}${note}${step.value}`;
    if (text.trim() === "") continue;
    const session = sessionOf(stored.body);
    texts.push({ id, version, place: "", type, text, ...defined({ session }) });
  }
  return texts;
}

/** Returns all that is searched of a version, also what the version before has; undefined if it cannot be read. */
export async function searchedText(
  store: ObjectStore,
  id: ObjectId,
  version: number,
): Promise<string | undefined> {
  const stored = await undamaged(store, id, version);
  if (stored === undefined) return undefined;
  const { content, note } = ownText(stored.body);
  return `${headOf(stored.body)}${note}\n${content}`;
}

/** Whether an object is a call that only found or showed other objects, so that its text is theirs. */
function isFinding({ type, tool }: ObjectMetadata): boolean {
  const operation = typeof tool === "string" ? usualOperation(tool) : undefined;
  return type === "toolcall" && (operation === "find_objects" || operation === "activate");
}

/** What is searched of a version beside its names. */
interface OwnText {
  readonly content: string;
  readonly note: string;
}

function ownText(body: ObjectBody): OwnText {
  const { type, content } = body;
  const whole = content ?? "";
  return {
    content: growing.has(type) ? whole : whole.slice(0, searchedCharacters),
    note: noteOf(body),
  };
}

async function ownTextOf(store: ObjectStore, id: ObjectId, version: number): Promise<OwnText> {
  const stored = version < 1 ? undefined : await undamaged(store, id, version);
  return stored === undefined ? { content: "", note: "" } : ownText(stored.body);
}

/** The note of an object, one line about it; empty without one. */
function noteOf(body: ObjectBody | ObjectMetadata): string {
  const note = body["short_summary"];
  return typeof note === "string" ? note : "";
}

/** What is searched with the first text of an object: its names, and the arguments of a tool call. */
function headOf(body: ObjectBody): string {
  const { nickname } = body;
  const path = body["path"];
  const tool = body["tool"];
  const args = body["args"];
  const parts = [
    ...(nickname === undefined ? [] : [nickname]),
    ...(typeof path === "string" ? [path] : []),
    ...(typeof tool === "string" ? [tool] : []),
    ...(isJsonObject(args) ? [JSON.stringify(args).slice(0, longestArguments)] : []),
  ];
  return parts.length === 0 ? "" : `${parts.join(" ")}\n`;
}

/** The chat of an object, by which searches within a session are made. */
function sessionOf(body: ObjectBody): ObjectId | undefined {
  if (body.type === "chat") return body.id;
  const chat = body["chat_ref"];
  return isJsonObject(chat) && typeof chat["id"] === "string"
    ? (chat["id"] as ObjectId)
    : undefined;
}
