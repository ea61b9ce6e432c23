import { objectId, type ObjectStore, sealObject } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, test } from "vitest";

import { forget } from "../../src/forget/forget.ts";
import { literalPlaces } from "../../src/forget/literal-places.ts";
import { planForget } from "../../src/forget/plan-forget.ts";

const key = "the key of production";
const target = { matches: (text: string) => literalPlaces(text, key) };

let stored = 0;

async function storeKey(store: ObjectStore): Promise<void> {
  const provenance = { origin: "a test", generator: "tool" } as const;
  const body = {
    id: objectId(`note-${(stored += 1)}`),
    type: "note",
    locked: false,
    content: key,
    provenance,
  };
  await store.commit([{ object: sealObject(body), expect: 0 }]);
}

/** A store to which another program adds the key again after each of the first rewrites. */
function storeWithWriter(times: number): ObjectStore {
  const store = memoryStore();
  let left = times;
  return {
    ...store,
    async rewrite(request) {
      const result = await store.rewrite(request);
      left -= 1;
      if (left >= 0) await storeKey(store);
      return result;
    },
  };
}

async function forgetKey(store: ObjectStore): Promise<number> {
  const options = {
    at: "2026-11-30T10:00:00.000Z",
    reason: "a test",
    key: (await store.privacy()).key,
  };
  const plan = await planForget(store, target, options);
  return (await forget(store, plan, target, options)).changed;
}

test("what a program stores meanwhile is forgotten too", async () => {
  const store = storeWithWriter(5);
  await storeKey(store);

  await expect(forgetKey(store)).resolves.toBe(6);
});

test("a program that stores it again and again is named in an error", async () => {
  const store = storeWithWriter(Number.POSITIVE_INFINITY);
  await storeKey(store);

  await expect(forgetKey(store)).rejects.toMatchObject({
    code: "STORE_BUSY",
    message: expect.stringContaining("after 6 rewrites it is still there"),
  });
});
