import {
  canonicalJson,
  defined,
  exportObjects,
  importObjects,
  type JsonObject,
  type JsonValue,
  objectId,
  type ObjectStore,
  type SealedObject,
  sealObject,
  type StoredVersion,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";
import * as fc from "fast-check";

import { testScale } from "../scale.ts";
import { arbitraryFields, sampleIds, sampleNicknames } from "./arbitraries.ts";
import { compareReads, outcomeOf } from "./compare-reads.ts";
import { collect, sample } from "./samples.ts";
import type { CreatePlace } from "./store-place.ts";

/** One event for a store. Numbers are adapted to the store's state at the time of the event. */
type Step =
  | {
      readonly type: "commit";
      readonly writes: readonly Write[];
      readonly request: number | undefined;
      readonly tick: number;
    }
  | { readonly type: "grow"; readonly id: string; readonly item: JsonObject; readonly tick: number }
  | { readonly type: "repeat"; readonly id: string }
  | { readonly type: "restore"; readonly restored: readonly Restored[]; readonly gaps: boolean }
  | {
      readonly type: "rewrite";
      readonly ids: readonly string[];
      readonly remove: readonly string[];
      readonly every: number;
      readonly nickname: string | undefined;
    }
  | { readonly type: "reopen" };

interface Write {
  readonly id: string;
  readonly fields: JsonObject;
  readonly expect: "none" | "latest" | "stale";
}

interface Restored {
  readonly id: string;
  readonly fields: JsonObject;
  readonly ahead: number;
  readonly txId: number;
}

const arbitraryWrite: fc.Arbitrary<Write> = fc.record({
  id: fc.constantFrom(...sampleIds),
  fields: arbitraryFields,
  expect: fc.constantFrom("none", "none", "latest", "stale"),
});

const tick = fc.constantFrom(0, 0, 1, 7, -5);

const arbitraryStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("commit" as const),
      writes: fc.array(arbitraryWrite, { minLength: 1, maxLength: 3 }),
      request: fc.option(fc.nat(2), { nil: undefined, freq: 3 }),
      tick,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("grow" as const),
      id: fc.constantFrom("a", "b"),
      item: arbitraryFields,
      tick,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("repeat" as const),
      id: fc.constantFrom(...sampleIds),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("restore" as const),
      restored: fc.array(
        fc.record({
          id: fc.constantFrom("a", "r", "s"),
          fields: arbitraryFields,
          ahead: fc.constantFrom(1, 1, 1, 0, 2),
          txId: fc.integer({ min: 1, max: 60 }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      gaps: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("rewrite" as const),
      ids: fc.subarray(["a", "b", "r"]),
      remove: fc.subarray(["c", "s", "nowhere"]),
      every: fc.integer({ min: 1, max: 3 }),
      nickname: fc.option(fc.constantFrom(...sampleNicknames), { nil: undefined, freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reopen" as const) }) },
);

export interface RandomHistories {
  readonly createPlace: CreatePlace;
  /** Creates an empty store that is known to be right. */
  readonly createOracle: (clock: { now(): number }) => ObjectStore;
  readonly runs: number;
  /**
   * All answers are compared each time after this many steps, and after the last step. Default: 1. The outcome of
   * each step is always compared.
   */
  readonly compareEvery?: number;
  /** Milliseconds after which no further history is started. Default: ten minutes. */
  readonly timeLimit?: number;
}

/**
 * Runs random histories on a store and on one that is known to be right, and compares the answers of both. Returns
 * the number of steps. Rejects with the seed and the shortest history in which their answers differ.
 */
export async function checkRandomHistories({
  createPlace,
  createOracle,
  runs,
  compareEvery = 1,
  timeLimit = 600_000,
}: RandomHistories): Promise<number> {
  let done = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryStep, { minLength: 1, maxLength: 14 }), async (steps) => {
      await runHistory(steps, createPlace, createOracle, compareEvery);
      done += steps.length;
    }),
    {
      numRuns: runs,
      seed: testScale.seed,
      interruptAfterTimeLimit: timeLimit,
      markInterruptAsFailure: false,
      includeErrorInReport: true,
    },
  );
  return done;
}

async function runHistory(
  steps: readonly Step[],
  createPlace: CreatePlace,
  createOracle: RandomHistories["createOracle"],
  compareEvery: number,
): Promise<void> {
  let now = Date.UTC(2026, 0, 1);
  const clock = { now: () => now };
  await using place = await createPlace();
  await using oracle = createOracle(clock);
  let store = await place.open({ clock });
  try {
    for (const [index, step] of steps.entries()) {
      if (step.type === "reopen") {
        if (!store.supports.durable) continue;
        await store[Symbol.asyncDispose]();
        store = await place.open({ clock });
      } else {
        if (step.type === "commit" || step.type === "grow") now += step.tick;
        const apply = await prepare(step, oracle);
        assert.equal(await outcomeOf(apply(store)), await outcomeOf(apply(oracle)));
      }
      const isDue = (index + 1) % compareEvery === 0 || index === steps.length - 1;
      if (isDue) await compareReads(store, oracle);
    }
    await comparePortable(store, oracle, createPlace);
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

/** Returns the operation of a step, to be applied to both stores. */
async function prepare(
  step: Exclude<Step, { readonly type: "reopen" }>,
  oracle: ObjectStore,
): Promise<(store: ObjectStore) => Promise<unknown>> {
  const versionOf = async (id: string): Promise<number> =>
    (await oracle.get(objectId(id)))?.version ?? 0;
  switch (step.type) {
    case "commit": {
      const writes = await Promise.all(
        step.writes.map(async ({ id, fields, expect }) => {
          const object = sample(id, own(id, fields));
          if (expect === "none") return { object };
          return {
            object,
            expect: Math.max(0, (await versionOf(id)) - (expect === "stale" ? 1 : 0)),
          };
        }),
      );
      const options = step.request === undefined ? {} : { requestId: `request ${step.request}` };
      return (store) => store.commit(writes, options);
    }
    case "grow": {
      // The session's chat grows in this way: the next version contains the same JavaScript objects as the previous
      // one.
      const latest = await oracle.get(objectId(step.id));
      const turns = (latest?.body["turns"] ?? []) as readonly JsonValue[];
      const said = step.item["content"];
      const content = (latest?.body.content ?? "") + (typeof said === "string" ? said : "");
      const object = sample(step.id, { turns: [...turns, step.item], content });
      return (store) => store.commit([{ object }]);
    }
    case "repeat": {
      const latest = await oracle.get(objectId(step.id));
      const writes = latest === undefined ? [] : [{ object: sample(step.id, { ...latest.body }) }];
      return (store) => store.commit(writes);
    }
    case "rewrite": {
      const { every, nickname } = step;
      const change = ({ body, version }: StoredVersion): SealedObject | undefined => {
        if (version % every > 0) return undefined;
        const { nickname: _, ...others } = body;
        const content = `[forgotten] ${"mark ".repeat(version * 60)}`;
        return sealObject({ ...others, content, ...defined({ nickname }), id: body.id });
      };
      const ids = step.ids.map(objectId);
      return (store) => store.rewrite({ objects: ids, change, remove: step.remove.map(objectId) });
    }
    case "restore": {
      const versions: StoredVersion[] = [];
      for (const { id, fields, ahead, txId } of step.restored) {
        const { body, hashes } = sample(id, own(id, fields));
        const earlier = versions.filter((restored) => restored.body.id === id).length;
        const version = Math.max(1, (await versionOf(id)) + earlier + ahead);
        versions.push({
          body,
          hashes,
          version,
          at: { tx_id: txId, tx_time: new Date(Date.UTC(2026, 0, 1) + txId).toISOString() },
        });
      }
      return (store) => store.restore(versions, { gaps: step.gaps });
    }
  }
}

/** Returns the fields without a nickname that equals the object's id, because no store accepts such a nickname. */
function own(id: string, fields: JsonObject): JsonObject {
  if (fields["nickname"] !== id) return fields;
  const { nickname: _, ...others } = fields;
  return others;
}

async function comparePortable(
  store: ObjectStore,
  oracle: ObjectStore,
  createPlace: CreatePlace,
): Promise<void> {
  const lines = await collect(exportObjects(store));
  assert.deepEqual(lines, await collect(exportObjects(oracle)));
  await using place = await createPlace();
  await using copy = await place.open();
  await importObjects(copy, () => lines);
  assert.equal(canonicalJson([...(await collect(exportObjects(copy)))]), canonicalJson([...lines]));
}
