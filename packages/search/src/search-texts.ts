import type { ObjectId, SearchHit, SearchIndex, SearchQuery } from "@self-context-manager/objects";

import type { Prepare } from "./add-texts.ts";
import { unpackId } from "./packed-id.ts";
import { hasPhrases, type Phrase, queryPhrases } from "./phrases.ts";
import { type Ranking, rankTexts } from "./rank-texts.ts";
import { queryWords, withoutAccents } from "./split-words.ts";
import { numbersIn, textLengths } from "./text-lengths.ts";

/** How the index and the texts are read. */
export interface SearchReading {
  /** Runs work that sees one state of the index. */
  readonly atOnce: <Result>(work: () => Result) => Result;
  /** Returns the text of a version; undefined if it cannot be read. */
  readonly readText: ((id: ObjectId, version: number) => Promise<string | undefined>) | undefined;
}

/** Most words of a query, so that a pasted page is answered as soon as a question. */
const mostWords = 32;

/** Most texts that are read to look for phrases, and their characters: so many are read within about a second. */
const mostRead = 2_000;
const mostReadCharacters = 10_000_000;

/** Returns the operation `search` of an index. */
export function searchTexts(
  prepared: Prepare,
  { atOnce, readText }: SearchReading,
): SearchIndex["search"] {
  const lengths = textLengths(prepared);

  /** Returns the texts with words of a query, best first. */
  function ranked(query: SearchQuery, ranking: Omit<Ranking, "among">): readonly SearchHit[] {
    const among = textsAmong(prepared, query);
    const found = rankTexts(prepared, lengths(), { ...ranking, among });
    const rows = new Map(
      prepared(
        `SELECT t.*, n.name FROM json_each(?) j JOIN texts t ON t.key = j.value JOIN names n ON n.key = t.type`,
      )
        .all(JSON.stringify(found.map(({ key }) => key)))
        .map((row) => [Number(row["key"]), row]),
    );
    return found.flatMap(({ key, score }) => {
      const row = rows.get(key);
      return row === undefined ? [] : [hitOf(row, score)];
    });
  }

  /** Returns the texts that begin with words of a query, and then those that have all of them further down. */
  function byWords(
    query: SearchQuery,
    words: readonly string[],
    limit: number,
  ): readonly SearchHit[] {
    const hits = ranked(query, { words, limit });
    if (hits.length >= limit) return hits;
    const known = new Set(hits.map(placeOf));
    const { where, values } = conditionsOf(query);
    // The newest comes first.
    const others = prepared(
      `SELECT t.*, n.name
       FROM texts t JOIN names n ON n.key = t.type
       WHERE t.key IN (${words.map(() => textsWithWord).join(" INTERSECT ")}) AND t.complete = 1${where}
       ORDER BY t.key DESC LIMIT ?`,
    )
      .all(...words.map((word) => `"${word}"`), ...values, limit)
      .map((row) => hitOf(row, 0))
      .filter((hit) => !known.has(placeOf(hit)));
    return [...hits, ...others].slice(0, limit);
  }

  /** Returns the texts with all phrases of a query, best first. Texts with all of their words are read for them. */
  async function byPhrases(
    query: SearchQuery,
    words: readonly string[],
    phrases: readonly Phrase[],
    limit: number,
  ): Promise<readonly SearchHit[]> {
    if (readText === undefined || phrases.length === 0) return [];
    const needed = plainWords(phrases.flatMap((phrase) => phrase.words.split(" ")));
    const all = [...new Set([...needed, ...words])];
    const possible = atOnce(() => ranked(query, { words: all, needed, limit: mostRead }));
    const hits: SearchHit[] = [];
    let characters = 0;
    for (const hit of possible) {
      if (hits.length >= limit || characters > mostReadCharacters) break;
      const text = (await readText(hit.id, hit.version)) ?? "";
      characters += text.length;
      if (hasPhrases(text, phrases)) hits.push(hit);
    }
    return hits;
  }

  return async (query) => {
    const { limit = 20 } = query;
    const words = plainWords(queryWords(query.words));
    if (words.length === 0 || limit <= 0) return [];
    const hits = await byPhrases(query, words, queryPhrases(query.words), limit);
    if (hits.length > 0) return hits;
    return atOnce(() => byWords(query, words, limit));
  };
}

/** The texts with a word in one of their parts. */
const textsWithWord =
  "SELECT p.text FROM rest JOIN parts p ON p.key = rest.rowid WHERE rest MATCH ?";

const keyOfName = "(SELECT key FROM names WHERE name = ?)";

/** Returns words as the index has them, at most as many as a query may have. */
function plainWords(words: readonly string[]): readonly string[] {
  return [...new Set(words.map(withoutAccents))].slice(0, mostWords);
}

/** Returns the conditions of a query for a text `t`, beside its words. */
function conditionsOf({ type, session }: SearchQuery): {
  readonly where: string;
  readonly values: readonly string[];
} {
  const conditions = [
    ...(type === undefined ? [] : [["type", type] as const]),
    ...(session === undefined ? [] : [["session", session] as const]),
  ];
  return {
    where: conditions.map(([column]) => ` AND t.${column} = ${keyOfName}`).join(""),
    values: conditions.map(([, value]) => value),
  };
}

/** Returns the keys of the texts that meet the conditions of a query; undefined if there are none. */
function textsAmong(prepared: Prepare, query: SearchQuery): readonly number[] | undefined {
  const { where, values } = conditionsOf(query);
  if (values.length === 0) return undefined;
  const sql = `SELECT json_group_array(t.key) AS keys FROM texts t WHERE t.complete = 1${where}`;
  return numbersIn(prepared(sql).get(...values)?.["keys"]);
}

function placeOf({ id, version, place }: SearchHit): string {
  return `${id} ${version} ${place}`;
}

function hitOf(row: Record<string, unknown>, score: number): SearchHit {
  return {
    id: unpackId(row["id"]),
    version: Number(row["version"]),
    place: String(row["place"]),
    type: String(row["name"]),
    score,
  };
}
