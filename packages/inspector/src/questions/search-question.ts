import { type ObjectId, type SearchHit, StoreError } from "@self-context-manager/objects";
import { matchingLine, updateSearch } from "@self-context-manager/core/documents";

import type { SearchAnswer } from "../answers.ts";
import { isDamage, type Reading, within } from "./reading.ts";

/** The greatest number of hits in an answer, and of those that are asked for, of which an object can have several. */
const mostHits = { shown: 50, asked: 300 };

/** Milliseconds that a search waits until the index has the newest versions. */
const indexTime = 1_500;

/** Searches the contents of all versions by words. */
export function searchQuestion(reading: Reading): (words: string) => Promise<SearchAnswer> {
  /** The update that runs now. Two at once would read the same versions twice. */
  let updating: Promise<boolean> | undefined;
  return async (words) => {
    if (words.trim() === "" || reading.search === undefined)
      return { hits: [], isComplete: reading.search !== undefined };
    let isComplete = false;
    updating ??= update(reading).finally(() => (updating = undefined));
    const ended = updating.then((isWhole) => (isComplete = isWhole));
    await within(ended, indexTime * 2);
    const hits = bestOfEach(await reading.search.search({ words, limit: mostHits.asked }));
    return { hits: await named(reading, hits.slice(0, mostHits.shown), words), isComplete };
  };
}

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
      version,
      ...(session === undefined ? {} : { session }),
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
