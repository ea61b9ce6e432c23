import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  objectId,
  type ObjectStore,
  StoreError,
  toJson,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";

import { seededRandom, testScale } from "../../scale.ts";
import { type Question, questions } from "../compare-reads.ts";
import { dynamic, sample } from "../samples.ts";
import type { CreatePlace, Scenario, StorePlace } from "../store-place.ts";
import { entryOf } from "./documents.ts";

const parser = "a parser";

/** Number of places that are damaged, one after the other. With fewer, the planted faults are not found. */
const places = testScale.isLong ? 200 : 8;

export const readsAreChecked: Scenario = async (createPlace) =>
  await checkDamagedReads(createPlace, places);

/**
 * Damages a filled store at places, one after the other. Throws at the first answer that is not what was stored, less of
 * it, or a `StoreError`.
 */
export async function checkDamagedReads(createPlace: CreatePlace, count: number): Promise<void> {
  await using place = await createPlace();
  assert.ok(place.damage, "a place of a durable store has `damage`");
  await fill(place);
  const asked = await questionsAt(place);
  const sound = await answersOf(place, asked);
  const random = seededRandom(testScale.seed);
  for (let number = 0; number < count; number += 1) {
    await using _ = await place.damage(random);
    const found = await answersOf(place, asked);
    for (const [name] of asked) {
      const [answer, expected] = [found.get(name), sound.get(name)];
      assert.ok(
        isTrue(answer, expected),
        `place ${number}, ${name} (seed ${testScale.seed}): ${brief(answer)} instead of ${brief(expected)} or an error`,
      );
    }
  }
}

/** Number of questions that a store is asked in parallel. */
const atOnce = 8;

/** Stores objects with several versions, texts of all lengths, references, nicknames and entries of documents. */
async function fill(place: StorePlace): Promise<void> {
  await using store = await place.open();
  const turns: JsonObject[] = [];
  for (let count = 1; count <= 9; count += 1) {
    turns.push({ user: `turn ${count}`, steps: [dynamic("b"), `step ${count} `.repeat(count)] });
    await store.commit([
      { object: sample("a", { turns: [...turns], count, nickname: "x" }) },
      { object: sample("b", { content: `text ${count} `.repeat(count * 40), size: count }) },
    ]);
    if (count % 3 === 0)
      await store.commit([
        { object: sample("c", { content: "the same", to: dynamic("a"), type: "file", count }) },
        { object: sample(`d${count}`, { nickname: `y${count}`, args: { to: dynamic("c") } }) },
      ]);
  }
  const ids = ["a", "b", "c"];
  const { position } = await store.changesSince();
  await store.documents.keep(
    parser,
    ids.map((id) => entryOf(id)),
    position,
  );
}

/** Returns the questions about the store at a place: those of all stores, and some about documents. */
async function questionsAt(place: StorePlace): Promise<readonly Question[]> {
  await using store = await place.open();
  const ids = ["a", "b", "c"].map(objectId);
  return [
    ...questions(await store.changesSince()),
    ["entries", ({ documents }) => documents.entries(parser, ids)],
    ["named", ({ documents }) => documents.named(parser, ["n"])],
    ["linking", ({ documents }) => documents.linking(parser, ["b"])],
    ["tagged", ({ documents }) => documents.tagged(parser, "t")],
    ["links", ({ documents }) => documents.links(parser)],
  ];
}

type Answers = ReadonlyMap<string, JsonValue | Error>;

async function answersOf(place: StorePlace, asked: readonly Question[]): Promise<Answers> {
  let store: ObjectStore;
  try {
    store = await place.open();
  } catch (error) {
    return new Map(asked.map(([name]) => [name, asError(error)]));
  }
  const answers = new Map<string, JsonValue | Error>();
  try {
    for (let start = 0; start < asked.length; start += atOnce) {
      const part = asked.slice(start, start + atOnce);
      const found = await Promise.all(
        part.map(async ([, ask]) => ask(store).then((answer) => toJson(answer ?? null), asError)),
      );
      for (const [index, [name]] of part.entries()) answers.set(name, found[index] ?? null);
      // Each call to a store that has gone waits for its limit, so the others are not made.
      const [gone] = found;
      if (found.every((one) => StoreError.is(one, "STORE_UNAVAILABLE")) && gone !== undefined)
        return new Map(asked.map(([name]) => [name, answers.get(name) ?? gone]));
    }
  } finally {
    await store[Symbol.asyncDispose]();
  }
  return answers;
}

function asError(error: unknown): Error {
  assert.ok(StoreError.is(error), `a StoreError was expected, not ${String(error)}`);
  return error;
}

/** Whether an answer is the expected one, less than it, or an error. Less is null, or a list with fewer items. */
function isTrue(
  answer: JsonValue | Error | undefined,
  expected: JsonValue | Error | undefined,
): boolean {
  if (answer instanceof Error || answer === null) return true;
  if (answer === undefined || expected === undefined || expected instanceof Error) return false;
  if (Array.isArray(answer) && Array.isArray(expected)) {
    const items = itemsOf(expected);
    return itemsOf(answer).every((item) => item === "null" || items.includes(item));
  }
  return canonicalJson(answer) === canonicalJson(expected);
}

/** Returns the items of a list, or of the pages of a list. */
function itemsOf(list: readonly JsonValue[]): readonly string[] {
  return list.flat().map((item) => canonicalJson(item));
}

function brief(answer: JsonValue | Error | undefined): string {
  if (answer instanceof Error) return String(answer);
  return answer === undefined ? "nothing" : canonicalJson(answer).slice(0, 400);
}
