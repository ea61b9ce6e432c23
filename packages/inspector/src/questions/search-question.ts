import { defined, type ObjectId, type SearchHit, StoreError } from "@self-context-manager/objects";
import { matchingLine, updateSearch } from "@self-context-manager/links";

import type { SearchAnswer } from "../answers.ts";
import { nameQuery } from "./name-match.ts";
import { type FoundName, openNames } from "./names.ts";
import { isDamage, type Reading, within } from "./reading.ts";
import type { Positions } from "./store-question.ts";

/** The greatest number of hits in an answer, by names and by words, and of the hits that are asked for. */
const most = { names: 25, words: 50, asked: 300 };

/** Milliseconds that a search waits until the index has the newest versions. */
const indexTime = 1_500;

type Hit = SearchAnswer["hits"][number];

/** Searches handles and names, and then the contents of all versions by words. */
export function searchQuestion(
  reading: Reading,
  followed: Positions,
): (words: string) => Promise<SearchAnswer> {
  const names = openNames(reading, followed);
  /** The update that runs now. Two at once would read the same versions twice. */
  let updating: Promise<boolean> | undefined;

  async function byWords(
    words: string,
  ): Promise<{ readonly hits: readonly Hit[]; readonly isComplete: boolean }> {
    if (reading.search === undefined) return { hits: [], isComplete: false };
    let isComplete = false;
    updating ??= update(reading).finally(() => (updating = undefined));
    const ended = updating.then((isWhole) => (isComplete = isWhole));
    await within(ended, indexTime * 2);
    const hits = bestOfEach(await reading.search.search({ words, limit: most.asked }));
    return { hits: await named(reading, hits.slice(0, most.words), words), isComplete };
  }

  return async (words) => {
    const query = nameQuery(words);
    if (query === undefined) return { hits: [], isComplete: reading.search !== undefined };
    const { found, isComplete } = await names.find(query, most.names);
    const inTexts = await byWords(words);
    const byName = await hitsOf(reading, found, inTexts.hits);
    const known = new Set(byName.map(({ id }) => id));
    return {
      hits: [...byName, ...inTexts.hits.filter(({ id }) => !known.has(id))],
      isComplete: isComplete && inTexts.isComplete,
    };
  };
}

/** The hits by name. One that has the words too has the version and the line with them. */
async function hitsOf(
  reading: Reading,
  found: readonly FoundName[],
  inTexts: readonly Hit[],
): Promise<readonly Hit[]> {
  const described = await reading.described(found.map(({ id }) => id));
  const hits = new Map<string, Hit>();
  for (const { id, session, handle, text } of found) {
    const stored = described.get(id);
    const key = `${id} ${handle === undefined ? "" : session}`;
    if (stored === undefined || hits.has(key)) continue;
    const other = inTexts.find((one) => one.id === id);
    const where = session ?? other?.session;
    hits.set(key, {
      ...reading.named(id, stored),
      by: handle === undefined ? "name" : "handle",
      ...defined({ handle, version: other?.version, session: where }),
      line: other?.line ?? text.slice(0, longestName),
    });
  }
  return [...hits.values()];
}

/** The characters of a name that a hit shows. */
const longestName = 400;

/** Brings the index up to date for a while. Returns whether it has all versions. */
async function update({ store, search }: Reading): Promise<boolean> {
  if (search === undefined) return false;
  const end = Date.now() + indexTime;
  try {
    const { isBehind } = await updateSearch(store, search, { mayContinue: () => Date.now() < end });
    return !isBehind;
  } catch (error) {
    // What the index has is found; a store that cannot be read at all fails with its other questions.
    if (StoreError.is(error)) return false;
    throw error;
  }
}

function bestOfEach(hits: readonly SearchHit[]): readonly SearchHit[] {
  const best = new Map<ObjectId, SearchHit>();
  for (const hit of hits) {
    const known = best.get(hit.id);
    if (known === undefined || (known.score === hit.score && known.version < hit.version))
      best.set(hit.id, hit);
  }
  return [...best.values()];
}

async function named(
  reading: Reading,
  hits: readonly SearchHit[],
  words: string,
): Promise<SearchAnswer["hits"]> {
  const described = await reading.described(hits.map(({ id }) => id));
  const sessions = await sessionsOfChats(reading);
  const found: SearchAnswer["hits"][number][] = [];
  for (const { id, version } of hits) {
    const stored = described.get(id);
    if (stored === undefined) continue;
    const session = sessions.get(chatOf(stored.body) ?? id);
    found.push({
      ...reading.named(id, stored),
      by: "words",
      version,
      ...defined({ session }),
      line: await lineOf(reading, id, version, words),
    });
  }
  return found;
}

async function lineOf(
  { store }: Reading,
  id: ObjectId,
  version: number,
  words: string,
): Promise<string> {
  try {
    const content = (await store.get(id, { version }))?.body.content;
    return typeof content === "string" ? (matchingLine(content, words)?.text ?? "") : "";
  } catch (error) {
    if (isDamage(error)) return "";
    throw error;
  }
}

/** The sessions by the ids of their chats. */
async function sessionsOfChats(reading: Reading): Promise<ReadonlyMap<ObjectId, ObjectId>> {
  const sessions = await reading.sessions();
  return new Map(
    sessions.flatMap(({ body }) => {
      const chat = chatOf(body);
      return chat === undefined ? [] : [[chat, body.id] as const];
    }),
  );
}

function chatOf(body: Readonly<Record<string, unknown>>): ObjectId | undefined {
  const reference = body["chat_ref"];
  return typeof reference === "object" && reference !== null && "id" in reference
    ? (reference.id as ObjectId)
    : undefined;
}
