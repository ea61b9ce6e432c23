import type { SearchText } from "@self-context-manager/objects";
import type { StatementSync } from "node:sqlite";

import { packId } from "./packed-id.ts";
import { slicesOf, splitWords } from "./split-words.ts";

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
  for (const text of texts) {
    const key = addPlace(prepared, text);
    added.set(key, text);
    for (const { length, store } of partsOf(prepared, key, text.text)) {
      if (characters > 0 && characters + length > sliceCharacters) {
        yield;
        characters = 0;
      }
      // Another process can have replaced the text meanwhile.
      if (isThere(prepared, key)) store();
      characters += length;
    }
  }
  // The last one first, because of several texts at one place it replaces the others.
  for (const [key, text] of [...added].toReversed()) complete(prepared, key, text);
  prepared("INSERT OR REPLACE INTO state (one, position) VALUES (1, ?)").run(position);
}

function addPlace(prepared: Prepare, { id, version, place, type, session }: SearchText): number {
  const keyOf = (name: string): number => nameKey(prepared, name);
  const { lastInsertRowid: key } = prepared(
    "INSERT INTO texts (id, version, place, type, session) VALUES (?, ?, ?, ?, ?)",
  ).run(packId(id), version, place, keyOf(type), session === undefined ? null : keyOf(session));
  return Number(key);
}

function nameKey(prepared: Prepare, name: string): number {
  prepared("INSERT OR IGNORE INTO names (name) VALUES (?)").run(name);
  return Number(prepared("SELECT key FROM names WHERE name = ?").get(name)?.["key"]);
}

/** A part of the work for a text: how many characters it reads, and what it does. */
interface Part {
  readonly length: number;
  readonly store: () => void;
}

/** Returns the parts of a text: the beginning, which is ranked, and the different words of a long text in slices. */
function* partsOf(prepared: Prepare, key: number, text: string): Generator<Part> {
  const beginning = text.slice(0, rankedCharacters);
  yield {
    length: beginning.length,
    store: () =>
      prepared("INSERT INTO ranked (rowid, words) VALUES (?, ?)").run(key, splitWords(beginning)),
  };
  if (text.length <= rankedCharacters) return;
  // Of a long text, only whether a word is there is kept.
  const known = new Set<string>();
  for (const slice of slicesOf(text, sliceCharacters))
    yield {
      length: slice.length,
      store() {
        const words: string[] = [];
        for (const word of splitWords(slice).split(" ")) {
          if (known.has(word)) continue;
          known.add(word);
          words.push(word);
        }
        const part = prepared("INSERT INTO parts (text) VALUES (?)").run(key).lastInsertRowid;
        prepared("INSERT INTO rest (rowid, words) VALUES (?, ?)").run(part, words.join(" "));
      },
    };
}

function isThere(prepared: Prepare, key: number): boolean {
  return prepared("SELECT 1 FROM texts WHERE key = ?").get(key) !== undefined;
}

/** Lets a text take the place of the earlier ones there. */
function complete(prepared: Prepare, key: number, { id, version, place }: SearchText): void {
  const others = prepared(
    "SELECT key, complete FROM texts WHERE id = ? AND place = ? AND (version = ? OR ? <> '') AND key <> ?",
  ).all(packId(id), place, version, place, key);
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
