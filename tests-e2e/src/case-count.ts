import { runsEveryForm, testScale } from "@self-context-manager/store-contract";

/** How many cases of a property runs have. */
export interface CaseCounts {
  /** In a long run. */
  readonly long: number;
  /** In `npm test`, if a package that the property is about has changed. */
  readonly changed: number;
  /** In `npm test` otherwise: the first cases of the same seed. */
  readonly unchanged: number;
}

/** Returns the number of cases of this run for a property that is about some packages. Default: core. */
export function caseCount(
  { long, changed, unchanged }: CaseCounts,
  packages: readonly string[] = ["core"],
): number {
  if (testScale.isLong) return long;
  return packages.some(runsEveryForm) ? changed : unchanged;
}
