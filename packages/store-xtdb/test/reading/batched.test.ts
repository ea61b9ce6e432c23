import { expect, it } from "vitest";

import { batched } from "../../src/reading/batched.ts";

it("asks the questions of one turn together and each question once", async () => {
  const asked: (readonly number[])[] = [];
  const square = batched(async (keys: readonly number[]) => {
    asked.push(keys);
    return new Map(keys.filter((key) => key > 0).map((key) => [key, key * key]));
  }, never);

  const first = await Promise.all([square(1), square(2), square(1), later(3, square), square(-1)]);
  const second = await square(2);

  expect(first).toEqual([1, 4, 1, 9, undefined]);
  expect(second).toBe(4);
  expect(asked).toEqual([[1, 2, -1, 3], [2]]);
});

it("rejects only the question that fails", async () => {
  const square = batched(unlucky, never);

  const outcomes = await Promise.allSettled([square(2), square(13), square(3)]);

  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  await expect(square(13)).rejects.toThrow("unlucky");
});

it("rejects all questions for a reason that they share, without asking again", async () => {
  let times = 0;
  const square = batched(
    async (keys: readonly number[]) => {
      times += 1;
      return await unlucky(keys);
    },
    (reason) => reason instanceof Error && reason.message === "unlucky",
  );

  const outcomes = await Promise.allSettled([square(2), square(13)]);

  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(times).toBe(1);
});

const never = (): boolean => false;

async function unlucky(keys: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (keys.includes(13)) throw new Error("unlucky");
  return await Promise.resolve(new Map(keys.map((key) => [key, key * key])));
}

/** Asks a few microtasks later in the same turn, like a call that has awaited a settled promise. */
async function later(
  key: number,
  ask: (key: number) => Promise<number | undefined>,
): Promise<number | undefined> {
  await Promise.resolve();
  await Promise.resolve();
  return await ask(key);
}
