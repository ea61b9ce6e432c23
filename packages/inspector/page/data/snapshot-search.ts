import type { ObjectAnswer, SearchAnswer, SnapshotData, VersionAnswer } from "../../src/answers.ts";

type Hit = SearchAnswer["hits"][number];

/** The number of hits that are shown. */
const limit = 100;

/** Finds the objects of a snapshot whose name or content has all words, whatever their case. */
export function searchSnapshot(data: SnapshotData, words: string): SearchAnswer {
  const wanted = words
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (wanted.length === 0) return { hits: [], isComplete: true };
  const hits = Object.entries(data.answers).flatMap(([path, answer]) => {
    if (!/^objects\/[^/]+$/u.test(path)) return [];
    const object = answer as ObjectAnswer;
    const hit = hitOf(data, path, object, wanted);
    return hit === undefined ? [] : [hit];
  });
  return { hits: hits.slice(0, limit), isComplete: true };
}

function hitOf(
  data: SnapshotData,
  path: string,
  object: ObjectAnswer,
  wanted: readonly string[],
): Hit | undefined {
  const { id, type, name } = object;
  for (const { version } of object.versions.toReversed()) {
    const { content } = (data.answers[`${path}/versions/${version}`] ?? {}) as {
      readonly content?: VersionAnswer["content"];
    };
    const text = `${name}\n${content ?? ""}`;
    const folded = text.toLowerCase();
    if (wanted.every((word) => folded.includes(word)))
      return { id, type, name, version, line: lineWith(text, wanted) };
  }
  const named = name.toLowerCase();
  if (wanted.every((word) => named.includes(word)))
    return { id, type, name, version: object.version, line: name };
  return undefined;
}

/** The line of the text that has most of the words. */
function lineWith(text: string, wanted: readonly string[]): string {
  let best = { line: "", count: 0 };
  for (const line of text.split("\n")) {
    const folded = line.toLowerCase();
    const count = wanted.filter((word) => folded.includes(word)).length;
    if (count > best.count) best = { line, count };
  }
  return best.line.slice(0, 400);
}
