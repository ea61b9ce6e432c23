import {
  fixedPatience,
  objectId,
  type ObjectStore,
  type Patience,
  type StoredVersion,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

import { allVersions, dynamic, fingerprint, inStore, rejectsWith, sample } from "../samples.ts";
import type { Scenario, StorePlace } from "../store-place.ts";

const a = objectId("a");
const target = objectId("target");

export const lostIsNoticed: Scenario = (createPlace) =>
  inStore(createPlace, async (store, place) => {
    const object = sample("a", { nickname: "name", to: dynamic("target") });
    await store.commit([{ object }], { requestId: "r" });
    const late = await elsewhere(createPlace);
    assert.ok(place.lose, "a place of a losable store has `lose`");
    await place.lose();

    const refusesWrites = async (): Promise<void> => {
      const added = [{ object: sample("late") }];
      await rejectsWith("STORE_LOST", store.commit(added));
      await rejectsWith("STORE_LOST", store.commit(added, { isFollowed: true }));
      await rejectsWith("STORE_LOST", store.commit([{ object }]));
      await rejectsWith("STORE_LOST", store.commit([{ object }], { requestId: "r" }));
      await rejectsWith("STORE_LOST", store.restore([late]));
    };
    await refusesWrites();
    // A store that is not shared cannot be open while there is another one at the place.
    if (!store.supports.shared) await store[Symbol.asyncDispose]();

    await using fresh = await place.open();
    assert.deepEqual(await everything(fresh), nothing);
    const { versions, replayed } = await fresh.commit([{ object }], { requestId: "r" });
    assert.deepEqual([versions[0]?.version, replayed], [1, false]);
    if (store.supports.shared) await refusesWrites();
    await store[Symbol.asyncDispose]();

    await fresh.commit([{ object: sample("b") }]);
    assert.deepEqual(await versionsOf(fresh), ["a 1", "b 1"]);
    if (!store.supports.durable) return;
    await fresh[Symbol.asyncDispose]();
    await using reopened = await place.open();
    assert.deepEqual(await versionsOf(reopened), ["a 1", "b 1"]);
  });

/** Milliseconds. Without patience a store makes one attempt, and with a little it makes some. */
const patiences: readonly number[] = [0, 100];

export const busyStoresNothing: Scenario = async (createPlace) => {
  for (const milliseconds of patiences) {
    await using place = await createPlace();
    await using store = await place.open({ patience: fixedPatience(milliseconds) });
    await store.commit([{ object: sample("old", { count: 1 }) }]);
    const late = await elsewhere(createPlace);
    const before = await everything(store);
    const writes = [
      { object: sample("a", { nickname: "name", to: dynamic("target") }), expect: 0 },
      { object: sample("old", { count: 2 }), expect: 1 },
      { object: sample("b", { content: "text" }) },
    ];

    const lock = await block(place);
    try {
      for (const attempt of [
        () => store.commit(writes, { requestId: "r" }),
        () => store.commit(writes),
        () => store.restore([late]),
      ]) {
        await soon(rejectsWith("STORE_BUSY", attempt()), "the call ends with its patience");
        assert.deepEqual(await soon(everything(store), "reads are answered"), before);
      }
    } finally {
      await lock[Symbol.asyncDispose]();
    }

    assert.deepEqual(await everything(store), before);
    const { versions, replayed } = await store.commit(writes, { requestId: "r" });
    assert.equal(replayed, false);
    assert.deepEqual(
      versions.map(({ version, changed }) => [version, changed]),
      [
        [1, true],
        [2, true],
        [1, true],
      ],
    );
    assert.deepEqual(await versionsOf(store), ["a 1", "b 1", "old 1", "old 2"]);
    if (!store.supports.durable) continue;
    await store[Symbol.asyncDispose]();
    await using reopened = await place.open();
    assert.deepEqual(await versionsOf(reopened), ["a 1", "b 1", "old 1", "old 2"]);
  }
};

/** Milliseconds that the lock lasts after the commit has found it: enough for some attempts. */
const lockLasts = 100;

export const lockIsWaitedFor: Scenario = async (createPlace) => {
  await using place = await createPlace();
  const patience = observedPatience();
  await using store = await place.open({ patience });
  await store.commit([{ object: sample("a", { count: 1 }) }]);
  await using lock = await block(place);
  let isSettled = false;

  const commit = store.commit([{ object: sample("a", { count: 2 }), expect: 1 }]);
  const settled = commit.then(
    () => void (isSettled = true),
    () => void (isSettled = true),
  );
  await soon(Promise.race([patience.found, settled]), "the patience gets a report of the lock");
  await delay(lockLasts);
  assert.equal(isSettled, false, "the commit waits while the lock lasts");
  assert.equal((await store.get(a))?.version, 1);
  await lock[Symbol.asyncDispose]();

  const { versions } = await soon(commit, "the commit resolves when the lock is gone");
  assert.equal(versions[0]?.version, 2);
  assert.equal(patience.isBlocked(), false, "the patience gets a report that the store works");
  assert.deepEqual(await versionsOf(store), ["a 1", "a 2"]);
};

async function block(place: StorePlace): Promise<AsyncDisposable> {
  assert.ok(place.block, "a place of a lockable store has `block`");
  return await place.block();
}

/** A patience that lasts, and that shows what the store reports to it. */
function observedPatience(): Patience & {
  /** Resolves at the first report of a lock. */
  readonly found: Promise<void>;
  /** Whether the last report is one of a lock. */
  isBlocked(): boolean;
} {
  const { promise: found, resolve } = Promise.withResolvers<void>();
  let isBlocked = false;
  return {
    found,
    isBlocked: () => isBlocked,
    left: () => 60_000,
    blocked() {
      isBlocked = true;
      resolve();
    },
    worked() {
      isBlocked = false;
    },
  };
}

/** Milliseconds for what happens at once, also on a busy machine. */
const deadline = 30_000;

/** Rejects if a promise does not settle before the deadline. */
async function soon<Result>(promise: Promise<Result>, what: string): Promise<Result> {
  const end = new AbortController();
  const { signal } = end;
  const late = delay(deadline, undefined, { signal }).then(() => {
    throw new Error(`${what}: not within ${deadline} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    end.abort();
  }
}

/** Returns a version that was made in another place. */
async function elsewhere(createPlace: Parameters<Scenario>[0]): Promise<StoredVersion> {
  let made: StoredVersion | undefined;
  await inStore(createPlace, async (store) => {
    await store.commit([{ object: sample("imported") }]);
    made = await store.get(objectId("imported"));
  });
  assert.ok(made);
  return made;
}

/** The answers of an empty store to `everything`. */
const nothing: Awaited<ReturnType<typeof everything>> = {
  versions: [],
  found: [],
  named: undefined,
  referrers: [],
};

/** Returns what a store answers about the objects of these laws. */
async function everything(store: ObjectStore): Promise<{
  readonly versions: readonly string[];
  readonly found: readonly string[];
  readonly named: string | undefined;
  readonly referrers: readonly string[];
}> {
  return {
    versions: (await allVersions(store)).map(fingerprint),
    found: (await store.find({})).items.map(({ body }) => body.id),
    named: (await store.lookup("name"))?.body.id,
    referrers: (await store.referrers(target)).items.map(({ id }) => id),
  };
}

/** Returns the id and number of each version, sorted. */
async function versionsOf(store: ObjectStore): Promise<readonly string[]> {
  const { versions } = await store.changesSince();
  return versions.map(({ body, version }) => `${body.id} ${version}`).toSorted();
}
