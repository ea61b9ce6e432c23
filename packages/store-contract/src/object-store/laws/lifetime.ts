import { objectId } from "@self-context-manager/objects";
import assert from "node:assert/strict";

import { entryOf } from "./documents.ts";
import {
  allVersions,
  collectVersions,
  dynamic,
  fingerprint,
  rejectsWith,
  sample,
} from "../samples.ts";
import type { Scenario } from "../store-place.ts";

const a = objectId("a");

export const closedRejects: Scenario = async (createPlace) => {
  await using place = await createPlace();
  const store = await place.open();
  const pending = store.commit([{ object: sample("a") }]);
  await pending;
  await store[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();

  const calls: readonly Promise<unknown>[] = [
    store.commit([]),
    store.commit([{ object: sample("b") }]),
    store.get(a),
    store.getMany([]),
    store.describe([a]),
    store.history(a),
    collectVersions(store.versions(a)),
    store.find({}),
    store.lookup("x"),
    store.referrers(a),
    store.changesSince(),
    store.restore([]),
    store.rewrite({ objects: [], change: () => undefined }),
    store.privacy(),
    store.documents.position("a parser"),
    store.documents.keep("a parser", [], "1"),
    store.documents.entries("a parser", [a]),
    store.documents.named("a parser", ["x"]),
    store.documents.linking("a parser", ["x"]),
    store.documents.tagged("a parser", "x"),
    store.documents.tags("a parser"),
    store.documents.links("a parser"),
  ];

  for (const outcome of await Promise.allSettled(calls)) {
    assert.equal(outcome.status, "rejected");
    await rejectsWith("STORE_CLOSED", Promise.reject(outcome.reason as Error));
  }
};

export const survivesReopen: Scenario = async (createPlace) => {
  await using place = await createPlace();
  const writes = [{ object: sample("r", { content: "request" }), expect: 0 }];
  const requested = await place.open();
  const first = await requested.commit(writes, { requestId: "r" });
  for (let round = 1; round <= 15; round += 1) {
    const turns = Array.from({ length: round }, (_, index) => ({
      user: `${index} ${"x".repeat(600)}`,
    }));
    const fields = {
      round,
      turns,
      nickname: `name ${round % 2}`,
      to: [dynamic("t"), dynamic("r")],
    };
    await requested.commit([{ object: sample("a", fields) }]);
  }
  await requested.documents.keep("a parser", [entryOf("a")], "7");
  const before = await describeAll(requested);
  await requested[Symbol.asyncDispose]();

  for (let time = 0; time < 2; time += 1) {
    await using again = await place.open();
    assert.deepEqual(await describeAll(again), before);
    assert.deepEqual(await again.commit(writes, { requestId: "r" }), {
      versions: first.versions,
      replayed: true,
    });
  }
  await using again = await place.open();
  const { versions } = await again.commit([{ object: sample("a", { later: true }), expect: 15 }]);
  assert.equal(versions[0]?.version, 16);
  assert.equal(versions[0].at.tx_id > (first.versions[0]?.at.tx_id ?? 0), true);

  async function describeAll(store: typeof requested): Promise<unknown> {
    return {
      versions: (await allVersions(store)).map(fingerprint),
      changes: await store.changesSince(),
      history: await store.history(a),
      read: await collectVersions(store.versions(a)),
      found: await store.find({ where: { type: "note" } }),
      named: await store.lookup("name 1"),
      referrers: await store.referrers(objectId("t")),
      position: await store.documents.position("a parser"),
      documents: await store.documents.entries("a parser", [a]),
      linking: await store.documents.linking("a parser", ["b"]),
    };
  }
};
