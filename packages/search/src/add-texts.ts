import type { SearchText } from "@self-context-manager/objects";
import type { StatementSync } from "node:sqlite";

import { packId } from "./packed-id.ts";
import { slicesOf, splitWords, withoutAccents } from "./split-words.ts";

/**
 * Characters of a text whose words are ranked. The beginning of a text says what it is; the words behind it are found,
 * too, but only after all texts that begin with them.
 */
const rankedCharacters = 8_000;

/**
 * Characters that are added at once, so that other work waits for some 10 ms at most: to split and to store them takes
 * 2 ms, and 10 ms if each word is a hash.
 */
export const sliceCharacters = 10_000;

/** The end of an id, by which texts are found: an index of whole ids would take a third of what the texts take. */
export const endOfId: string = endOf("id");

function endOf(value: string): string {
  return `substr(${value}, -4)`;
}

/** Returns the prepared statement of a text of SQL. */
export type Prepare = (sql: string) => StatementSync;

/**
 * Adds texts and the position that is reached with them, in slices. Each step needs a transaction, and other work can come
 * between two of them. A text is found once it is complete, and all texts become complete in the last step.
 */
export function* addTexts(
  prepared: Prepare,
  texts: readonly SearchText[],
  position: string,
): Generator<void, void> {
  const added = new Map<number, SearchText>();
  let characters = 0;
  const isFull = (length: number): boolean => {
    const fits = characters === 0 || characters + length <= sliceCharacters;
    characters = fits ? characters + length : length;
    return !fits;
  };
  for (const text of texts) {
    const beginning = text.text.slice(0, rankedCharacters);
    if (isFull(beginning.length)) yield;
    const key = addBeginning(prepared, text, beginning);
    added.set(key, text);
    if (text.text.length <= rankedCharacters) continue;
    const known = new Set<string>();
    for (const slice of slicesOf(text.text, sliceCharacters)) {
      if (isFull(slice.length)) yield;
      // Another process can have replaced the text meanwhile.
      if (isThere(prepared, key)) addSlice(prepared, key, slice, known);
    }
  }
  // The last one first, because of several texts at one place it replaces the others.
  for (const [key, text] of [...added].toReversed()) complete(prepared, key, text);
  prepared("INSERT OR REPLACE INTO state (one, position) VALUES (1, ?)").run(position);
}

/** Adds a text and the words of its beginning, which are ranked. Returns its key. */
function addBeginning(
  prepared: Prepare,
  { id, version, place, type, session }: SearchText,
  beginning: string,
): number {
  const keyOf = (name: string): number => nameKey(prepared, name);
  const words = new Set(wordsOf(beginning));
  const { lastInsertRowid: key } = prepared(
    "INSERT INTO texts (id, version, place, type, session, words) VALUES (?, ?, ?, ?, ?, ?)",
  ).run(
    packId(id),
    version,
    place,
    keyOf(type),
    session === undefined ? null : keyOf(session),
    words.size,
  );
  prepared("INSERT INTO ranked (rowid, words) VALUES (?, ?)").run(key, [...words].join(" "));
  return Number(key);
}

function wordsOf(text: string): readonly string[] {
  return withoutAccents(splitWords(text)).split(" ");
}

function nameKey(prepared: Prepare, name: string): number {
  prepared("INSERT OR IGNORE INTO names (name) VALUES (?)").run(name);
  return Number(prepared("SELECT key FROM names WHERE name = ?").get(name)?.["key"]);
}

/** Adds the words of a slice that the slices before it have not. */
function addSlice(prepared: Prepare, key: number, slice: string, known: Set<string>): void {
  const words: string[] = [];
  for (const word of wordsOf(slice)) {
    if (known.has(word)) continue;
    known.add(word);
    words.push(word);
  }
  const part = prepared("INSERT INTO parts (text) VALUES (?)").run(key).lastInsertRowid;
  prepared("INSERT INTO rest (rowid, words) VALUES (?, ?)").run(part, words.join(" "));
}

function isThere(prepared: Prepare, key: number): boolean {
  return prepared("SELECT 1 FROM texts WHERE key = ?").get(key) !== undefined;
}

/** Lets a text take the place of the earlier ones there. */
function complete(prepared: Prepare, key: number, { id, version, place }: SearchText): void {
  const others = prepared(
    `SELECT key, complete FROM texts WHERE ${endOfId} = ${endOf("?1")} AND id = ?1
     AND place = ?2 AND (version = ?3 OR ?2 <> '') AND key <> ?4`,
  ).all(packId(id), place, version, key);
  if (isThere(prepared, key)) {
    for (const other of others) remove(prepared, Number(other["key"]));
    prepared("UPDATE texts SET complete = 1 WHERE key = ?").run(key);
  } else if (!others.some((other) => other["complete"] === 1))
    throw new Error(
      "the search index was cleared while texts were added; bring it up to date again",
    );
}

function remove(prepared: Prepare, key: number): void {
  prepared("DELETE FROM ranked WHERE rowid = ?").run(key);
  prepared("DELETE FROM rest WHERE rowid IN (SELECT key FROM parts WHERE text = ?)").run(key);
  prepared("DELETE FROM parts WHERE text = ?").run(key);
  prepared("DELETE FROM texts WHERE key = ?").run(key);
}
