import * as fc from "fast-check";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";

import { openPages } from "../src/database-pages.ts";
import { type ScannedRow, scanRows } from "../src/scan-rows.ts";

const value = fc.oneof(
  fc.constant(null),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
  fc.string({ unit: "grapheme", maxLength: 4_000 }),
  fc.uint8Array({ maxLength: 4_000 }),
);
const rows = fc.array(fc.tuple(value, value, value), { maxLength: 40 });

/** Writes rows into a new database, and returns its path. */
function databaseOf(folder: string, written: readonly (readonly unknown[])[]): string {
  const path = join(folder, "rows.sqlite");
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  const database = new DatabaseSync(path);
  database.exec("PRAGMA page_size = 1024; CREATE TABLE found (key INTEGER PRIMARY KEY, a, b, c)");
  const insert = database.prepare("INSERT INTO found (a, b, c) VALUES (?, ?, ?)");
  for (const row of written)
    insert.run(
      ...row.map((one) => (Number.isSafeInteger(one) ? BigInt(one as number) : (one as string))),
    );
  database.close();
  return path;
}

function scanned(path: string): readonly ScannedRow[] {
  using pages = openPages(path);
  // The table of the schema has five columns.
  return [...scanRows(pages)].filter(({ values }) => values.length === 4);
}

function inFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "scm-scan-"));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("finds each row of a sound database with its values", () => {
  inFolder((folder) => {
    fc.assert(
      fc.property(rows, (written) => {
        const found = scanned(databaseOf(folder, written)).toSorted(
          (one, other) => one.key - other.key,
        );

        expect(found.map(({ values }) => values.slice(1))).toEqual(written);
        expect(found.map(({ key }) => key)).toEqual(written.map((_, index) => index + 1));
      }),
      { numRuns: 40 },
    );
  });
});

it("reads any damaged file to its end", () => {
  inFolder((folder) => {
    const written = Array.from({ length: 60 }, (_, index) => [index, "x".repeat(index * 40), null]);
    const path = databaseOf(folder, written);
    const sound = readFileSync(path);
    const places = fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { maxLength: 200 });
    fc.assert(
      fc.property(places, fc.nat(sound.length), (changes, length) => {
        const bytes = Buffer.from(sound);
        for (const [place, byte] of changes) bytes.writeUInt8(byte, place);
        writeFileSync(path, bytes.subarray(0, length));

        expect(scanned(path).length).toBeLessThan(20_000);
      }),
      { numRuns: 200 },
    );
  });
});

it("finds rows without the beginning of the file", () => {
  inFolder((folder) => {
    const path = databaseOf(folder, [["a text", 1, null]]);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, 0, 1_024));

    expect(scanned(path).map(({ values }) => values)).toEqual([[null, "a text", 1, null]]);
  });
});
