import type { Prepare } from "./add-texts.ts";

/** How many different words the beginnings of the texts have. */
export interface TextLengths {
  /** The key of the first text. */
  readonly first: number;
  /** The number of keys from the first to the last one. */
  readonly keys: number;
  /** The number of texts. */
  readonly texts: number;
  readonly mean: number;
  /** Returns the number of words of the text at an offset from the first key; 0 if there is no text. */
  readonly at: (offset: number) => number;
}

/**
 * Returns a function that reads the lengths of the texts. Those that it knows stay in memory, 2 bytes for each, because the
 * length of a text never changes.
 */
export function textLengths(prepared: Prepare): () => TextLengths {
  let first = 0;
  let keys = 0;
  let texts = 0;
  let sum = 0;
  let lengths = new Uint16Array(1_024);

  function begin(key: number): void {
    [first, keys, texts, sum] = [key, 0, 0, 0];
    lengths.fill(0);
  }

  function readNew(): void {
    const row = prepared(
      "SELECT json_group_array(key) AS keys, json_group_array(words) AS words FROM texts WHERE key >= ?",
    ).get(first + keys);
    const [newKeys, words] = [numbersIn(row?.["keys"]), numbersIn(row?.["words"])];
    for (const [index, key] of newKeys.entries()) {
      const offset = key - first;
      if (offset >= lengths.length) lengths = longer(lengths, offset + 1);
      lengths[offset] = words[index] ?? 0;
      sum += words[index] ?? 0;
      texts += 1;
      keys = offset + 1;
    }
  }

  return () => {
    const key = Number(prepared("SELECT min(key) AS first FROM texts").get()?.["first"] ?? 0);
    // Another first text means that the index was cleared.
    if (key !== first) begin(key);
    readNew();
    return { first, keys, texts, mean: sum / texts, at: (offset) => lengths[offset] ?? 0 };
  };
}

function longer(lengths: Uint16Array, least: number): Uint16Array<ArrayBuffer> {
  const copy = new Uint16Array(2 * least);
  copy.set(lengths);
  return copy;
}

/** Returns the numbers of a JSON array: SQLite makes one of many rows faster than this process reads the rows. */
export function numbersIn(json: unknown): readonly number[] {
  return JSON.parse(String(json)) as readonly number[];
}
