import { testScale } from "../packages/store-contract/src/scale.ts";

/** The variable with which a configuration of Vitest says that the package under test has changed. */
export const everyCase = "SCM_EVERY_CASE";

const hasEveryCase = testScale.isLong || process.env[everyCase] === "1";

/**
 * Whether a test tries all cases of a property. A long run does, and so does `npm test` for a package that has changed. The
 * cases of other runs are the first ones of the same seed.
 */
export function triesEveryCase(): boolean {
  return hasEveryCase;
}

/** How often a property is tried that is tried so often with every case: otherwise, a quarter as often. */
export function propertyRuns(everyCaseRuns: number): number {
  return hasEveryCase ? everyCaseRuns : Math.ceil(everyCaseRuns / 4);
}
