import { exportObjects, importObjects } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { testScale } from "@self-context-manager/store-contract";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { caseCount } from "../src/case-count.ts";
import { recordedLayouts, recordViews, viewMove } from "../src/session/recorded-views.ts";
import { viewDifferences } from "../src/session/view-differences.ts";
import { memoryPlace, sqlitePlace } from "../src/stores/places.ts";

const { isLong, seed } = testScale;
const moves = fc.array(viewMove, { minLength: 2, maxLength: 14 });

describe.each(recordedLayouts.map((layout) => [layout.name, layout] as const))(
  "every call of a session in the %s layout",
  (_name, layout) => {
    it.each([
      ["memory", memoryPlace, caseCount({ long: 3_000, changed: 20, unchanged: 10 })],
      ["sqlite", sqlitePlace, caseCount({ long: 500, changed: 5, unchanged: 3 })],
    ] as const)(
      "is rebuilt byte for byte from a store (%s)",
      async (_kind, createPlace, numRuns) => {
        await fc.assert(
          fc.asyncProperty(moves, async (made) => {
            await using place = await createPlace();
            await using store = await place.open({});
            const { calls } = await recordViews(made, { layout, store });

            expect(await viewDifferences(store, calls)).toEqual([]);
          }),
          { numRuns, seed },
        );
      },
      isLong ? 3_600_000 : 60_000,
    );

    it(
      "is rebuilt from the reopened store, and from another store that imported its export",
      async () => {
        await fc.assert(
          fc.asyncProperty(moves, async (made) => {
            await using place = await sqlitePlace();
            const calls = await (async () => {
              await using store = await place.open({});
              return (await recordViews(made, { layout, store })).calls;
            })();

            await using reopened = await place.open({});
            expect(await viewDifferences(reopened, calls)).toEqual([]);
            await using copy = memoryStore();
            await importObjects(copy, () => exportObjects(reopened));
            expect(await viewDifferences(copy, calls)).toEqual([]);
          }),
          { numRuns: caseCount({ long: 200, changed: 4, unchanged: 2 }), seed },
        );
      },
      isLong ? 3_600_000 : 60_000,
    );
  },
);

it(
  "rebuilds every call of a long session with epochs, edits, branches and compactions",
  async () => {
    const [layout] = recordedLayouts;
    if (layout === undefined) throw new TypeError("there is no layout");
    const length = caseCount({ long: 500, changed: 80, unchanged: 40 });
    const sampled = fc.sample(viewMove, { numRuns: length, seed });
    await using place = await sqlitePlace();
    await using store = await place.open({});
    const { calls } = await recordViews(sampled, { layout, store });

    expect(await viewDifferences(store, calls)).toEqual([]);
    expect(calls.size).toBe(length);
  },
  isLong ? 3_600_000 : 120_000,
);
