// If the machine has no Java, no call is tested, and the run reports it.
/* oxlint-disable vitest/no-disabled-tests */
import { openXtdbStore } from "@self-context-manager/store-xtdb";
import { testScale } from "@self-context-manager/store-contract";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { recordedLayouts, recordViews, viewMove } from "../src/session/recorded-views.ts";
import { viewDifferences } from "../src/session/view-differences.ts";
import { missingForXtdb, joinTestNode } from "../src/stores/xtdb-node.ts";

const missing = missingForXtdb();
const { isLong, seed } = testScale;
const length = isLong ? 500 : 40;

describe.skipIf(missing !== undefined)(
  `views in XTDB${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    it(
      `rebuilds each of ${length} calls of a session with a new client`,
      async () => {
        const [layout] = recordedLayouts;
        if (layout === undefined) throw new TypeError("there is no layout");
        const moves = fc.sample(viewMove, { numRuns: length, seed });
        await using node = await joinTestNode();
        const { url, token } = node;
        const place = { url, token, space: "views", timeout: 60_000 };
        const { calls } = await (async () => {
          await using store = await openXtdbStore(place);
          return await recordViews(moves, { layout, store });
        })();

        await using fresh = await openXtdbStore(place);
        expect(await viewDifferences(fresh, calls)).toEqual([]);
        expect(calls.size).toBe(length);
      },
      isLong ? 3_600_000 : 300_000,
    );
  },
);
