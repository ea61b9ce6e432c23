import {
  canonicalJson,
  defined,
  type FindQuery,
  type JsonValue,
  objectId,
  type ObjectStore,
  StoreError,
  toJson,
  type VersionSelector,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";

import { sampleIds, sampleNicknames } from "./arbitraries.ts";
import { collectVersions } from "./samples.ts";

const ids = [...sampleIds, "r", "s", "nowhere"].map(objectId);

const queries: readonly FindQuery[] = [
  {},
  { where: { type: "file" } },
  { where: { type: "note", flag: true } },
  { where: { size: null } },
  { where: { size: 1 } },
  { where: { size: "1", type: "file" } },
  { where: { path: `/${"long".repeat(100)}` } },
  { where: { "inner.size": 1 } },
  { where: { "provenance.origin": "a test" }, idPrefix: "a" },
  { idPrefix: "\uffee" },
];

/** The number of questions that a store is asked in parallel. This is quicker if each of them goes over a network. */
const atOnce = 8;

/** Asks two stores all questions. Throws at the first answer that differs. */
export async function compareReads(store: ObjectStore, oracle: ObjectStore): Promise<void> {
  const asked = questions(await oracle.changesSince());
  for (let start = 0; start < asked.length; start += atOnce) {
    await Promise.all(
      asked.slice(start, start + atOnce).map(async ([name, ask]) => {
        assert.equal(await outcomeOf(ask(store)), await outcomeOf(ask(oracle)), name);
      }),
    );
  }
}

/** Returns the outcome of a call as a text: its result, or its error. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    return canonicalJson(toJson(withoutUndefined(await call)));
  } catch (error) {
    if (StoreError.is(error)) return `rejects with ${error.code}`;
    if (error instanceof Error && !(error instanceof assert.AssertionError))
      return `rejects with ${error.name}: ${error.message}`;
    throw error;
  }
}

function withoutUndefined(answer: unknown): unknown {
  return answer === undefined ? "undefined" : answer;
}

/** A question to a store, with a text that names it. */
export type Question = readonly [string, (store: ObjectStore) => Promise<unknown>];

/** Returns questions about all objects of a store with the given versions. */
export function questions({
  versions,
}: Awaited<ReturnType<ObjectStore["changesSince"]>>): readonly Question[] {
  const asked: Question[] = [
    ["getMany", (store) => store.getMany(ids)],
    ["describe", (store) => store.describe(ids)],
    [
      "changesSince",
      (store) =>
        pages(
          (after) => store.changesSince(after, { limit: 4, counts: true }),
          "position",
          "versions",
        ),
    ],
  ];
  for (const id of ids) {
    asked.push([`history ${id}`, (store) => store.history(id)]);
    asked.push([`history ${id} in part`, (store) => store.history(id, { after: 1, limit: 2 })]);
    asked.push([`versions ${id}`, (store) => collectVersions(store.versions(id))]);
    for (const kind of [undefined, "static", "dynamic"] as const) {
      const options = kind === undefined ? { limit: 2 } : { limit: 2, kind };
      asked.push([
        `referrers ${id} ${kind ?? ""}`,
        (store) =>
          pages(
            (after) => store.referrers(id, after === undefined ? options : { ...options, after }),
            "next",
            "items",
          ),
      ]);
    }
  }
  for (const nickname of [...sampleNicknames, ...sampleIds]) {
    asked.push([`lookup ${nickname}`, (store) => store.lookup(nickname)]);
  }
  for (const query of queries) {
    for (const order of [{}, { newestFirst: true }, { lastChangedFirst: true }]) {
      const name = `find ${JSON.stringify({ ...query, ...order })}`;
      const page = (store: ObjectStore) => (after: string | undefined) =>
        store.find({ ...query, ...order, limit: 2, ...defined({ after }) });
      asked.push([name, (store) => pages(page(store), "next", "items")]);
    }
  }
  for (const { body, version, at, hashes } of versions) {
    const selectors: readonly VersionSelector[] = [
      { version },
      { txId: at.tx_id },
      { txId: at.tx_id + 1 },
      { txTime: at.tx_time },
      { contentHash: hashes.content_hash },
    ];
    for (const selector of selectors) {
      asked.push([
        `get ${body.id} ${JSON.stringify(selector)}`,
        (store) => store.get(body.id, selector),
      ]);
    }
  }
  return asked;
}

/** Returns all results of a paged query. The cursors are left out, because each store has its own. */
async function pages(
  ask: (after: string | undefined) => Promise<object>,
  cursorField: "next" | "position",
  itemsField: "items" | "versions",
): Promise<JsonValue> {
  const all: JsonValue[] = [];
  let after: string | undefined;
  for (;;) {
    const page = toJson(await ask(after)) as { readonly [field: string]: JsonValue };
    const items = page[itemsField] as readonly JsonValue[];
    all.push(items);
    const cursor = page[cursorField];
    if (items.length === 0 || typeof cursor !== "string") return all;
    after = cursor;
  }
}
