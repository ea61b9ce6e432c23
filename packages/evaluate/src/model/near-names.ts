const mostNames = 5;
const leastLikeness = 0.4;

/** Returns the names that a text with a typing mistake may mean, the most similar first, by their pairs of characters. */
export function nearNames(text: string, names: readonly string[]): readonly string[] {
  const wanted = pairsIn(text);
  return names
    .map((name) => {
      const pairs = pairsIn(name);
      const common = [...pairs].filter((pair) => wanted.has(pair)).length;
      return { name, likeness: (2 * common) / (pairs.size + wanted.size) };
    })
    .filter(({ likeness }) => likeness > leastLikeness)
    .toSorted((left, right) => right.likeness - left.likeness)
    .slice(0, mostNames)
    .map(({ name }) => name);
}

function pairsIn(name: string): ReadonlySet<string> {
  const text = name.toLowerCase();
  return new Set(
    Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)),
  );
}
