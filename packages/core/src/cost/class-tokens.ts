import { tallyText, textClasses } from "./text-tally.ts";

/**
 * Raw tokens by class of text. `fixed` are those that no calibration changes: of files, and those that a provider adds
 * to each message.
 */
export type ClassTokens = Readonly<Record<string, number>>;

/** Adds the raw tokens of a text. */
export function addText(sums: Record<string, number>, text: string): void {
  const tally = tallyText(text);
  for (const [index, name] of textClasses.entries()) {
    const tokens = tally[index] ?? 0;
    if (tokens > 0) sums[name] = (sums[name] ?? 0) + tokens;
  }
}

/** Adds raw tokens to sums. */
export function addTo(sums: Record<string, number>, tokens: ClassTokens): void {
  for (const [name, each] of Object.entries(tokens)) sums[name] = (sums[name] ?? 0) + each;
}

/** Returns the sum of all classes. */
export function totalOf(tokens: ClassTokens): number {
  return Object.values(tokens).reduce((sum, each) => sum + each, 0);
}

/** Whether all classes have the same tokens. */
export function isEqual(one: ClassTokens, other: ClassTokens): boolean {
  const names = Object.keys({ ...one, ...other });
  return names.every((name) => one[name] === other[name]);
}

/** Returns the tokens of both, by class. */
export function sumOfClasses(one: ClassTokens, other: ClassTokens): ClassTokens {
  const sums = { ...one };
  addTo(sums, other);
  return sums;
}
