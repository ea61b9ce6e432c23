/** A text as its difference to the text before it. */
export interface ChainedText {
  /** The length of the common beginning, in UTF-16 code units. */
  readonly shared: number;
  /** The length of the common end, if there is one. It does not overlap the beginning. */
  readonly sharedEnd?: number;
  /** The text between both. */
  readonly rest: string;
}

/** Returns the difference between a text and the text before it. */
export function chainText(before: string, text: string): ChainedText {
  const most = Math.min(before.length, text.length);
  let shared = 0;
  while (shared < most && before.charCodeAt(shared) === text.charCodeAt(shared)) shared += 1;
  let end = 0;
  while (
    end < most - shared &&
    before.charCodeAt(before.length - 1 - end) === text.charCodeAt(text.length - 1 - end)
  )
    end += 1;
  const rest = text.slice(shared, text.length - end);
  return { shared, ...(end === 0 ? {} : { sharedEnd: end }), rest };
}

/** Returns the text that has this difference to the text before it. */
export function unchainText(before: string, { shared, sharedEnd = 0, rest }: ChainedText): string {
  return before.slice(0, shared) + rest + before.slice(before.length - sharedEnd);
}
