import { type Block, isText } from "../chat/message.ts";
import { rawEstimator } from "../cost/calibrated-estimator.ts";
import { omissionMarks } from "../lines/stand-ins.ts";
import { hasLeft, type UserText } from "../view/view-entry.ts";
import { endsOfTokens, type HeadAndTail, textOfEnds } from "./head-and-tail.ts";

/** Most tokens that stay of the beginning and of the end, where a user often says what to do with the text. */
const most = { head: 500, tail: 300 } as const;

/** Most that stays, as shares of the text. Of a text of 2,000 tokens they are the same. */
const shares = { head: 0.25, tail: 0.15 } as const;

/** Returns the characters that stay of a user's long text that has left the view. */
export function endsOfUserText(text: string): HeadAndTail {
  const tokens = rawEstimator.text(text);
  return endsOfTokens(
    text,
    Math.min(most.head, Math.floor(tokens * shares.head)),
    Math.min(most.tail, Math.floor(tokens * shares.tail)),
  );
}

/**
 * Returns the content of a user message in which the long texts that have left are shown by their ends. The line between
 * them names the object that has the whole text.
 */
export function withoutLongTexts(
  content: string | readonly Block[],
  texts: readonly UserText[],
): string | readonly Block[] {
  const left = new Map(texts.filter(hasLeft).map((text) => [text.block, text]));
  const shortened = (text: string, block: number): string => {
    const found = left.get(block);
    return found === undefined ? text : endsText(text, found);
  };
  if (typeof content === "string") return shortened(content, 0);
  return content.map((block, index) =>
    isText(block) ? { ...block, text: shortened(block.text, index) } : block,
  );
}

function endsText(text: string, { of, head = 0, tail = 0 }: UserText): string {
  return textOfEnds(text, { head, tail }, (omitted) => omissionMarks.content.write(omitted, of));
}
