import { type Patience, StoreError } from "@self-context-manager/objects";
import { sample } from "@self-context-manager/store-contract";
import { expect, it } from "vitest";

import { openSqliteStore } from "../src/index.ts";
import { lockFile } from "./lock-file.ts";
import { sqlitePlace } from "./sqlite-place.ts";

/** A patience that ends at the first lock and begins again when a store works. */
function oneWait(milliseconds: number): Patience & { readonly isBlocked: () => boolean } {
  let isBlocked = false;
  return {
    isBlocked: () => isBlocked,
    left: () => (isBlocked ? 0 : milliseconds),
    blocked: () => void (isBlocked = true),
    worked: () => void (isBlocked = false),
  };
}

const write = (id: string) => [{ object: sample(id) }];

it("waits for a lock once, and not for later commits while the lock lasts", async () => {
  await using place = await sqlitePlace();
  await using store = await openSqliteStore({ path: place.path, patience: oneWait(1_000) });
  await store.commit(write("before"));
  const unlock = lockFile(place.path, "IMMEDIATE");
  const durations: number[] = [];
  const codes: unknown[] = [];
  for (const id of ["a", "b", "c"]) {
    const start = performance.now();
    await store.commit(write(id)).catch((error: unknown) => {
      codes.push(StoreError.is(error) ? error.code : error);
    });
    durations.push(performance.now() - start);
  }
  unlock();

  expect(codes).toEqual(["STORE_BUSY", "STORE_BUSY", "STORE_BUSY"]);
  expect(durations[0]).toBeGreaterThanOrEqual(1_000);
  // A busy machine may delay one of them, and not both.
  expect(Math.min(...durations.slice(1))).toBeLessThan(1_000);
  expect((await store.commit(write("a"))).versions).toHaveLength(1);
});

it("has its whole patience again after a lock that went while the store was opened", async () => {
  await using place = await sqlitePlace();
  const patience = oneWait(5_000);
  const unlock = lockFile(place.path, "EXCLUSIVE");
  setTimeout(unlock, 100);

  await using store = await openSqliteStore({ path: place.path, patience });

  expect(patience.isBlocked()).toBe(false);
  expect((await store.commit(write("a"))).versions).toHaveLength(1);
});
