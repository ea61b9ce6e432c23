import {
  exportObjects,
  importObjects,
  type ObjectStore,
  type RebuiltView,
  viewHistory,
} from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import { testScale } from "@self-context-manager/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  type HandedOver,
  recordedLayouts,
  recordViews,
  viewMove,
} from "../src/session/recorded-views.ts";
import { testHost } from "../src/session/test-session.ts";
import { memoryPlace, sqlitePlace } from "../src/stores/places.ts";

const { isLong, seed } = testScale;
const moves = fc.array(viewMove, { minLength: 2, maxLength: 14 });

describe.each(recordedLayouts.map((layout) => [layout.name, layout] as const))(
  "every call of a session in the %s layout",
  (_name, layout) => {
    it.each([
      ["memory", memoryPlace, isLong ? 3_000 : 60],
      ["sqlite", sqlitePlace, isLong ? 500 : 15],
    ] as const)(
      "is made again byte for byte from a store (%s)",
      async (_kind, createPlace, numRuns) => {
        await fc.assert(
          fc.asyncProperty(moves, async (made) => {
            await using place = await createPlace();
            await using store = await place.open({});
            const { calls } = await recordViews(made, { layout, store });

            await expectRebuilt(store, calls);
          }),
          { numRuns, seed },
        );
      },
      isLong ? 900_000 : 60_000,
    );

    it(
      "is made again after reopening the store, and from an export that another store took in",
      async () => {
        await fc.assert(
          fc.asyncProperty(moves, async (made) => {
            await using place = await sqlitePlace();
            const calls = await (async () => {
              await using store = await place.open({});
              return (await recordViews(made, { layout, store })).calls;
            })();

            await using reopened = await place.open({});
            await expectRebuilt(reopened, calls);
            await using copy = memoryStore();
            await importObjects(copy, exportObjects(reopened));
            await expectRebuilt(copy, calls);
          }),
          { numRuns: isLong ? 200 : 8, seed },
        );
      },
      isLong ? 900_000 : 60_000,
    );
  },
);

it(
  "makes every call of a long session again, with epochs, edits, branches and compactions in it",
  async () => {
    const [layout] = recordedLayouts;
    if (layout === undefined) throw new TypeError("there is no layout");
    const length = isLong ? 500 : 120;
    const sampled = fc.sample(viewMove, { numRuns: length, seed });
    await using place = await sqlitePlace();
    await using store = await place.open({});
    const { calls } = await recordViews(sampled, { layout, store });

    await expectRebuilt(store, calls);
    expect(calls.size).toBe(length);
  },
  isLong ? 900_000 : 120_000,
);

/** Rebuilds every call, and compares it with the copy that was taken when it was handed over. */
async function expectRebuilt(
  store: ObjectStore,
  calls: ReadonlyMap<number, HandedOver>,
): Promise<void> {
  const history = await viewHistory(store, recordedLayouts, testHost);
  expect(history?.count).toBe(Math.max(...calls.keys()));
  for (const [call, handedOver] of calls) {
    const view = await history?.rebuild(call);

    expect(view?.problems).toEqual([]);
    expect(view?.isVerified).toBe(true);
    expect(JSON.stringify(view?.messages)).toBe(handedOver.messages);
    expect(promptsOf(view)).toEqual(handedOver.prompts);
    if (view?.layout === "epoch") expect(view.entries).toHaveLength(view.messages.length);
  }
  expect(await history?.rebuild(0)).toBeUndefined();
  expect(await history?.rebuild((history.count ?? 0) + 1)).toBeUndefined();
}

function promptsOf(view: RebuiltView | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries((view?.systemPrompts ?? []).map(({ origin, text }) => [origin, text]));
}
