import { expect, it } from "vitest";
import { ImportError, StoreError } from "../../src/errors.ts";
import { sha256 } from "../../src/model/sha256.ts";
import { metadataOf } from "../../src/model/object-body.ts";
import type { StoredVersion } from "../../src/model/stored-version.ts";
import { exportHeader, exportLine } from "../../src/portability/export-line.ts";
import { exportObjects } from "../../src/portability/export-objects.ts";
import { importObjects } from "../../src/portability/import-objects.ts";
import { noteVersion } from "../store-versions.ts";
import { recordingStore } from "./recording-store.ts";

it("writes one version per line as JSON, with the specification's field names", () => {
  const line = exportLine(noteVersion("a", 1, 7, "text"));

  expect(JSON.parse(line)).toEqual({
    version: 1,
    tx_id: 7,
    tx_time: "1970-01-01T00:00:00.007Z",
    object: {
      id: "a",
      type: "note",
      content: "text",
      locked: false,
      provenance: { origin: "a test", generator: "tool" },
      content_hash: sha256("text"),
      metadata_view_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      object_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      hash_rule: 2,
    },
  });
  expect(JSON.parse(exportHeader())).toEqual({
    format: "self-context-manager/export",
    format_version: 2,
  });
});

it("sorts the fields of the context manager and keeps the order of opaque fields", () => {
  const args = { z: 1, a: { y: 2, b: 3 } };
  const body = {
    ...noteVersion("a", 1, 7).body,
    type: "chat",
    zone: 1,
    args,
    turns: [{ z: 1, user: [{ z: 1, a: 2 }] }],
  };

  const { object } = JSON.parse(exportLine({ ...noteVersion("a", 1, 7), body })) as {
    object: Record<string, unknown>;
  };

  expect(Object.keys(object)).toEqual(Object.keys(object).toSorted());
  expect(JSON.stringify(object["args"])).toBe('{"a":{"b":3,"y":2},"z":1}');
  expect(JSON.stringify(object["turns"])).toBe('[{"user":[{"z":1,"a":2}],"z":1}]');
});

it("orders by transaction, then object, then version, and ends every line", async () => {
  const versions = [
    noteVersion("b", 1, 2),
    noteVersion("a", 2, 3),
    noteVersion("a", 1, 2),
    noteVersion("\u{1f600}", 1, 1),
    noteVersion("\uffee", 1, 1),
  ];

  const lines: string[] = [];
  for await (const line of exportObjects(storeOf(versions))) lines.push(line);

  expect(lines.every((line) => line.endsWith("\n"))).toBe(true);
  expect(
    lines.slice(1).map((line) => (JSON.parse(line) as { object: { id: string } }).object.id),
  ).toEqual(["\uffee", "\u{1f600}", "a", "b", "a"]);
});

it("imports an export in batches that never split a transaction", async () => {
  const versions = Array.from({ length: 501 }, (_, index) =>
    noteVersion(`id ${index}`, 1, 1 + Math.floor(index / 3)),
  );
  const store = recordingStore();

  const report = await importObjects(store, () => [exportHeader(), ...versions.map(exportLine)]);

  expect(report).toEqual({ read: 501, added: 501, objects: 501 });
  expect(store.batches.length).toBeGreaterThan(1);
  expect(store.batches.flat()).toEqual(versions);
  const firstOf = store.batches.map((batch) => batch[0]?.at.tx_id);
  const lastOf = store.batches.map((batch) => batch.at(-1)?.at.tx_id);
  expect(firstOf.slice(1).some((txId, index) => txId === lastOf[index])).toBe(false);
});

it("imports nothing if the number of versions differs from the header's", async () => {
  const versions = Array.from({ length: 3 }, (_, index) =>
    noteVersion(`id ${index}`, 1, index + 1),
  );
  const lines = versions.map(exportLine);
  const store = recordingStore();

  await importObjects(recordingStore(), () => [exportHeader(3), ...lines]);
  const short = importObjects(store, () => [exportHeader(3), ...lines.toSpliced(1, 1)]);

  await expect(short).rejects.toMatchObject({
    code: "IMPORT_DAMAGED",
    message: expect.stringContaining("announces 3 versions, but 2 follow") as string,
  });
  expect(store.batches).toEqual([]);
});

it("imports later transactions together with one whose nickname is taken until then", async () => {
  const versions = Array.from({ length: 450 }, (_, index) =>
    noteVersion(`id ${index}`, 1, index + 1),
  );
  const store = recordingStore({
    check: (batch) => {
      if (batch.length < 300) throw new StoreError("NICKNAME_TAKEN", "for now");
    },
  });

  await expect(
    importObjects(store, () => [exportHeader(), ...versions.map(exportLine)]),
  ).rejects.toThrow("for now");
  expect(store.batches.flat().length).toBe(400);
});

it.each([
  ["the file is empty", [], "IMPORT_MALFORMED", /the file is empty/],
  [
    "another file",
    ['{"some":"json"}'],
    "IMPORT_MALFORMED",
    /line 1 is not the header of an export/,
  ],
  ["a text", ["hello"], "IMPORT_MALFORMED", /line 1 is not the header of an export/],
  [
    "a newer format",
    ['{"format":"self-context-manager/export","format_version":3}'],
    "IMPORT_TOO_NEW",
    /update it/,
  ],
  [
    "half a line",
    [exportHeader(), good(), good().slice(0, 80)],
    "IMPORT_MALFORMED",
    /line 3 is not JSON/,
  ],
  [
    "a line without version",
    [exportHeader(), edited({ version: 0 })],
    "IMPORT_MALFORMED",
    /line 2 has 0 as version; it must be a whole number above 0/,
  ],
  [
    "a line without transaction",
    [exportHeader(), edited({ tx_id: "1" })],
    "IMPORT_MALFORMED",
    /line 2 has "1" as tx_id; it must be a whole number from 1 to 4503599627370496/,
  ],
  [
    "a time of another form",
    [exportHeader(), edited({ tx_time: "2026-01-01" })],
    "IMPORT_MALFORMED",
    /line 2 has "2026-01-01" as tx_time; it must be a time of the years 1970 to 2200/,
  ],
  [
    "a line without object",
    [exportHeader(), edited({ object: [] })],
    "IMPORT_MALFORMED",
    /line 2 holds no object/,
  ],
  [
    "an object without id",
    [exportHeader(), edited({ object: { type: "note" } })],
    "IMPORT_MALFORMED",
    /line 2 has nothing as id; it must be a text/,
  ],
  [
    "a changed text",
    [exportHeader(), good().replace('"text"', '"texts"')],
    "IMPORT_DAMAGED",
    /line 2: content_hash of object a .* export again/,
  ],
  [
    "a changed field",
    [exportHeader(), good().replace('"note"', '"file"')],
    "IMPORT_DAMAGED",
    /line 2: .*_hash of object a/,
  ],
  [
    "a missing hash",
    [exportHeader(), good().replace(/"object_hash":"\w+",/, "")],
    "IMPORT_DAMAGED",
    /object_hash of object a is null/,
  ],
])("rejects %s with the line and the action to take", async (_, lines, code, message) => {
  const failure: unknown = await importObjects(recordingStore(), () => lines).catch(
    (error: unknown) => error,
  );

  expect(failure).toBeInstanceOf(ImportError);
  expect(failure).toMatchObject({ code, message: expect.stringMatching(message) as string });
});

it("accepts lines with any line end and skips empty ones", async () => {
  const report = await importObjects(recordingStore(), () => [
    `${exportHeader()}\r\n`,
    "\n",
    `${good()}\n`,
    "",
  ]);

  expect(report).toEqual({ read: 1, added: 1, objects: 1 });
});

function good(): string {
  return exportLine(noteVersion("a", 1, 1, "text"));
}

function edited(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...(JSON.parse(good()) as object), ...fields });
}

/** Returns a store with the functions that an export needs. */
function storeOf(versions: readonly StoredVersion[]): Parameters<typeof exportObjects>[0] {
  return {
    async get(id, at) {
      return versions.find(
        ({ body, version }) =>
          body.id === id && at !== undefined && "version" in at && version === at.version,
      );
    },
    async changesSince() {
      const described = versions.map(({ body, ...others }) => ({
        ...others,
        body: metadataOf(body),
      }));
      return { versions: described, position: "1" };
    },
  };
}
