import {
  exportObjects,
  importObjects,
  type JsonObject,
  objectId,
  type ObjectStore,
  resolveReference,
  sealObject,
  staticReference,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";

import { dynamic, inStore, sample, sampleBody } from "../samples.ts";
import type { Scenario } from "../store-place.ts";

const a = objectId("a");
const holder = objectId("holder");

export const referencesResolve: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    for (let round = 1; round <= 12; round += 1) {
      const entries = Array.from({ length: round }, (_, index) => `row ${index}`);
      await store.commit([
        { object: sample("a", { content: round % 4 === 0 ? null : `text ${round}`, entries }) },
      ]);
    }
    const versions = await store.history(a);
    const references = versions.map((stored) => staticReference(stored));
    await store.commit([
      { object: sealObject(sampleBody("holder", { references, latest: dynamic("a") })) },
    ]);

    await store.commit([{ object: sample("named", { nickname: "the plan", content: "do it" }) }]);

    await assertResolves(store);
    await inStore(createPlace, async (copy) => {
      await importObjects(copy, () => exportObjects(store));
      await assertResolves(copy);

      await copy.commit([{ object: sample("a", { content: "made here" }) }]);
      const latest = await resolveReference(copy, dynamic("a"));
      assert.equal(latest.stored?.version, 13);
      await assertResolves(copy, 13);
    });
  });

/**
 * Checks that each of the holder's references resolves to its version, verified, and that a reference without a
 * target is reported as missing.
 */
async function assertResolves(store: ObjectStore, latest = 12): Promise<void> {
  const body: JsonObject = (await store.get(holder))?.body ?? {};
  const references = body["references"] as readonly ReturnType<typeof staticReference>[];
  assert.equal(references.length, 12);
  for (const [index, reference] of references.entries()) {
    const { stored, isVerified, problem } = await resolveReference(store, reference);
    assert.deepEqual(
      { version: stored?.version, isVerified, problem },
      {
        version: index + 1,
        isVerified: true,
        problem: undefined,
      },
    );
    assert.deepEqual(stored && staticReference(stored), reference);
  }
  const head = await resolveReference(store, body["latest"] as ReturnType<typeof dynamic>);
  assert.deepEqual([head.stored?.version, head.isVerified], [latest, true]);
  const [first] = references;
  assert.ok(first);
  const other = await resolveReference(store, { ...first, object_hash: "0".repeat(64) });
  assert.deepEqual([other.isVerified, other.problem?.type], [false, "other"]);
  const between = await resolveReference(store, { ...first, tx_id: first.tx_id - 1 });
  assert.deepEqual([between.stored, between.problem?.type], [undefined, "missing"]);
  const nowhere = await resolveReference(store, dynamic("nowhere"));
  assert.deepEqual([nowhere.stored, nowhere.problem?.type], [undefined, "missing"]);
  const late = await resolveReference(store, { ...first, tx_time: "2001-01-01T00:00:00.000Z" });
  assert.deepEqual([late.isVerified, late.problem?.type], [false, "other"]);
  await assertOtherForms(store, references);
}

/** Checks references without a transaction id, as the specification has them, by nickname and with a field. */
async function assertOtherForms(
  store: ObjectStore,
  references: readonly ReturnType<typeof staticReference>[],
): Promise<void> {
  for (const [index, reference] of references.entries()) {
    const { tx_id: _, ...timed } = reference;
    const byTime = await resolveReference(store, timed);
    assert.deepEqual([byTime.stored?.version, byTime.isVerified], [index + 1, true], "by its time");
  }
  const [first] = references;
  assert.ok(first);
  const byHash = { ref: "static", id: "a", content_hash: first.content_hash } as const;
  const found = await resolveReference(store, { ...byHash, field: "content" });
  assert.deepEqual([found.stored?.version, found.value], [1, "text 1"], "by its content hash");
  const entry = await resolveReference(store, { ...first, field: "/entries/0" });
  assert.deepEqual([entry.value, entry.isVerified], ["row 0", true], "a place in a field");
  const noField = await resolveReference(store, { ...first, field: "/entries/99" });
  assert.deepEqual([noField.value, noField.problem?.type], [undefined, "missing"], "no such field");
  const byName = await resolveReference(store, { ref: "dynamic", id: "the plan" });
  assert.deepEqual([byName.stored?.body.id, byName.isVerified], ["named", true], "by nickname");
  const nothing = await resolveReference(store, { ref: "static", id: "a" });
  assert.deepEqual([nothing.stored, nothing.problem?.type], [undefined, "missing"], "no version");
}

/** Values whose field order is the only difference between versions with equal hashes. */
const said: readonly JsonObject[] = [
  { zebra: 1, apple: { y: [{ b: 1, a: 2 }], x: null }, "10": 1, "9": 2 },
  { apple: 1, zebra: 2, middle: { z: "", a: "~#1" } },
  {
    type: "toolCall",
    id: "c",
    name: "bash",
    arguments: { timeout: 9, command: "x".repeat(3_000) },
  },
];

export const orderSurvives: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const expected: string[] = [];
    for (const [index, args] of said.entries()) {
      const turns = said
        .slice(0, index + 1)
        .map((one) => ({ user: [one], steps: [{ opaque: { z: 1, a: one } }] }));
      expected.push(JSON.stringify([args, turns]));
      await store.commit([
        { object: sample("a", { type: "toolcall", args }) },
        { object: sample("chat", { type: "chat", turns }) },
      ]);
    }

    await assertOrder(store, expected);
    await inStore(createPlace, async (copy) => {
      await importObjects(copy, () => exportObjects(store));
      await assertOrder(copy, expected, true);
    });
  });

async function assertOrder(
  store: ObjectStore,
  expected: readonly string[],
  isImported = false,
): Promise<void> {
  for (const [index, text] of expected.entries()) {
    const at = { version: index + 1 };
    const call = (await store.get(a, at))?.body;
    const turns = (await store.get(objectId("chat"), at))?.body["turns"] as readonly JsonObject[];
    // An export sorts the fields that the context manager defines. It keeps the order of the fields in messages and
    // arguments.
    const inOrder = isImported ? turns.map(({ user, steps }) => ({ user, steps })) : turns;
    assert.equal(JSON.stringify([call?.["args"], inOrder]), text, `version ${index + 1}`);
  }
}
