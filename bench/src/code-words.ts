import { seededRandom } from "@self-context-manager/store-contract";
import { splitWords } from "@self-context-manager/search";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { rounded } from "./report.ts";

/** A file with a longer line is generated, or has data. */
const longestLine = 1_000;

/** Returns parts of the code in a folder of packages, in an order by a seed, each with at most about so many characters. */
export function codeTexts(
  folder: string,
  count: number,
  mostCharacters: number,
): readonly string[] {
  const random = seededRandom(7);
  const paths = [...codeFiles(folder)].toSorted();
  const order = new Map(paths.map((path) => [path, random()]));
  const known = new Set<string>();
  const texts: string[] = [];
  for (const path of paths.toSorted(
    (one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0),
  )) {
    const text = readFileSync(path, "utf8");
    const lines = text.split("\n");
    // The same package can be there several times.
    if (known.has(text) || lines.some(({ length }) => length > longestLine)) continue;
    known.add(text);
    for (let start = 0; start < lines.length;) {
      const wanted = random() * mostCharacters;
      let end = start;
      for (let length = 0; length < wanted && end < lines.length; end += 1)
        length += (lines[end]?.length ?? 0) + 1;
      texts.push(lines.slice(start, end).join("\n"));
      if (texts.length === count) return texts;
      start = Math.max(end, start + 1);
    }
  }
  return texts;
}

function* codeFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* codeFiles(path);
    else if (entry.isFile() && /(?<!\.min)\.[cm]?[jt]s$/u.test(entry.name)) yield path;
  }
}

/** What decides how large an index of texts is, and how many texts a query finds. */
export function wordFigures(texts: readonly string[]): Readonly<Record<string, number>> {
  const textsWith = new Map<string, number>();
  let [bytes, words, different] = [0, 0, 0];
  for (const text of texts) {
    const all = splitWords(text).split(" ");
    const own = new Set(all);
    bytes += Buffer.byteLength(text);
    words += all.length;
    different += own.size;
    for (const word of own) textsWith.set(word, (textsWith.get(word) ?? 0) + 1);
  }
  const counts = [...textsWith.values()].toSorted((one, other) => other - one);
  const inMany = counts.filter((count) => count > texts.length / 10);
  return {
    bytesOfText: rounded(bytes / texts.length),
    wordsPerKilobyte: rounded((1_000 * words) / bytes),
    differentWordsOfTextPerKilobyte: rounded((1_000 * different) / bytes),
    differentWordsOfAll: counts.length,
    shareOfWordsInEachTenthText: rounded(inMany.reduce((sum, count) => sum + count, 0) / different),
    textsWithTheMostFrequentWord: rounded((counts[0] ?? 0) / texts.length),
    textsWithThe100thWord: rounded((counts[99] ?? 0) / texts.length),
  };
}
