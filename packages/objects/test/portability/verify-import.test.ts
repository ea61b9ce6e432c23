import { expect, it } from "vitest";
import type { StoredVersion } from "../../src/model/stored-version.ts";
import { exportHeader } from "../../src/portability/export-line.ts";
import { exportLine } from "../../src/portability/line-writer.ts";
import { verifyImport } from "../../src/portability/verify-import.ts";
import { noteVersion } from "../store-versions.ts";

const versions = Array.from({ length: 40 }, (_, index) =>
  noteVersion(`note ${index % 10}`, Math.floor(index / 10) + 1, index + 1, `text ${index}`, {
    type: "toolcall",
    args: { z: 2, a: 1 },
  }),
);
const lines = [exportHeader(), ...versions.map(exportLine)];

it("finds all versions of the lines, and reads only a few versions at the same time", async () => {
  const store = storeOf(versions);
  const reported: number[] = [];

  const report = await verifyImport(store, lines, { progress: (done) => reported.push(done) });

  expect(report).toEqual({ objects: 10, versions: 40 });
  expect(reported.at(-1)).toBe(40);
  expect(store.most()).toBeLessThanOrEqual(16);
});

it.each<[string, (stored: StoredVersion) => StoredVersion | undefined, RegExp]>([
  ["a missing version", () => undefined, /^line 19: version 2 of object note 7 is not in/],
  [
    "a field that was changed without its hashes",
    (stored) => ({ ...stored, body: { ...stored.body, content: "other" } }),
    /^line 19: version 2 of object note 7 differs from the line in content;/,
  ],
  [
    "a hash that was changed",
    (stored) => ({ ...stored, hashes: { ...stored.hashes, object_hash: "0".repeat(64) } }),
    /in object_hash;/,
  ],
  [
    "another transaction",
    (stored) => ({ ...stored, at: { ...stored.at, tx_id: 99 } }),
    /in tx_id;/,
  ],
  [
    "another order of a tool's arguments",
    (stored) => ({ ...stored, body: { ...stored.body, args: { a: 1, z: 2 } } }),
    /in args;/,
  ],
])("rejects %s with the line, the object and the field", async (_, change, message) => {
  const store = storeOf(
    versions.flatMap((stored, index) => (index === 17 ? (change(stored) ?? []) : stored)),
  );

  await expect(verifyImport(store, lines)).rejects.toMatchObject({
    code: "IMPORT_DIFFERS",
    message: expect.stringMatching(message) as string,
  });
});

it("rejects a damaged line, even if the store has the undamaged version", async () => {
  const damaged = lines.map((line, index) => (index === 5 ? line.replace("text", "next") : line));

  await expect(verifyImport(storeOf(versions), damaged)).rejects.toMatchObject({
    code: "IMPORT_DAMAGED",
  });
});

function storeOf(stored: readonly StoredVersion[]): {
  get(id: string, at?: unknown): Promise<StoredVersion | undefined>;
  versions(id: string, range?: { readonly from?: number }): AsyncIterable<StoredVersion>;
  most(): number;
} {
  let open = 0;
  let most = 0;
  return {
    async *versions(id, { from = 1 } = {}) {
      for (const one of stored) if (one.body.id === id && one.version >= from) yield one;
    },
    async get(id, at) {
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      open -= 1;
      const wanted = (at as { readonly version: number }).version;
      return stored.find((one) => one.body.id === id && one.version === wanted);
    },
    most: () => most,
  };
}
