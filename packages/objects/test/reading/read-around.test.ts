import * as fc from "fast-check";
import { expect, it } from "vitest";

import { StoreError } from "../../src/errors.ts";
import { readAround } from "../../src/reading/read-around.ts";

it("returns all but the damaged items, in order, and names each damaged one once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 30 }), async (damaged) => {
      const items = damaged.map((_, index) => index);
      const named: number[] = [];

      const found = await readAround(
        items,
        async (some) => {
          if (some.some((item) => damaged[item] === true))
            throw new StoreError("STORE_CORRUPT", "damage");
          return some;
        },
        (item) => named.push(item),
      );

      expect(found).toEqual(items.filter((item) => damaged[item] !== true));
      expect(named).toEqual(items.filter((item) => damaged[item] === true));
    }),
  );
});

it("rejects with any other error", async () => {
  const busy = new StoreError("STORE_BUSY", "locked");

  await expect(
    readAround(
      [1, 2],
      () => Promise.reject(busy),
      () => undefined,
    ),
  ).rejects.toBe(busy);
});
