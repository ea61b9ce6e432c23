/**
 * Finds the known messages in a host's list by their names alone, for hosts whose messages have neither ids nor times,
 * so that several messages can have one name. Returns the index of the known message for each name of the list, or
 * undefined for a new one. The order of both stays, and each known message is found once.
 *
 * A host changes its list in few ways: it appends, it drops the oldest messages, it goes back and continues in another
 * way, or it inserts a message. So the known messages are found as the common beginning of both, and as a block of the
 * list that is the end of the known ones. `prefers`: which of the two counts if they have the same length.
 */
export function alignNames(
  list: readonly string[],
  known: readonly string[],
  prefers: "beginning" | "end" = "end",
): readonly (number | undefined)[] {
  const begin = commonStart(list, known);
  const block = blockAtEnd(list, known);
  const isBlockMore = prefers === "end" ? block.length >= begin : block.length > begin;
  const takesBlock = block.length > 0 && (isBlockMore || block.start === begin);
  const blockInKnown = known.length - block.length;
  const takesBegin = !takesBlock || (begin <= block.start && begin <= blockInKnown);
  return list.map((_, index) => {
    if (takesBlock && index >= block.start && index < block.start + block.length)
      return blockInKnown + index - block.start;
    return takesBegin && index < begin ? index : undefined;
  });
}

/**
 * Finds the longest beginning of a list anywhere in the known names, at its last place: the host has dropped the oldest
 * messages and has also gone back.
 */
export function alignWithin(
  list: readonly string[],
  known: readonly string[],
): readonly (number | undefined)[] {
  let found = { at: 0, length: 0 };
  for (const [at, length] of matchLengths(list, known).entries())
    if (length > 0 && length >= found.length) found = { at, length };
  return list.map((_, index) => (index < found.length ? found.at + index : undefined));
}

function commonStart(list: readonly string[], known: readonly string[]): number {
  const end = Math.min(list.length, known.length);
  for (let index = 0; index < end; index += 1) if (list[index] !== known[index]) return index;
  return end;
}

/** Returns the longest block of the list that is the end of the known names; of several, the first. */
function blockAtEnd(
  list: readonly string[],
  known: readonly string[],
): { readonly start: number; readonly length: number } {
  let found = { start: 0, length: 0 };
  const last = known.at(-1);
  if (last === undefined) return found;
  const lengths = matchLengths(known.toReversed(), list.toReversed());
  for (const [back, length] of lengths.entries()) {
    const start = list.length - back - length;
    if (length > 0 && length >= found.length) found = { start, length };
  }
  return found;
}

/** Returns for each index of `text` how many names from there on equal the beginning of `pattern` (the Z algorithm). */
function matchLengths(pattern: readonly string[], text: readonly string[]): readonly number[] {
  const all: readonly (string | undefined)[] = [...pattern, undefined, ...text];
  const lengths = [all.length];
  let left = 0;
  let right = 0;
  for (let index = 1; index < all.length; index += 1) {
    let length = index < right ? Math.min(right - index, lengths[index - left] ?? 0) : 0;
    while (index + length < all.length && all[length] === all[index + length]) length += 1;
    lengths.push(length);
    if (index + length > right) {
      left = index;
      right = index + length;
    }
  }
  return lengths.slice(pattern.length + 1);
}
