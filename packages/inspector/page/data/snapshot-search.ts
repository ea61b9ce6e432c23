import type {
  ObjectAnswer,
  SearchAnswer,
  SessionAnswer,
  SnapshotData,
  VersionAnswer,
} from "../../src/answers.ts";
import {
  bestNames,
  lowerCase,
  type NameQuery,
  nameQuery,
  type ObjectNames,
} from "../../src/questions/name-match.ts";

type Hit = SearchAnswer["hits"][number];

/** The number of hits that are shown, by names and by words. */
const most = { names: 25, words: 50 };

interface Searched {
  readonly path: string;
  readonly object: ObjectAnswer;
  readonly names: ObjectNames;
}

/** Finds the objects of a snapshot like the server: by handles and names, and then by whole words of their contents. */
export function searchSnapshot(data: SnapshotData, words: string): SearchAnswer {
  const query = nameQuery(words);
  if (query === undefined) return { hits: [], isComplete: true };
  const handles = handlesOf(data);
  const all = Object.entries(data.answers).flatMap(([path, answer]): readonly Searched[] => {
    if (!/^objects\/[^/]+$/u.test(path)) return [];
    const object = answer as ObjectAnswer;
    return [{ path, object, names: namesOf(object, handles.get(object.id)) }];
  });
  const inTexts = new Map<string, Hit>();
  for (const one of all) {
    const hit = hitOf(data, one, query);
    if (hit !== undefined) inTexts.set(one.path, hit);
  }
  const byName = bestNames(all, query, most.names).map(({ path, object }): Hit => {
    const { id, type, name } = object;
    const isHandle = handles.get(id)?.toLowerCase() === query.text;
    const line = name;
    return {
      line,
      ...inTexts.get(path),
      id,
      type,
      name,
      by: isHandle ? "handle" : "name",
      ...(isHandle ? { handle: query.text } : {}),
    };
  });
  const known = new Set(byName.map(({ id }) => id));
  const byWords = [...inTexts.values()].filter(({ id }) => !known.has(id)).slice(0, most.words);
  return { hits: [...byName, ...byWords], isComplete: true };
}

function handlesOf({ answers }: SnapshotData): ReadonlyMap<string, string> {
  const sessions = Object.entries(answers).filter(([path]) => /^sessions\/[^/]+$/u.test(path));
  return new Map(
    sessions
      .flatMap(([, answer]) => (answer as SessionAnswer).timeline.parts)
      .flatMap(({ id, handle }) =>
        id === undefined || handle === undefined ? [] : [[id, handle] as const],
      ),
  );
}

function namesOf(
  { id, type, name, nickname, metadata }: ObjectAnswer,
  handle: string | undefined,
): ObjectNames {
  const path = metadata.find(([field]) => field === "path")?.[1];
  const isPath = path !== undefined || type === "note";
  return {
    whole: lowerCase([id, handle]),
    paths: lowerCase([path, isPath ? name : undefined, nickname]),
    others: isPath || name === type ? [] : lowerCase([name]),
  };
}

function hitOf(
  data: SnapshotData,
  { path, object }: Searched,
  { parts }: NameQuery,
): Hit | undefined {
  const wanted = parts.flatMap((part) => part.match(/[\p{L}\p{N}]+/gu) ?? []);
  if (wanted.length === 0) return undefined;
  const { id, type, name } = object;
  for (const { version } of object.versions.toReversed()) {
    const { content } = (data.answers[`${path}/versions/${version}`] ?? {}) as {
      readonly content?: VersionAnswer["content"];
    };
    if (typeof content !== "string") continue;
    const folded = content.toLowerCase();
    // Most contents lack a word, which is seen without an expression.
    if (wanted.every((word) => folded.includes(word) && hasWord(folded, word)))
      return { id, type, name, by: "words", version, line: lineWith(content, wanted) };
  }
  return undefined;
}

/** Whether a text has a word that is not a part of another one. The word has only letters and digits. */
function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, "u").test(text);
}

/** The line of the text that has most of the words. */
function lineWith(text: string, wanted: readonly string[]): string {
  let best = { line: "", count: 0 };
  for (const line of text.split("\n")) {
    const folded = line.toLowerCase();
    const count = wanted.filter((word) => hasWord(folded, word)).length;
    if (count > best.count) best = { line, count };
    if (count === wanted.length) break;
  }
  return best.line.slice(0, 400);
}
