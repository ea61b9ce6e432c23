/** A text, and what was added to another one to make it. */
interface Growth {
  readonly base: string;
  readonly added: string;
  readonly text: string;
}

/** The last texts that were made by adding to one, the newest of each text that goes on. */
const growths: Growth[] = [];

/** How many texts go on at the same time, as one for each session; what is told of more is forgotten. */
const mostGrowths = 8;

/**
 * Adds to a well-formed text that is an object's content. What works on the longer text next need not compare it with
 * the former, nor have it in one piece, which the engine makes only when somebody looks into it.
 */
export function grownText(base: string, added: string): string {
  if (added === "") return base;
  const text = base + added;
  const former = growths.findIndex((one) => isSameText(one.text, base));
  if (former !== -1) growths.splice(former, 1);
  if (growths.push({ base, added, text }) > mostGrowths) growths.shift();
  return text;
}

/** What was added to one text to make another; undefined where that is not how it was made. */
export function addedTo(base: string, text: string): string | undefined {
  const growth = growths.findLast(
    (one) => isSameText(one.base, base) && isSameText(one.text, text),
  );
  return growth?.added;
}

/** Texts of another length are told apart without looking into them, and one text is known to be itself. */
function isSameText(one: string, other: string): boolean {
  return one.length === other.length && one === other;
}
