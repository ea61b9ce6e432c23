import {
  hashObject,
  type ObjectId,
  objectId,
  type ObjectStore,
  StoreError,
} from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract/store-child";
import assert from "node:assert/strict";

/** The id of the log object that all writers share. */
const log: ObjectId = objectId("log");

/** The `object_hash` of each acknowledged entry by its name. */
export type Acknowledged = Map<string, string>;

/** Adds an entry to the shared log, and an object with the entry's name, in each commit. Returns the number of entries. */
export async function writeEntries(
  store: ObjectStore,
  name: string,
  acknowledge: (entry: string, objectHash: string) => void,
  isOver: () => boolean,
): Promise<number> {
  let count = 0;
  while (!isOver()) {
    const entry = `${name}-${count}`;
    const own = sample(entry, { content: `${entry} ${"x".repeat(1500)}` });
    const latest = await store.get(log);
    try {
      await store.commit([
        { object: sample("log", { entry }), expect: latest?.version ?? 0 },
        { object: own, expect: 0 },
      ]);
      acknowledge(entry, own.hashes.object_hash);
      count += 1;
    } catch (error) {
      // The other writer committed first, which is allowed. The loop reads the log again.
      if (!StoreError.is(error, "VERSION_CONFLICT")) throw error;
    }
  }
  return count;
}

/** Checks that each acknowledged entry is stored unchanged and once, and that the log has no gap in its versions. */
export async function checkEntries(store: ObjectStore, acknowledged: Acknowledged): Promise<void> {
  const history = await store.history(log);
  const logged = history.map(({ body }) => body["entry"]);
  assert.deepEqual(
    history.map(({ version }) => version),
    logged.map((_, index) => index + 1),
  );
  const entries = new Set(logged);
  assert.equal(entries.size, logged.length, "an entry is stored twice");
  const names = [...acknowledged.keys()];
  assert.deepEqual(
    names.filter((name) => !entries.has(name)),
    [],
    "acknowledged entries are missing",
  );
  for (let start = 0; start < names.length; start += 200) {
    const part = names.slice(start, start + 200);
    const stored = await store.getMany(part.map((name) => objectId(name)));
    assert.deepEqual(
      stored.map((one) => one && hashObject(one.body).object_hash),
      part.map((name) => acknowledged.get(name)),
    );
  }
}
