import { testScale } from "@self-context-manager/store-contract";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { moveStores } from "../src/moving/move-stores.ts";
import { missingForXtdb, joinTestNode, type TestNode } from "../src/stores/xtdb-node.ts";

const missing = missingForXtdb();
const sessions = testScale.isLong ? 100 : 2;
const stores = missing === undefined ? "SQLite, XTDB and SQLite" : "SQLite and SQLite";

let node: TestNode | undefined;
beforeAll(async () => {
  if (missing === undefined) node = await joinTestNode();
});
afterAll(async () => {
  await node?.[Symbol.asyncDispose]();
});

it(
  `scm export and scm import move a store through ${stores} byte for byte, although each import is killed once`,
  { timeout: testScale.isLong ? 3_600_000 : 240_000 },
  async () => {
    await using place = await temporaryFolder();

    const moved = await moveStores({ folder: place.folder, sessions, node });

    const { versions, objects } = moved;
    const [first] = moved.exports;
    expect(first?.bytes).toBeGreaterThan(versions * 1_000);
    expect(moved.exports.map(({ sha256 }) => sha256)).toEqual(
      moved.exports.map(() => moved.fromMemory),
    );
    for (const { afterKill, added, verified } of moved.imports) {
      expect(afterKill).toBeGreaterThan(0);
      expect(afterKill).toBeLessThan(versions);
      expect(added).toBeGreaterThan(0);
      // A transaction that was in transit to the node when its sender was killed takes effect later.
      expect(added).toBeLessThanOrEqual(versions - afterKill);
      expect(verified.stdout.replace(/ into \S+;/u, ";")).toBe(
        `imported 0 versions; ${versions} were already in the store; ${objects} objects in total\n` +
          `verified ${versions} versions of ${objects} objects: all hashes match\n`,
      );
    }
  },
);

async function temporaryFolder(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "scm-moving-"));
  return {
    folder,
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}
