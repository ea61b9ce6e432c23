import { type Block, isText, type UserMessage } from "../chat/message.ts";

/** What another extension of the host has put around a user's message for one request. */
export interface TextsAround {
  readonly before: readonly Block[];
  readonly after: readonly Block[];
}

/**
 * Compares a user's message with the one that a request has in its place. Returns what was added before and after it, or
 * undefined if nothing was added, or if the message itself was changed. An added text is on lines of its own or in
 * brackets: otherwise it can belong to a sentence that was rewritten.
 */
export function textsAround(own: UserMessage, sent: UserMessage): TextsAround | undefined {
  const [mine, theirs] = [blocksOf(own), blocksOf(sent)];
  if (withoutBlank(mine).length === 0) return undefined;
  const begin = countSame(mine, theirs);
  const end = countSame(mine.slice(begin).toReversed(), theirs.slice(begin).toReversed());
  const rest = mine.slice(begin, mine.length - end);
  const found = theirs.slice(begin, theirs.length - end);
  const [only] = rest;
  const parts =
    rest.length === 0
      ? begin === 0
        ? { before: found, after: [] }
        : { before: [], after: found }
      : rest.length === 1 && only !== undefined && isText(only)
        ? partsAround(only.text, found)
        : undefined;
  if (parts === undefined) return undefined;
  const [before, after] = [withoutBlank(parts.before), withoutBlank(parts.after)];
  return before.length + after.length === 0 ? undefined : { before, after };
}

function partsAround(text: string, found: readonly Block[]): TextsAround | undefined {
  const [first, last] = [found[0], found.at(-1)];
  if (first !== undefined && isText(first) && first.text.startsWith(text)) {
    const added = first.text.slice(text.length);
    if (added !== "" && !beginsApart.test(added)) return undefined;
    return { before: [], after: [textBlock(added), ...found.slice(1)] };
  }
  if (last !== undefined && isText(last) && last.text.endsWith(text)) {
    const added = last.text.slice(0, last.text.length - text.length);
    if (added !== "" && !endsApart.test(added)) return undefined;
    return { before: [...found.slice(0, -1), textBlock(added)], after: [] };
  }
  return undefined;
}

const beginsApart = /^\s*[\n<[({]/u;
const endsApart = /[\n>\])}]\s*$/u;

function blocksOf({ content }: UserMessage): readonly Block[] {
  return typeof content === "string" ? [textBlock(content)] : content;
}

function textBlock(text: string): Block {
  return { type: "text", text };
}

/** Returns the number of equal blocks at the beginning of both lists. */
function countSame(some: readonly Block[], others: readonly Block[]): number {
  const end = some.findIndex((one, index) => JSON.stringify(one) !== JSON.stringify(others[index]));
  return end === -1 ? some.length : end;
}

/** Returns blocks without blank texts, which providers refuse, and without space around the texts. */
function withoutBlank(blocks: readonly Block[]): readonly Block[] {
  return blocks.flatMap((block) => {
    if (!isText(block)) return [block];
    const text = block.text.trim();
    return text === "" ? [] : [{ ...block, text }];
  });
}
