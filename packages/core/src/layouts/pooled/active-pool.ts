import { lineCount, linesOf, type ObjectId } from "@self-context-manager/objects";
import { type Block, isText } from "../../chat/message.ts";
import { setsLine as sets } from "../../lines/notices.ts";
import { pooledHeaders } from "../../lines/object-lines.ts";
import { omissionMarks } from "../../lines/stand-ins.ts";
import { blockHeader, contentBlock, fenced } from "../../render/content-block.ts";
import { fitText } from "../../render/fit-text.ts";
import { contentTokens, messageTokens } from "../../render/message-tokens.ts";
import type { ActiveObject, LayoutInput, ShownObject, ViewMessage } from "../../view/layout.ts";
import type { Rendered } from "./chat-messages.ts";
import type { ListRoom } from "./metadata-pool.ts";

/**
 * Returns the active content in order of activation, and after it the line with the active and pinned objects. Content
 * that does not fit is shown in part or not at all. Pinned content, and the newest content if it fits whole, goes before
 * the list of known objects (decision D54). `spent`: the tokens of the chat. `list`: the room for that list.
 */
export function activePool(
  input: LayoutInput,
  spent: number,
  list: ListRoom,
): Rendered & { readonly shown: readonly ShownObject[] } {
  const { active, estimator, budget } = input;
  if (active.length === 0) return { messages: [], tokens: 0, shown: [] };
  // The line is longest when no object fits, so that length is reserved.
  let room =
    budget === undefined
      ? Number.POSITIVE_INFINITY
      : budget - spent - estimator.text(setsLine(active, active)) - 4;
  if (room < 0) {
    return {
      messages: [],
      tokens: 0,
      shown: active.map(({ entry }) => ({ id: entry.id, form: "left-out" as const })),
    };
  }
  const blocksById = new Map<ObjectId, readonly Block[]>();
  const shown = new Map<ObjectId, ShownObject["form"]>();
  const newest = active.at(-1);
  for (const object of byImportance(active)) {
    const { isPinned } = object;
    const fitted = fitObject(object, input, {
      whole: isPinned || object === newest ? room : room - list.usual,
      part: room - (isPinned ? list.least : list.usual),
    });
    blocksById.set(object.entry.id, fitted.blocks);
    shown.set(object.entry.id, fitted.form);
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

/** Returns pinned objects first, then the others with the newest activation first. */
function byImportance(active: readonly ActiveObject[]): readonly ActiveObject[] {
  return [
    ...active.filter(({ isPinned }) => isPinned),
    ...active.filter(({ isPinned }) => !isPinned).toReversed(),
  ];
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

function fitObject(object: ActiveObject, input: LayoutInput, room: ContentRoom): FittedObject {
  const { stored, ranges } = object;
  const entry = { ...object.entry, stored };
  const { workspace, estimator } = input;
  const text = stored.body.content;
  const files = filesOf(object);
  const texts =
    text === null
      ? [blockHeader(entry, workspace, undefined, 0)]
      : (ranges ?? [undefined]).map((range) => contentBlock(entry, workspace, text, range));
  const whole: Block[] = [...texts.map((one): Block => ({ type: "text", text: one })), ...files];
  if (room.whole === Number.POSITIVE_INFINITY || contentTokens(whole, estimator) <= room.whole)
    return { blocks: whole, form: "whole" };
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
