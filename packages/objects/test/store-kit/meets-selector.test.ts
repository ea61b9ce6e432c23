import { expect, it } from "vitest";

import type { VersionSelector } from "../../src/ports/object-store.ts";
import { meetsSelector } from "../../src/store-kit/meets-selector.ts";

const selected = {
  version: 2,
  at: { tx_id: 5, tx_time: "2026-01-02T00:00:00.000Z" },
  contentHash: "hash",
};

const meanings: readonly (readonly [VersionSelector, boolean])[] = [
  [{ version: 2 }, true],
  [{ version: 3 }, false],
  [{ contentHash: "hash" }, true],
  [{ contentHash: "other" }, false],
  [{ txId: 5 }, true],
  [{ txId: 6 }, true],
  [{ txId: 4 }, false],
  [{ txTime: "2026-01-02T01:00:00+01:00" }, true],
  [{ txTime: "2026-01-01T23:59:59.999Z" }, false],
];

it.each(meanings)("a selector %j can mean a version: %s", (selector, meant) => {
  expect(meetsSelector(selected, selector)).toBe(meant);
});

it("refuses a time that cannot be read", () => {
  expect(() => meetsSelector(selected, { txTime: "yesterday" })).toThrow(RangeError);
});
