import {
  type CommitResult,
  defined,
  objectId,
  type ObjectStore,
  type ObjectWrite,
  type StaticReference,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";

import { dynamic, inStore, rejectsWith, sample } from "../samples.ts";
import type { Scenario } from "../store-place.ts";

const a = objectId("a");
const b = objectId("b");

export const readYourWrites: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    for (let count = 1; count <= 3; count += 1) {
      const object = sample("a", {
        count,
        content: `text ${count}`,
        nickname: `name ${count}`,
        to: dynamic("b"),
      });

      await store.commit([{ object }]);

      assert.deepEqual((await store.get(a))?.body, object.body);
      assert.deepEqual((await store.getMany([a]))[0]?.body, object.body);
      assert.equal((await store.describe([a]))[0]?.version, count);
      assert.equal((await store.history(a)).length, count);
      assert.equal((await store.find({ where: { count } })).items.length, 1);
      assert.equal((await store.lookup(`name ${count}`))?.body.id, a);
      assert.equal((await store.referrers(b)).items.length, 1);
      assert.equal((await store.changesSince()).versions.length, count);
    }
  });

export const commitIsAtomic: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await store.commit([{ object: sample("old", { nickname: "taken", count: 1 }) }]);
    const before = await store.changesSince();
    const fresh = { object: sample("a", { nickname: "mine", to: dynamic("b") }) };
    const changed = { object: sample("old", { nickname: "taken", count: 2 }) };

    await rejectsWith(
      "VERSION_CONFLICT",
      store.commit([fresh, changed, { object: sample("b"), expect: 7 }]),
    );
    await rejectsWith(
      "NICKNAME_TAKEN",
      store.commit([fresh, changed, { object: sample("c", { nickname: "taken" }) }]),
    );
    await assert.rejects(store.commit([fresh, changed, fresh]), TypeError);

    assert.equal(await store.get(a), undefined);
    assert.equal((await store.get(objectId("old")))?.version, 1);
    assert.deepEqual(await store.history(a), []);
    assert.deepEqual((await store.find({ where: { nickname: "mine" } })).items, []);
    assert.equal((await store.find({})).items.length, 1);
    assert.equal(await store.lookup("mine"), undefined);
    assert.deepEqual((await store.referrers(b)).items, []);
    assert.deepEqual((await store.changesSince(before.position)).versions, []);

    const done = await store.commit([fresh, changed]);
    assert.equal(new Set(done.versions.map(({ at }) => at.tx_id)).size, 1);
  });

export const nextFollowsAtOnce: Scenario = (createPlace) =>
  inStore(createPlace, async (store, place) => {
    const noted = await commitNoted(store, { count: 1 });

    const [first, second] = noted.versions;
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual(
      noted.versions.map(({ id, version, changed }) => [id, version, changed]),
      [
        [a, 1, true],
        [b, 1, true],
      ],
    );
    assert.equal(second.at.tx_id, first.at.tx_id + 1);
    assert.equal((await store.get(b))?.body["of"], first.at.tx_id);
    assert.equal((await store.get(b, { txId: first.at.tx_id })) ?? null, null);
    assert.equal((await store.get(a, { txId: first.at.tx_id }))?.version, 1);
    const { versions } = await store.changesSince();
    assert.deepEqual(
      versions.map(({ body }) => body.id),
      [a, b],
    );

    await refusesBoth(store);

    // Others commit in between, and objects are changed that this store has not read.
    await using other = store.supports.shared ? await place.open() : undefined;
    const writer = other ?? store;
    for (let count = 2; count <= 4; count += 1) {
      await writer.commit([
        { object: sample("b", { count }) },
        { object: sample("between", { count }) },
      ]);
      const later = await commitNoted(store, { count });
      assert.equal(later.versions.at(-1)?.at.tx_id, (later.versions[0]?.at.tx_id ?? 0) + 1);
      assert.equal(later.versions.at(-1)?.version, 2 * count - 1);
      assert.equal((await writer.get(b))?.body["of"], later.versions[0]?.at.tx_id);
    }
    const last = (await store.get(a))?.at;
    const unchanged = await commitNoted(store, { count: 4, also: true });
    assert.deepEqual(unchanged.versions[0], { id: a, version: 4, at: last, changed: false });
    assert.equal((await store.get(b))?.body["of"], last?.tx_id);
  });

/** Commits an object, and another one that has the number of the first one's transaction. */
async function commitNoted(
  store: ObjectStore,
  { count, also = false }: { readonly count: number; readonly also?: boolean },
): Promise<CommitResult> {
  const nickname = count % 2 === 0 ? {} : { nickname: `two ${count}` };
  return await store.commit([{ object: sample("a", { count, nickname: "one" }) }], {
    next: ([made]) => [{ object: sample("b", { of: made?.at.tx_id ?? null, also, ...nickname }) }],
  });
}

/** Checks that neither transaction of a commit with `next` is stored if one is refused. */
async function refusesBoth(store: ObjectStore): Promise<void> {
  const before = await store.changesSince();
  const fresh = { object: sample("fresh", { nickname: "new" }) };
  const further = { object: sample("further") };

  await rejectsWith(
    "VERSION_CONFLICT",
    store.commit([fresh], { next: () => [further, { object: sample("b"), expect: 7 }] }),
  );
  await rejectsWith(
    "NICKNAME_TAKEN",
    store.commit([fresh], { next: () => [{ object: sample("further", { nickname: "one" }) }] }),
  );
  await rejectsWith(
    "VERSION_CONFLICT",
    store.commit([{ ...fresh, expect: 7 }], { next: () => [further] }),
  );
  await assert.rejects(store.commit([fresh], { next: () => [fresh] }), TypeError);
  await assert.rejects(
    store.commit([fresh], { next: () => [further], requestId: "request" }),
    TypeError,
  );

  assert.deepEqual((await store.changesSince(before.position)).versions, []);
  assert.deepEqual(await store.getMany([objectId("fresh"), objectId("further")]), [
    undefined,
    undefined,
  ]);
  assert.equal(await store.lookup("new"), undefined);
}

export const unchangedAddsNoVersion: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    const object = sample("a", {
      one: 1,
      two: { x: 1, y: 2 },
      turns: [{ user: "hello" }],
      to: pointTo(1),
    });
    const first = (await store.commit([{ object }])).versions[0];
    const reordered = sample("a", {
      to: pointTo(2),
      turns: [{ user: "hello" }],
      two: { y: 2, x: 1 },
      one: 1,
    });

    const again = await store.commit([{ object: reordered, expect: 1 }, { object: sample("b") }]);

    assert.deepEqual(again.versions[0], { id: a, version: 1, at: first?.at, changed: false });
    assert.equal(again.versions[1]?.changed, true);
    assert.equal((await store.history(a)).length, 1);
    assert.equal((await store.changesSince()).versions.length, 2);
    assert.equal(
      (await store.commit([{ object: sample("a", { one: 2 }) }])).versions[0]?.changed,
      true,
    );
    assert.equal((await store.commit([{ object }])).versions[0]?.version, 3);
    await rejectsWith("VERSION_CONFLICT", store.commit([{ object, expect: 1 }]));
  });

function pointTo(txId: number): StaticReference {
  return {
    ref: "static",
    id: b,
    tx_id: txId,
    tx_time: new Date(txId).toISOString(),
    content_hash: "c",
    metadata_view_hash: "m",
    object_hash: "o",
  };
}

export const compareAndSet: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    for (let expect = 0; expect < 4; expect += 1) {
      const attempts = Array.from({ length: 6 }, (_, index) =>
        store.commit([{ object: sample("a", { expect, index }), expect }]),
      );

      const outcomes = await Promise.allSettled(attempts);

      assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
      for (const attempt of attempts)
        await attempt.catch((error) => rejectsWith("VERSION_CONFLICT", Promise.reject(error)));
      assert.equal((await store.get(a))?.version, expect + 1);
    }
    await rejectsWith(
      "VERSION_CONFLICT",
      store.commit([{ object: sample("a", { late: true }), expect: 0 }]),
    );
    await rejectsWith(
      "VERSION_CONFLICT",
      store.commit([{ object: sample("a", { early: true }), expect: 5 }]),
    );
    await rejectsWith("VERSION_CONFLICT", store.commit([{ object: sample("b"), expect: 1 }]));
  });

export const requestIdReplays: Scenario = (createPlace) =>
  inStore(createPlace, async (store, place) => {
    const writes = [{ object: sample("a", { count: 1 }), expect: 0 }, { object: sample("b") }];
    const first = await store.commit(writes, { requestId: "r" });
    await store.commit([{ object: sample("a", { count: 2 }) }]);

    const again = await store.commit(writes, { requestId: "r" });

    assert.equal(first.replayed, false);
    assert.deepEqual(again, { versions: first.versions, replayed: true });
    assert.equal((await store.get(a))?.version, 2);
    assert.equal((await store.changesSince()).versions.length, 3);
    for (const other of [
      [writes[0]],
      [{ object: sample("a", { count: 3 }), expect: 0 }, writes[1]],
      [{ object: sample("a", { count: 1 }), expect: 2 }, writes[1]],
    ]) {
      const present = other.filter((write) => write !== undefined);
      await rejectsWith("REQUEST_CONFLICT", store.commit(present, { requestId: "r" }));
    }
    const refused = [{ object: sample("c"), expect: 1 }];
    await rejectsWith("VERSION_CONFLICT", store.commit(refused, { requestId: "s" }));
    await store.commit([{ object: sample("c") }]);
    const late = await store.commit([{ object: sample("c", { n: 1 }), expect: 1 }], {
      requestId: "s",
    });
    assert.equal(late.replayed, false);
    if (!store.supports.durable) return;
    await store[Symbol.asyncDispose]();
    await using reopened = await place.open();
    assert.deepEqual(await reopened.commit(writes, { requestId: "r" }), again);
    await rejectsWith("REQUEST_CONFLICT", reopened.commit(refused, { requestId: "r" }));
  });

export const nicknameIsUnique: Scenario = (createPlace) =>
  inStore(createPlace, async (store) => {
    await store.commit([named("a", "x"), named("b", "y")]);

    await rejectsWith("NICKNAME_TAKEN", store.commit([named("c", "x")]));
    await rejectsWith("NICKNAME_TAKEN", store.commit([named("b", "x")]));
    await rejectsWith("NICKNAME_TAKEN", store.commit([named("c", "b")]));
    await rejectsWith("NICKNAME_TAKEN", store.commit([named("x")]));
    await rejectsWith("NICKNAME_TAKEN", store.commit([named("c", "z"), named("d", "z")]));
    await rejectsWith("NICKNAME_TAKEN", store.commit([named("c", "d"), named("d")]));

    await store.commit([named("a", "y"), named("b", "x")]);
    assert.equal((await store.lookup("x"))?.body.id, b);
    assert.equal((await store.lookup("y"))?.body.id, a);
    await store.commit([named("b"), named("c", "x")]);
    assert.equal((await store.lookup("x"))?.body.id, "c");
    await store.commit([named("a", "w")]);
    assert.equal(await store.lookup("y"), undefined);
    await store.commit([named("y")]);
    assert.equal(await store.lookup("y"), undefined);
  });

function named(id: string, nickname?: string): ObjectWrite {
  return { object: sample(id, defined({ nickname })) };
}
