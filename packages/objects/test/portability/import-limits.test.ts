import * as fc from "fast-check";
import { expect, it } from "vitest";

import { ImportError, StoreError } from "../../src/errors.ts";
import { objectId } from "../../src/model/object-id.ts";
import type { StoredVersion } from "../../src/model/stored-version.ts";
import { exportHeader } from "../../src/portability/export-line.ts";
import { importObjects } from "../../src/portability/import-objects.ts";
import { checkLength, importLimits, shown } from "../../src/portability/import-limits.ts";
import { exportLine } from "../../src/portability/line-writer.ts";
import { noteVersion } from "../store-versions.ts";
import { recordingStore } from "./recording-store.ts";

const line = exportLine(noteVersion("a", 1, 1, "text"));

it.each([
  ["an unknown field", { seq: 1 }, 'line 2 has the unknown field "seq"; only the fields object,'],
  [
    "the greatest safe number as transaction",
    { tx_id: Number.MAX_SAFE_INTEGER },
    "line 2 has 9007199254740991 as tx_id; it must be a whole number from 1 to 4503599627370496",
  ],
  ["half a transaction", { tx_id: 1.5 }, "line 2 has 1.5 as tx_id; it must be a whole number"],
  ["a text as version", { version: "1" }, 'line 2 has "1" as version; it must be a whole number'],
  [
    "a version that misses others",
    { version: 3 },
    "line 2 has 3 as version; it must be 1, because",
  ],
  [
    "a time after 2200",
    { tx_time: "2201-01-01T00:00:00.000Z" },
    "as tx_time; it must be a time of",
  ],
  ["a time after 9999", { tx_time: "+275760-09-13T00:00:00.000Z" }, 'has "+275760-09-13T00:00'],
  ["a time before 1970", { tx_time: "1969-12-31T23:59:59.999Z" }, "the years 1970 to 2200"],
  ["a number as time", { tx_time: 7 }, "line 2 has 7 as tx_time"],
  ["an id with a line break", { object: { id: "a\nb" } }, 'line 2 has "a\\nb" as id; it must be a'],
  ["an id of 513 characters", { object: { id: "a".repeat(513) } }, `"${"a".repeat(79)}… as id`],
  ["an id that is a number", { object: { id: 1 } }, "line 2 has 1 as id"],
  ["a prototype", JSON.parse('{"__proto__":1}') as object, 'the unknown field "__proto__"'],
])("refuses %s with its line, its field and the limit", async (_, fields, message) => {
  const entries = [...Object.entries(JSON.parse(line) as object), ...Object.entries(fields)];
  const store = recordingStore();

  const refused = importObjects(store, () => [
    exportHeader({ versions: 1 }),
    `{${[...new Map<string, unknown>(entries)].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`,
  ]);

  await expect(refused).rejects.toThrow(
    expect.objectContaining({ name: "ImportError", message: expect.stringContaining(message) }),
  );
  expect(store.batches).toEqual([]);
});

it.each([
  [
    "an unknown field",
    { after: 4 },
    'line 1 has the unknown field "after"; only the fields format',
  ],
  ["half a transaction", { since: 0.5 }, "line 1 has 0.5 as since; it must be a whole number"],
  ["half a version", { versions: 0.5 }, "line 1 has 0.5 as versions; it must be a whole number"],
  ["too many versions", { versions: 1e9 }, "a whole number from 0 to 16000000"],
  ["a format that is a text", { format_version: "2" }, "names no format version of a release"],
  ["half a format", { format_version: 2.5 }, "names no format version of a release"],
])("refuses a first line with %s", async (_, fields, message) => {
  const header = JSON.stringify({
    ...(JSON.parse(exportHeader({ versions: 1 })) as object),
    ...fields,
  });

  await expect(importObjects(recordingStore(), () => [header, line])).rejects.toThrow(message);
});

const tenth = noteVersion("a", 1, 10);

it.each([
  [
    "a transaction before the former line's",
    [noteVersion("b", 1, 9)],
    "line 3 has 9 as tx_id; it must be at least 10, as in the line before",
  ],
  [
    "a version twice",
    [tenth],
    'line 3 has 1 as version; it must be 2, the next version of object "a"',
  ],
  ["a gap", [noteVersion("a", 3, 11)], 'it must be 2, the next version of object "a"'],
  [
    "two versions in one transaction",
    [noteVersion("a", 2, 10)],
    'line 3 has 10 as tx_id; it must be above that of the former version of object "a"',
  ],
  [
    "a time before the former version's",
    [{ ...noteVersion("a", 2, 11), at: { tx_id: 11, tx_time: new Date(9).toISOString() } }],
    'line 3 has "1970-01-01T00:00:00.009Z" as tx_time; it must be not before 1970-01-01T00:00:00.010Z',
  ],
])("refuses lines with %s", async (_, versions, message) => {
  const store = recordingStore();
  const lines = [tenth, ...versions].map(exportLine);

  const refused = importObjects(store, () => [exportHeader(), ...lines]);

  await expect(refused).rejects.toThrow(message);
  expect(store.batches).toEqual([]);
});

it("accepts the time of a clock that was set back by more than a day", async () => {
  const ahead = { ...tenth, at: { tx_id: 10, tx_time: "2150-01-01T00:00:00.000Z" } };
  const lines = [ahead, noteVersion("a", 2, 11)].map(exportLine);

  const report = await importObjects(recordingStore(), () => [
    exportHeader({ versions: 2 }),
    ...lines,
  ]);

  expect(report.added).toBe(2);
});

it("refuses a line and a file above the limits", () => {
  const { lines } = importLimits;

  expect(() => checkLength("", lines)).not.toThrow();
  expect(() => checkLength("", lines + 1)).toThrow(
    `line ${lines} is the last that an import reads, and further ones follow`,
  );
});

it("shows values cut and without characters that a terminal acts on", () => {
  expect(shown("a\u001b[2J\u202e\u{e0041}\u2028")).toBe(
    String.raw`"a\u001b[2J\u{202e}\u{e0041}\u{2028}"`,
  );
  expect(shown("x".repeat(200))).toBe(`"${"x".repeat(79)}…`);
  expect(shown(undefined)).toBe("nothing");
});

it("refuses a changed line, or imports the data that were exported", async () => {
  const versions = [
    noteVersion("a", 1, 1, "text of a", { path: "/work/a.md", tags: ["one", { two: 3 }] }),
    noteVersion("b", 1, 1, "", { nickname: "name" }),
    noteVersion("a", 2, 2, "other text"),
    noteVersion("b", 2, 4, "é \u2028 😀"),
  ];
  const lines = [exportHeader({ versions: versions.length }), ...versions.map(exportLine)];
  const change = fc.record({
    line: fc.nat(lines.length - 1),
    at: fc.nat(),
    removed: fc.nat(3),
    put: fc.oneof(fc.constantFrom("", "0", "9", '"', ",", "{", "\\", "}", "1e3"), fc.string()),
  });

  await fc.assert(
    fc.asyncProperty(change, async ({ line: number, at, removed, put }) => {
      const text = lines[number] ?? "";
      const start = at % (text.length + 1);
      const changed = text.slice(0, start) + put + text.slice(start + removed);
      const store = recordingStore();

      const failure: unknown = await importObjects(store, () =>
        lines.with(number, changed).join("\n").split("\n"),
      ).then(
        () => undefined,
        (error: unknown) => error,
      );

      const isImported = failure === undefined;
      const isRefused = failure instanceof ImportError || StoreError.is(failure);
      expect([isImported, isRefused]).toContain(true);
      expect(store.batches.flat().map(hashed)).toEqual(isImported ? versions.map(hashed) : []);
    }),
    { numRuns: 2_000 },
  );
});

/** What the hashes of a version protect, with its number. Its transaction is in no hash. */
function hashed({ body, hashes, version }: StoredVersion) {
  return { body, hashes, version };
}

it("compares a file with the store before it writes", async () => {
  const versions = [noteVersion("a", 1, 1), noteVersion("a", 2, 2), noteVersion("b", 1, 3)];
  const lines = () => [exportHeader({ versions: 3 }), ...versions.map(exportLine)];
  const store = (...stored: readonly StoredVersion[]) => recordingStore({ stored });

  await expect(importObjects(store(noteVersion("b", 1, 3, "other")), lines)).rejects.toMatchObject({
    code: "HISTORY_CONFLICT",
    message: expect.stringMatching(/^line 4: object b has another version 1 here; nothing was/),
  });
  await expect(importObjects(store(noteVersion("a", 1, 1)), lines)).rejects.toMatchObject({
    code: "IMPORT_MERGES",
    message: expect.stringMatching(/adds 1 version to 1 object that the store already has: "a"\. /),
  });
  const merged = store(noteVersion("a", 1, 1));
  await importObjects(merged, lines, { merge: true });
  expect(merged.batches.flat().map(({ body }) => body.id)).toEqual(["a", "a", "b"]);
  await expect(
    importObjects(store(noteVersion("c", 1, 1, "", { nickname: objectId("b") })), lines),
  ).rejects.toMatchObject({ code: "NICKNAME_TAKEN" });
});
