// Used by the page too, so it needs nothing of Node.

/** The names of an object, in lower case. */
export interface ObjectNames {
  /** Names that are found only as a whole, such as its id. */
  readonly whole: readonly string[];
  /** Paths and nicknames. */
  readonly paths: readonly string[];
  /** Other texts by which a user knows the object, such as the arguments of a tool call. */
  readonly others: readonly string[];
}

/** What is looked for: the text, and its parts between spaces. */
export interface NameQuery {
  readonly text: string;
  readonly parts: readonly string[];
}

/** The page has no packages, so this is what `composed` of `objects` does. */
function compared(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Names in the form in which they are compared. */
export function lowerCase(names: readonly (string | undefined)[]): readonly string[] {
  return names.flatMap((name) => (name === undefined ? [] : [compared(name)]));
}

/** The query of typed words; undefined if there are none. */
export function nameQuery(words: string): NameQuery | undefined {
  const text = compared(words.trim());
  return text === "" ? undefined : { text, parts: text.split(/\s+/u) };
}

/**
 * How well an object fits, 0 for best: a whole name, a whole path, the end of a path, the beginning of a name, and any part
 * of a name. Undefined if no name has all parts.
 */
function nameRank(
  { whole, paths, others }: ObjectNames,
  { text, parts }: NameQuery,
): number | undefined {
  if (whole.includes(text)) return 0;
  if (paths.includes(text)) return 1;
  if (paths.some((path) => path.endsWith(`/${text}`))) return 2;
  if (paths.some((path) => path.slice(path.lastIndexOf("/") + 1).startsWith(text))) return 3;
  const hasParts = (name: string): boolean => parts.every((part) => name.includes(part));
  if (paths.some(hasParts)) return 4;
  return others.some(hasParts) ? 5 : undefined;
}

/** The best objects for a query: by rank, then the shortest name, then the newest. */
export function bestNames<Named extends { readonly names: ObjectNames }>(
  all: Iterable<Named>,
  query: NameQuery,
  most: number,
): readonly Named[] {
  const ranked: { readonly one: Named; readonly rank: number; readonly length: number }[] = [];
  for (const one of all) {
    const rank = nameRank(one.names, query);
    if (rank === undefined) continue;
    const { paths, others } = one.names;
    ranked.push({ one, rank, length: (paths[0] ?? others[0] ?? "").length });
  }
  return ranked
    .toReversed()
    .sort((a, b) => a.rank - b.rank || a.length - b.length)
    .slice(0, most)
    .map(({ one }) => one);
}
