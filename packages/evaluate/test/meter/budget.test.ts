import * as fc from "fast-check";
import { expect, it } from "vitest";

import { budgetAccount } from "../../src/meter/budget.ts";

const { signal } = new AbortController();

it("starts calls at once as long as the budget is enough for all bounds", async () => {
  const budget = budgetAccount({ limit: 10 });

  const first = await budget.reserve(6, signal);
  const second = await budget.reserve(4, signal);

  expect([first, second]).not.toContain(undefined);
});

it("lets a call wait for those in flight, and then starts it alone although its bound is too large", async () => {
  const budget = budgetAccount({ limit: 10 });
  const first = await budget.reserve(6, signal);
  const order: string[] = [];

  const second = budget.reserve(50, signal).then((reservation) => {
    order.push("second");
    return reservation;
  });
  const third = budget.reserve(1, signal).then(() => order.push("third"));
  await Promise.resolve();
  expect(order).toEqual([]);
  first?.settle(1);
  const alone = await second;
  expect(order).toEqual(["second"]);
  alone?.settle(2);
  await third;

  expect(order).toEqual(["second", "third"]);
  expect(budget.spent).toBe(3);
});

it("refuses all calls when the budget is spent, those of earlier sittings included", async () => {
  const budget = budgetAccount({ limit: 10, spent: 9 });
  const first = await budget.reserve(5, signal);
  const waiting = budget.reserve(5, signal);

  first?.settle(1);

  expect(await waiting).toBeUndefined();
  expect(await budget.reserve(0, signal)).toBeUndefined();
  expect(budget.isSpent).toBe(true);
});

it("lets the next call start when a waiting one is given up", async () => {
  const budget = budgetAccount({ limit: 10 });
  await budget.reserve(6, signal);
  const leaving = new AbortController();
  const large = budget.reserve(5, leaving.signal);
  const small = budget.reserve(4, signal);

  leaving.abort();

  expect(await large).toBeUndefined();
  expect(await small).toBeDefined();
});

it("is exceeded by at most one call, with parallel runs, and again after each sitting", async () => {
  const call = fc.record({
    bound: fc.double({ min: 0, max: 5, noNaN: true }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    turns: fc.nat(5),
  });
  const sitting = fc.array(fc.array(call, { maxLength: 12 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0, max: 20, noNaN: true }),
      fc.array(sitting, { maxLength: 3 }),
      async (limit, sittings) => {
        let spent = 0;
        let dearest = 0;
        for (const runs of sittings) {
          const budget = budgetAccount({ limit, spent });
          await Promise.all(
            runs.map(async (calls) => {
              for (const { bound, share, turns } of calls) {
                const reservation = await budget.reserve(bound, signal);
                if (reservation === undefined) return;
                for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
                dearest = Math.max(dearest, bound * share);
                reservation.settle(bound * share);
              }
            }),
          );
          spent = budget.spent;
        }
        expect(spent).toBeLessThanOrEqual(limit + dearest + 1e-9);
      },
    ),
    { numRuns: 300 },
  );
});
