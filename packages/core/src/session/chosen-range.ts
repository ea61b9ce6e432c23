import { type LineRange, rangeOf } from "@self-context-manager/objects";

/** The lines of an object to activate. Default: all. */
export interface ActivateRange {
  readonly from?: number;
  readonly to?: number;
}

/** Returns the lines of a text that are asked for; undefined for all, or a sentence that says what is wrong. */
export function chosenRange(
  text: string,
  { from, to }: ActivateRange,
): LineRange | undefined | string {
  try {
    return rangeOf(text, from, to);
  } catch (error) {
    if (error instanceof RangeError) return `${error.message}.`;
    throw error;
  }
}
