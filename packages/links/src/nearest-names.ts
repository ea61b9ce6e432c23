import type { IndexedNames } from "@self-context-manager/objects";

import { nameKey } from "./name-keys.ts";

/** The number of names that are returned. */
const mostNames = 3;

/** Longer names are not compared. */
const longestName = 80;

/**
 * Returns the names that differ little from a name which has no target: those with the same words, and those with few other
 * letters, the nearest first. A link never means one of them; they are for its writer.
 */
export function nearestNames(name: string, known: readonly IndexedNames[]): readonly string[] {
  const wanted = nameKey(name);
  if (wanted === "" || wanted.length > longestName) return [];
  const distances = new Map<string, number>();
  for (const { nickname, path, aliases } of known) {
    for (const one of [nickname, path, ...aliases]) {
      const key = one === undefined ? "" : nameKey(one);
      if (key === "" || key.length > longestName) continue;
      const distance = hasSameWords(wanted, key) ? 1 : editDistance(wanted, key);
      if (distance <= Math.max(1, Math.floor(wanted.length / 3))) distances.set(key, distance);
    }
  }
  return [...distances]
    .toSorted(([one, near], [other, far]) => near - far || (one < other ? -1 : 1))
    .slice(0, mostNames)
    .map(([key]) => key);
}

function hasSameWords(one: string, other: string): boolean {
  const known = new Set(wordsOf(other));
  const wanted = wordsOf(one);
  return wanted.length > 0 && wanted.every((word) => known.has(word));
}

function wordsOf(name: string): readonly string[] {
  return name.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== "");
}

/** Returns how many letters must be added, removed or replaced to make one text from another. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let line = 1; line <= one.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[line - 1] === other[column - 1];
      next.push(
        Math.min(
          (row[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (row[column - 1] ?? 0) + (isSame ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
