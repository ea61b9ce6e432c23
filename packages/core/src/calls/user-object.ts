import type { DynamicReference, ObjectBody, ObjectId } from "@self-context-manager/objects";
import { type Block, isText } from "../chat/message.ts";
import { rawEstimator } from "../cost/calibrated-estimator.ts";

/** Tokens above which a text of a user's message becomes an object. */
export const usualLongText = 2_000;

/** Tokens below which a text never becomes an object, because its ends and the line between them have as many. */
const leastLongText = 100;

/** A long text of a user's message: its text block, from 0. A message that is one text is block 0. */
export interface LongText {
  readonly block: number;
  readonly text: string;
}

/** Returns the texts of a user's message that have more than a number of tokens, in order. */
export function longTexts(content: string | readonly Block[], over: number): readonly LongText[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const limit = Math.max(over, leastLongText);
  return blocks.flatMap((block, index) =>
    isText(block) && rawEstimator.text(block.text) > limit
      ? [{ block: index, text: block.text }]
      : [],
  );
}

/** Returns the text of a block of a user's message; undefined if it is no text. */
export function textOfBlock(
  content: string | readonly Block[] | null,
  block: number,
): string | undefined {
  if (typeof content === "string") return block === 0 ? content : undefined;
  const found = content?.[block];
  return found !== undefined && isText(found) ? found.text : undefined;
}

/** Returns the object of a long text of a user's message. */
export function userObjectBody(
  { id, turn, block, text }: LongText & { readonly id: ObjectId; readonly turn: number },
  chatId: ObjectId,
): ObjectBody {
  const chatRef: DynamicReference = { ref: "dynamic", id: chatId };
  return {
    id,
    type: "user",
    locked: false,
    content: text,
    char_count: text.length,
    chat_ref: chatRef,
    turn,
    block,
    provenance: { origin: "user input", generator: "human" },
  };
}
