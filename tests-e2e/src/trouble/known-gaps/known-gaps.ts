/**
 * Checks that fail today, with what is missing: by the scenario's name and the check's sentence. Such a check must fail.
 * The run fails when it holds again, and its line is then removed.
 */
export type KnownGaps = Readonly<Record<string, Readonly<Record<string, string>>>>;
