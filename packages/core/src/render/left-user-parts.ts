import { fileWord } from "../calls/user-object.ts";
import { type Block, isText } from "../chat/message.ts";
import { rawEstimator } from "../cost/calibrated-estimator.ts";
import { fileMark, omissionMarks } from "../lines/stand-ins.ts";
import { hasLeft, type UserPart } from "../view/view-entry.ts";
import { endsOfTokens, type HeadAndTail, textOfEnds } from "./head-and-tail.ts";

/** Most tokens that stay of the beginning and of the end, where a user often says what to do with the text. */
const most = { head: 500, tail: 300 } as const;

/** Most that stays, as shares of the text. Of a text of 2,000 tokens they are the same. */
const shares = { head: 0.25, tail: 0.15 } as const;

/** Returns what a view records of a long part that has left: the ends that stay of a text, nothing of a file. */
export function leftPart(part: Block): Pick<UserPart, "head" | "tail" | "gone"> {
  return isText(part) ? endsOfUserText(part.text) : { gone: true };
}

function endsOfUserText(text: string): HeadAndTail {
  const tokens = rawEstimator.text(text);
  return endsOfTokens(
    text,
    Math.min(most.head, Math.floor(tokens * shares.head)),
    Math.min(most.tail, Math.floor(tokens * shares.tail)),
  );
}

/**
 * Returns the content of a user message without the long parts that have left. A text is shown by its ends, with a line
 * between them that names its object; a line that names its object replaces a file.
 */
export function withoutLeftParts(
  content: string | readonly Block[],
  parts: readonly UserPart[],
): string | readonly Block[] {
  const left = new Map(parts.filter(hasLeft).map((part) => [part.block, part]));
  if (typeof content === "string") {
    const found = left.get(0);
    return found === undefined ? content : endsText(content, found);
  }
  return content.map((block, index) => {
    const found = left.get(index);
    return found === undefined ? block : withoutLeft(block, found);
  });
}

/** Returns the block that is shown instead of a long part. A text keeps its other fields. */
function withoutLeft(block: Block, left: UserPart): Block {
  return isText(block)
    ? { ...block, text: endsText(block.text, left) }
    : { type: "text", text: fileMark.write(fileWord(block), left.of) };
}

function endsText(text: string, { of, head = 0, tail = 0 }: UserPart): string {
  return textOfEnds(text, { head, tail }, (omitted) => omissionMarks.content.write(omitted, of));
}
