import {
  type DynamicReference,
  isJsonObject,
  type JsonValue,
  type ObjectBody,
  type ObjectId,
  type ObjectMetadata,
} from "@self-context-manager/objects";
import { type Block, isText } from "../chat/message.ts";
import { rawEstimator } from "../cost/calibrated-estimator.ts";
import { type MediaFacts, mediaOf } from "../cost/media-facts.ts";

/** Tokens above which a text of a user's message becomes an object. */
export const usualLongText = 2_000;

/** Tokens up to which no part becomes an object, because what would replace it has about as many. */
const leastPart = 100;

/** A long part of a user's message, a text or a file: its block, from 0. A message that is one text is block 0. */
export interface LongPart {
  readonly block: number;
  readonly part: Block;
}

/**
 * Returns the long parts of a user's message, in order: the texts that have more than a number of tokens, and the images
 * and other files that have more than the line that can replace them.
 */
export function longParts(
  content: string | readonly Block[],
  overText: number,
): readonly LongPart[] {
  const limit = Math.max(overText, leastPart);
  return blocksOf(content).flatMap((part, block) => {
    const file = isText(part) ? undefined : mediaOf(part);
    const isLong = isText(part)
      ? rawEstimator.text(part.text) > limit
      : file !== undefined && rawEstimator.media(file) > leastPart;
    return isLong ? [{ block, part }] : [];
  });
}

/** Returns a text or a file of a user's message; undefined if the block is neither. */
export function partOfBlock(
  content: string | readonly Block[] | null,
  block: number,
): Block | undefined {
  const found = content === null ? undefined : blocksOf(content)[block];
  return found !== undefined && (isText(found) || mediaOf(found) !== undefined) ? found : undefined;
}

/** Whether two parts are the same text, or the same file with the same fields. */
export function isSamePart(one: Block, other: Block): boolean {
  return isText(one) && isText(other) ? one.text === other.text : isSameJson(one, other);
}

function isSameJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => isSameJson(each, other[at]));
  if (!isJsonObject(one) || !isJsonObject(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** What a message calls a file that it does not show. */
export type FileWord = Exclude<MediaFacts["kind"], "text">;

/** Returns the word for the file in a block. */
export function fileWord(block: Block): FileWord {
  const kind = mediaOf(block)?.kind ?? "document";
  return kind === "text" ? "document" : kind;
}

/** Whether an object is an image or another file of a user's message. */
export function isFileOfUser({ type, media }: ObjectBody | ObjectMetadata): boolean {
  return type === "user" && typeof media === "string";
}

/** Returns the object of a long part of a user's message. A file is in `blocks`, and `media` names its kind. */
export function userObjectBody(
  { id, turn, block, part }: LongPart & { readonly id: ObjectId; readonly turn: number },
  chatId: ObjectId,
): ObjectBody {
  const chatRef: DynamicReference = { ref: "dynamic", id: chatId };
  const text = isText(part) ? part.text : null;
  return {
    id,
    type: "user",
    locked: false,
    content: text,
    char_count: text?.length ?? 0,
    ...(text === null ? { blocks: [part], media: fileWord(part) } : {}),
    chat_ref: chatRef,
    turn,
    block,
    provenance: { origin: "user input", generator: "human" },
  };
}
