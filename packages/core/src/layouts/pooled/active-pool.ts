import { lineCount, linesOf, type ObjectId } from "@self-context-manager/objects";
import { isSamePart } from "../../calls/user-object.ts";
import { type Block, isText } from "../../chat/message.ts";
import { setsLine as sets } from "../../lines/notices.ts";
import { pooledHeaders } from "../../lines/object-lines.ts";
import { omissionMarks } from "../../lines/stand-ins.ts";
import { blockHeader, contentBlock, fenced } from "../../render/content-block.ts";
import { fitText } from "../../render/fit-text.ts";
import { contentTokens, messageTokens } from "../../render/message-tokens.ts";
import { changeLine } from "../../render/reference-line.ts";
import { fixedTypes } from "../../view/fixed-types.ts";
import type { ActiveObject, LayoutInput, ShownObject, ViewMessage } from "../../view/layout.ts";
import type { Rendered } from "./chat-messages.ts";
import type { Activated } from "./activated-in-turn.ts";
import type { ListRoom } from "./metadata-pool.ts";

/**
 * The place of a content in the order of D54. All but the last go before older turns. The first two go before the list
 * of known objects too.
 */
const ranks = ["pinned", "just-activated", "activated-in-turn", "other"] as const;

/** An active object with its blocks as they are if it is shown whole. */
export interface ActiveContent {
  readonly object: ActiveObject;
  readonly whole: readonly Block[];
  readonly rank: (typeof ranks)[number];
  /** Whether a user message shows it. Then it has no blocks of its own. */
  readonly isSaid: boolean;
}

/**
 * Returns the contents of the active objects in order of activation. `said`: the ids of those that user messages show.
 */
export function activeContents(
  input: LayoutInput,
  { just, earlier }: Activated,
  said: ReadonlySet<string>,
): readonly ActiveContent[] {
  const rankOf = ({ entry, isPinned }: ActiveObject): ActiveContent["rank"] => {
    if (isPinned) return "pinned";
    if (just.includes(entry.handle)) return "just-activated";
    return earlier.includes(entry.handle) ? "activated-in-turn" : "other";
  };
  return input.active.map((object) => {
    const isSaid = said.has(object.entry.id);
    return {
      object,
      whole: isSaid ? [] : wholeBlocks(object, input),
      rank: rankOf(object),
      isSaid,
    };
  });
}

/** The tokens that contents and the list of known objects have beside the chat. */
export interface BesideChat {
  /** Those that go before older turns. */
  readonly ahead: number;
  /** All of them, if they fit. */
  readonly beside: number;
}

/** Returns the tokens that contents and the list of known objects have beside the chat. */
export function besideChat(
  contents: readonly ActiveContent[],
  input: LayoutInput,
  list: ListRoom,
): BesideChat {
  if (input.budget === undefined) return { ahead: 0, beside: 0 };
  const line = contents.length === 0 ? 0 : lineTokens(input);
  const tokens = (some: readonly ActiveContent[]): number =>
    some.reduce((sum, { whole }) => sum + contentTokens(whole, input.estimator), line);
  const first = contents.filter(({ rank }) => rank !== "other");
  const hasList = first.some((content) => !isBeforeList(content));
  return {
    ahead: first.length === 0 ? 0 : tokens(first) + (hasList ? list.usual : 0),
    beside: tokens(contents) + list.whole,
  };
}

function isBeforeList({ rank }: ActiveContent): boolean {
  return rank === "pinned" || rank === "just-activated";
}

/** Returns the tokens of the message and its last line. The line is longest when no object fits. */
function lineTokens({ active, estimator }: LayoutInput): number {
  return estimator.text(setsLine(active, active)) + 4;
}

/**
 * Returns the active content in order of activation, and after it the line with the active and pinned objects. Content
 * that does not fit is shown in part or not at all. Pinned content, and content that was just activated, goes before
 * the list of known objects (decision D54). `chat`: the rendered chat. `list`: the room for that list.
 */
export function activePool(
  input: LayoutInput,
  contents: readonly ActiveContent[],
  chat: Rendered,
  list: ListRoom,
): Rendered & { readonly shown: readonly ShownObject[] } {
  const { active, estimator, budget } = input;
  if (active.length === 0) return { messages: [], tokens: 0, shown: [] };
  let room =
    budget === undefined ? Number.POSITIVE_INFINITY : budget - chat.tokens - lineTokens(input);
  if (room < 0) {
    return {
      messages: [],
      tokens: 0,
      shown: active.map(({ entry }) => ({ id: entry.id, form: "left-out" as const })),
    };
  }
  const blocksById = new Map<ObjectId, readonly Block[]>();
  const shown = new Map<ObjectId, ShownObject["form"]>();
  for (const content of byImportance(contents)) {
    const { id } = content.object.entry;
    if (content.isSaid) {
      const isThere = isInChat(content.object, chat);
      if (!isThere) blocksById.set(id, []);
      shown.set(id, isThere ? "whole" : "left-out");
      continue;
    }
    const isFirst = isBeforeList(content);
    const fitted = fitObject(content, input, {
      whole: isFirst ? room : room - list.usual,
      part: room - (isFirst ? list.least : list.usual),
    });
    blocksById.set(id, fitted.blocks);
    shown.set(id, fitted.form);
    room -= fitted.blocks.length === 0 ? 0 : contentTokens(fitted.blocks, estimator);
  }
  const leftOut = active.filter(({ entry }) => blocksById.get(entry.id)?.length === 0);
  const tail: Block = { type: "text", text: setsLine(active, leftOut) };
  const content = [...active.flatMap(({ entry }) => blocksById.get(entry.id) ?? []), tail];
  const message: ViewMessage = { role: "user", content };
  return {
    messages: [message],
    tokens: messageTokens(message, estimator),
    shown: active.map(({ entry }) => ({ id: entry.id, form: shown.get(entry.id) ?? "left-out" })),
  };
}

/** Whether a user message shows all of a text, or a file. The budget can have cut it, or left it out. */
function isInChat(object: ActiveObject, { messages }: Rendered): boolean {
  const { content: text } = object.stored.body;
  const [part = { type: "text", text: text ?? "" }] = text === null ? filesOf(object) : [];
  return messages.some((message) => {
    if (message.role !== "user") return false;
    const { content } = message;
    return typeof content === "string"
      ? content === text
      : content.some((block) => isSamePart(block, part));
  });
}

/** Returns contents in the order of their ranks. Of one rank the newest activation is first, except of pinned ones. */
function byImportance(contents: readonly ActiveContent[]): readonly ActiveContent[] {
  return ranks.flatMap((rank) => {
    const same = contents.filter((content) => content.rank === rank);
    return rank === "pinned" ? same : same.toReversed();
  });
}

interface FittedObject {
  readonly blocks: readonly Block[];
  readonly form: ShownObject["form"];
}

/** The tokens that a content may have if it is shown whole, and if it is shown in part. */
interface ContentRoom {
  readonly whole: number;
  readonly part: number;
}

/**
 * Whether an active object has a newer content than the version that the session may show. Its former content is not
 * shown, because it is no longer true.
 */
export function isReplaced({ entry, stored }: ActiveObject): boolean {
  const { body, version, hashes } = entry.stored;
  return (
    !fixedTypes.has(body.type) &&
    stored.version < version &&
    stored.hashes.content_hash !== hashes.content_hash
  );
}

function wholeBlocks(object: ActiveObject, { workspace }: LayoutInput): readonly Block[] {
  const { stored, ranges } = object;
  if (isReplaced(object)) {
    const text = changeLine({ ...object.entry, stored }, object.entry, workspace);
    return [{ type: "text", text }];
  }
  const entry = { ...object.entry, stored };
  const text = stored.body.content;
  const texts =
    text === null
      ? [blockHeader(entry, workspace, undefined, 0)]
      : (ranges ?? [undefined]).map((range) => contentBlock(entry, workspace, text, range));
  return [...texts.map((one): Block => ({ type: "text", text: one })), ...filesOf(object)];
}

function fitObject(
  { object, whole }: ActiveContent,
  { workspace, estimator }: LayoutInput,
  room: ContentRoom,
): FittedObject {
  const replaced = isReplaced(object);
  if (room.whole === Number.POSITIVE_INFINITY || contentTokens(whole, estimator) <= room.whole)
    return { blocks: whole, form: replaced ? "replaced" : "whole" };
  if (replaced) return { blocks: [], form: "left-out" };
  const { stored, ranges } = object;
  const entry = { ...object.entry, stored };
  const text = stored.body.content;
  const files = filesOf(object);
  const header = blockHeader(
    entry,
    workspace,
    ranges,
    ranges === undefined ? 0 : lineCount(text ?? ""),
  );
  const title =
    files.length === 0 ? header : pooledHeaders.withoutFiles.write(header, files.length);
  const fitted =
    text === null
      ? undefined
      : fitText(
          ranges === undefined ? text : ranges.map((range) => linesOf(text, range)).join(""),
          room.part - estimator.text(`${title}\n~~~~\n\n~~~~`) - 2,
          estimator,
          (omitted) => omissionMarks.contentWithoutRoom.write(omitted, entry.handle),
        );
  if (fitted === undefined) {
    const text = pooledHeaders.withoutRoom.write(header, entry.handle);
    const line: Block = { type: "text", text };
    return {
      blocks: contentTokens([line], estimator) <= room.whole ? [line] : [],
      form: "left-out",
    };
  }
  const part: Block = { type: "text", text: `${title}\n${fenced(fitted.text)}` };
  return contentTokens([part], estimator) <= room.part
    ? { blocks: [part], form: "part" }
    : { blocks: [], form: "left-out" };
}

function filesOf({ stored }: ActiveObject): readonly Block[] {
  const blocks = stored.body["blocks"];
  return Array.isArray(blocks)
    ? (blocks as readonly Block[]).filter((block) => !isText(block))
    : [];
}

/**
 * Returns the line that shows the model which objects are active and pinned (decision D44), and which of them do not
 * fit at all (decision D54).
 */
function setsLine(active: readonly ActiveObject[], leftOut: readonly ActiveObject[]): string {
  const pinned = active.filter(({ isPinned }) => isPinned);
  return sets.write(handlesOf(active), handlesOf(pinned), handlesOf(leftOut));
}

function handlesOf(objects: readonly ActiveObject[]): readonly string[] {
  return objects.map(({ entry }) => entry.handle);
}
