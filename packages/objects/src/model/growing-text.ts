/** A text that was made by appending to another one. */
interface Growth {
  readonly base: string;
  readonly added: string;
  readonly text: string;
}

/** The newest text of each growing text. */
const growths: Growth[] = [];

/** The greatest number of growing texts that are remembered, for example one for each session. */
const mostGrowths = 8;

/**
 * Appends to a well-formed text that is an object's content, and remembers the appended part. Later steps can ask
 * `addition` for it, and need not compare the two texts or join them in memory.
 */
export function grownText(base: string, added: string): string {
  if (added === "") return base;
  const text = base + added;
  const former = growths.findIndex((one) => isSameText(one.text, base));
  if (former !== -1) growths.splice(former, 1);
  if (growths.push({ base, added, text }) > mostGrowths) growths.shift();
  return text;
}

/** Returns the text that was appended to one text to make another; undefined if the other was not made in this way. */
export function addedTo(base: string, text: string): string | undefined {
  const growth = growths.findLast(
    (one) => isSameText(one.base, base) && isSameText(one.text, text),
  );
  return growth?.added;
}

/** Compares the lengths first: texts of different lengths are distinguished without reading them. */
function isSameText(one: string, other: string): boolean {
  return one.length === other.length && one === other;
}
