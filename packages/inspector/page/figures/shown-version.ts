import type { ObjectAnswer } from "../../src/answers.ts";

/** The version that the page of an object shows: the wanted one, else the newest one that can be asked for. */
export function shownVersion(
  { version, included }: Pick<ObjectAnswer, "version" | "included">,
  wanted: number | undefined,
): number {
  return wanted ?? (included === undefined ? version : (included.at(-1) ?? version));
}

/** Whether a version can be asked for: a snapshot has only those that were shown. */
export function isIncluded(
  { included }: Pick<ObjectAnswer, "included">,
  version: number | undefined,
): boolean {
  return version === undefined || included === undefined || included.includes(version);
}
