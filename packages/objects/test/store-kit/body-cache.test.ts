import { expect, it } from "vitest";
import { objectId } from "../../src/model/object-id.ts";
import { bodyCache } from "../../src/store-kit/body-cache.ts";

const [a, b, c] = [objectId("a"), objectId("b"), objectId("c")];

it("keeps entries until their sizes exceed the capacity, and then drops the least recently used one", () => {
  const cache = bodyCache<{ readonly size: number }>(6_000);
  cache.set(a, { size: 1_000 });
  cache.set(b, { size: 1_000 });

  cache.get(a);
  cache.set(c, { size: 1_000 });
  expect([a, b, c].map((id) => cache.get(id)?.size)).toEqual([1_000, 1_000, 1_000]);
  cache.get(a);
  cache.set(c, { size: 1_001 });

  expect([a, b, c].map((id) => cache.get(id)?.size)).toEqual([1_000, undefined, 1_001]);
});

it("keeps the last entry that was set, however large it is", () => {
  const cache = bodyCache<{ readonly size: number }>(10);
  cache.set(a, { size: 1 });

  cache.set(b, { size: 100_000 });

  expect([a, b].map((id) => cache.get(id)?.size)).toEqual([undefined, 100_000]);
});

it("counts an entry that is set again once, and a cleared entry not at all", () => {
  const cache = bodyCache<{ readonly size: number }>(4_000);
  for (let times = 0; times < 9; times += 1) cache.set(a, { size: 1_000 });
  cache.set(b, { size: 1_000 });
  expect([a, b].map((id) => cache.get(id)?.size)).toEqual([1_000, 1_000]);

  cache.clear();
  expect(cache.get(a)).toBeUndefined();
  cache.set(a, { size: 1_000 });
  cache.set(b, { size: 1_000 });

  expect([a, b].map((id) => cache.get(id)?.size)).toEqual([1_000, 1_000]);
});
