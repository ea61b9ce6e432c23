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
import { isDeepStrictEqual } from "node:util";
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

            expect(await differences(store, calls)).toEqual([]);
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
            expect(await differences(reopened, calls)).toEqual([]);
            await using copy = memoryStore();
            await importObjects(copy, exportObjects(reopened));
            expect(await differences(copy, calls)).toEqual([]);
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

    expect(await differences(store, calls)).toEqual([]);
    expect(calls.size).toBe(length);
  },
  isLong ? 900_000 : 120_000,
);

/** Rebuilds every call, and tells what differs from the copy that was taken when it was handed over. */
async function differences(
  store: ObjectStore,
  calls: ReadonlyMap<number, HandedOver>,
): Promise<readonly string[]> {
  const history = await viewHistory(store, recordedLayouts, testHost);
  const found: string[] = [];
  const differs = (what: string, is: unknown, wanted: unknown): void => {
    if (!isDeepStrictEqual(is, wanted))
      found.push(`${what} is ${JSON.stringify(is)}, wanted ${JSON.stringify(wanted)}`);
  };
  const last = Math.max(...calls.keys());
  differs("the number of calls", history?.count, last);
  for (const [call, handedOver] of calls) {
    const view = await history?.rebuild(call);
    differs(`call ${call}: problems`, view?.problems, []);
    differs(`call ${call}: verified`, view?.isVerified, true);
    differs(`call ${call}: messages`, JSON.stringify(view?.messages), handedOver.messages);
    differs(`call ${call}: prompts`, promptsOf(view), handedOver.prompts);
    if (view?.layout === "epoch")
      differs(`call ${call}: entries`, view.entries.length, view.messages.length);
  }
  differs("a call before the first", await history?.rebuild(0), undefined);
  differs("a call after the last", await history?.rebuild(last + 1), undefined);
  return found;
}

function promptsOf(view: RebuiltView | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries((view?.systemPrompts ?? []).map(({ origin, text }) => [origin, text]));
}
