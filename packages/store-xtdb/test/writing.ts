import {
  hashObject,
  type ObjectId,
  objectId,
  type ObjectStore,
  StoreError,
} from "@self-context-manager/objects";
import assert from "node:assert/strict";

import { sample } from "./sample.ts";

/** The log that all writers add to. */
const log: ObjectId = objectId("log");

/** What became of what writers were told is stored: the `object_hash` of each entry by its name. */
export type Acknowledged = Map<string, string>;

/** Adds an entry to the log that the writers share, and an object of its name, in each commit; answers how many. */
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
      // The other writer was first, as it may be: look again.
      if (!StoreError.is(error, "VERSION_CONFLICT")) throw error;
    }
  }
  return count;
}

/** Looks whether every entry that was acknowledged is there as it was written, none twice, and no version is missing. */
export async function checkEntries(store: ObjectStore, acknowledged: Acknowledged): Promise<void> {
  const history = await store.history(log);
  const told = history.map(({ body }) => body["entry"]);
  assert.deepEqual(
    history.map(({ version }) => version),
    told.map((_, index) => index + 1),
  );
  const entries = new Set(told);
  assert.equal(entries.size, told.length, "an entry is there twice");
  const names = [...acknowledged.keys()];
  assert.deepEqual(
    names.filter((name) => !entries.has(name)),
    [],
    "entries that were acknowledged are lost",
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
