import { expect, it } from "vitest";
import { ImportError, StoreError } from "../../src/errors.ts";
import { sha256 } from "../../src/model/sha256.ts";
import { objectId } from "../../src/model/object-id.ts";
import { metadataOf } from "../../src/model/object-body.ts";
import type { StoredVersion } from "../../src/model/stored-version.ts";
import { exportHeader } from "../../src/portability/export-line.ts";
import { exportObjects } from "../../src/portability/export-objects.ts";
import { importObjects } from "../../src/portability/import-objects.ts";
import { exportLine, lineWriter, lostLine } from "../../src/portability/line-writer.ts";
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

it("writes a version as the change against the line before of its object", () => {
  const writer = lineWriter();
  const text = "a line of the note\n".repeat(40);
  const fields = {
    list: ["one", "two", "three"],
    gone: true,
    facts: { kept: "x".repeat(200), n: 1 },
  };
  writer.line(noteVersion("a", 1, 7, text, fields));
  const next = noteVersion("a", 2, 8, `${text}and one more\n`, {
    list: ["two", "three", "four"],
    facts: { kept: "x".repeat(200), n: 2 },
  });

  expect(JSON.parse(writer.line(next))).toEqual({
    id: "a",
    from: 1,
    version: 2,
    tx_id: 8,
    tx_time: "1970-01-01T00:00:00.008Z",
    change: {
      change: {
        content: { start: text.length, end: text.length, with: "and one more\n" },
        facts: { set: { n: 2 } },
      },
      remove: ["gone"],
      set: { ...next.hashes, list: ["two", "three", "four"] },
    },
  });
});

it("writes a version whole if its object has another type, or if the change is not shorter", () => {
  const writer = lineWriter();
  const text = "a line of the note\n".repeat(40);
  writer.line(noteVersion("a", 1, 1, text));

  const other = noteVersion("a", 2, 2, text, { type: "chat" });
  const names = Array.from({ length: 40 }, (_, index) => `a field with a long name ${index}`);
  const wide = noteVersion("b", 1, 3, "", Object.fromEntries(names.map((name) => [name, 0])));
  writer.line(wide);
  const narrow = noteVersion("b", 2, 4);

  expect(writer.line(other)).toBe(exportLine(other));
  expect(writer.line(narrow)).toBe(exportLine(narrow));
});

it("writes a version whole after changes of eight times its size", () => {
  const writer = lineWriter();
  const lines = Array.from({ length: 200 }, (_, index) =>
    writer.line(
      noteVersion("a", index + 1, index + 1, "kept ".repeat(400), {
        part: String(index).repeat(99),
      }),
    ),
  );

  const whole = lines.flatMap((line, index) => (line.startsWith('{"object"') ? [index] : []));
  expect(whole.length).toBeGreaterThan(1);
  const [first = 0, second = 0] = whole;
  const changes = lines.slice(first + 1, second).join("").length;
  expect(changes).toBeLessThanOrEqual(8 * (lines[first]?.length ?? 0) + 8_192);
});

it("reads lines of many objects whose last lines were dropped from memory", async () => {
  const long = "x".repeat(600_000);
  const writer = lineWriter();
  const versions = [1, 2].flatMap((version) =>
    Array.from({ length: 20 }, (_, index) =>
      noteVersion(`id ${index}`, version, version * 100 + index, `${long}${index} ${version}`),
    ),
  );
  const lines = versions.map((stored) => writer.line(stored));
  const store = recordingStore();

  await importObjects(store, () => [exportHeader(), ...lines]);

  expect(store.batches.flat()).toEqual(versions);
  expect(lines.every((line) => line.startsWith('{"object"'))).toBe(true);
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
    lines.slice(1).map((line) => {
      const { id, object } = JSON.parse(line) as {
        readonly id?: string;
        readonly object?: { readonly id: string };
      };
      return object?.id ?? id;
    }),
  ).toEqual(["\uffee", "\u{1f600}", "a", "b", "a"]);
});

it("imports an export in batches that never split a transaction", async () => {
  const versions = Array.from({ length: 501 }, (_, index) =>
    noteVersion(`id ${index}`, 1, 1 + Math.floor(index / 3)),
  );
  const store = recordingStore();

  const report = await importObjects(store, () => [exportHeader(), ...versions.map(exportLine)]);

  expect(report).toEqual({ read: 501, added: 501, objects: 501, lost: [], forgotten: [] });
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

  await importObjects(recordingStore(), () => [exportHeader({ versions: 3 }), ...lines]);
  const short = importObjects(store, () => [
    exportHeader({ versions: 3 }),
    ...lines.toSpliced(1, 1),
  ]);

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
    "a change of a version that is not the last line of its object",
    [exportHeader(), good(), JSON.stringify({ ...changed(), from: 2, version: 3 })],
    "IMPORT_MALFORMED",
    /line 3 changes version 2 of object "a", which is not the last line/,
  ],
  [
    "a change of a version that is in no line",
    [exportHeader(), JSON.stringify(changed())],
    "IMPORT_MALFORMED",
    /line 2 changes version 1 of object "a"/,
  ],
  [
    "a change that does not fit",
    [
      exportHeader(),
      good(),
      JSON.stringify({
        ...changed(),
        change: { change: { content: { start: 0, end: 99, with: "" } } },
      }),
    ],
    "IMPORT_MALFORMED",
    /line 3 has a change that cannot be applied: place 99 does not fit/,
  ],
  [
    "a changed part of a change",
    [exportHeader(), good(), JSON.stringify(changed()).replace("next", "none")],
    "IMPORT_DAMAGED",
    /line 3: content_hash of object a .* export again/,
  ],
  [
    "a version after lines that were removed",
    [exportHeader(), good(), exportLine(noteVersion("a", 4, 4))],
    "IMPORT_MALFORMED",
    /line 3 has 4 as version; it must be 2, the next version of object "a"/,
  ],
  [
    "a lost version of no object",
    [exportHeader(), JSON.stringify({ id: "", lost: true, version: 1 })],
    "IMPORT_MALFORMED",
    /line 2 has "" as id; it must be a text/,
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

it("imports around versions that were lost, and names them", async () => {
  const versions = [noteVersion("a", 2, 2), noteVersion("b", 1, 3), noteVersion("a", 5, 4)];
  const lost = [1, 3, 4].map((version) => ({ id: versions[0]?.body.id, version }));
  const lines = [
    exportHeader({ versions: 6 }),
    '{"id":"a","lost":true,"version":1}',
    ...versions.slice(0, 2).map(exportLine),
    '{"id":"a","lost":true,"version":3}',
    '{"id":"a","lost":true,"version":4}',
    ...versions.slice(2).map(exportLine),
  ];
  const store = recordingStore();

  const report = await importObjects(store, () => lines);

  expect(report).toEqual({ read: 3, added: 3, objects: 2, lost, forgotten: [] });
  expect(store.gaps).toEqual([true]);
  expect(lines[1]).toBe(lostLine({ id: objectId("a"), version: 1 }));
});

it("refuses a gap beside a lost version that no line declares", async () => {
  const lines = [
    exportHeader(),
    '{"id":"a","lost":true,"version":1}',
    exportLine(noteVersion("a", 2, 2)),
    exportLine(noteVersion("b", 2, 3)),
  ];

  await expect(importObjects(recordingStore(), () => lines)).rejects.toMatchObject({
    code: "IMPORT_MALFORMED",
    message: expect.stringContaining(
      "line 4 has 2 as version; it must be 1, because no earlier line",
    ) as string,
  });
});

it("says which export is missing before one that begins after a transaction", async () => {
  const lines = [exportHeader({ since: 40 }), exportLine(noteVersion("a", 2, 41))];

  await expect(importObjects(recordingStore(), () => lines)).rejects.toMatchObject({
    code: "IMPORT_INCOMPLETE",
    message: expect.stringMatching(
      /begins after transaction 40, .*no version of object "a" before 2; import the earlier export/,
    ) as string,
  });
});

it("exports what came after a transaction, with whole first versions", async () => {
  const text = "a line of the note\n".repeat(40);
  const versions = [1, 2, 3].map((version) => noteVersion("a", version, version, text + version));

  const lines: string[] = [];
  for await (const line of exportObjects(storeOf(versions), { since: 1 })) lines.push(line.trim());

  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ since: 1, versions: 2 });
  expect(lines[1]).toBe(versions[1] && exportLine(versions[1]));
  expect(lines[2]).toContain('"from":2');
});

it("names versions that cannot be read or do not match their hashes, and writes the others", async () => {
  const versions = Array.from({ length: 6 }, (_, index) =>
    noteVersion("a", index + 1, index + 1, `text ${index}`),
  );
  const healthy = storeOf(versions);
  const store: typeof healthy = {
    ...healthy,
    async get(id, at) {
      const stored = await healthy.get(id, at);
      if (stored?.version === 2) throw new StoreError("STORE_CORRUPT", "a text is missing");
      if (stored?.version !== 4) return stored;
      return { ...stored, body: { ...stored.body, content: "damaged" } };
    },
    async *versions() {
      yield* [];
      throw new StoreError("STORE_CORRUPT", "a text is missing");
    },
  };
  const lost: string[] = [];

  const lines: string[] = [];
  for await (const line of exportObjects(store, { onLost: (text) => lost.push(text) }))
    lines.push(line);
  const report = await importObjects(recordingStore(), () => lines);

  expect(lost).toEqual([
    "version 2 of object a cannot be read: a text is missing",
    expect.stringMatching(/^version 4 of object a was changed or damaged/),
  ]);
  expect(report.read).toBe(4);
  expect(report.lost.map(({ version }) => version)).toEqual([2, 4]);
  await expect(async () => {
    for await (const line of exportObjects(store)) lines.push(line);
  }).rejects.toMatchObject({ code: "STORE_CORRUPT" });
});

it("accepts lines with any line end and skips empty ones", async () => {
  const report = await importObjects(recordingStore(), () => [
    `${exportHeader()}\r\n`,
    "\n",
    `${good()}\n`,
    "",
  ]);

  expect(report).toEqual({ read: 1, added: 1, objects: 1, lost: [], forgotten: [] });
});

function good(): string {
  return exportLine(noteVersion("a", 1, 1, "text"));
}

/** Returns the line of the second version of `good`, as a change. */
function changed(): Readonly<Record<string, unknown>> {
  const { hashes } = noteVersion("a", 2, 2, "text next");
  return {
    id: "a",
    from: 1,
    version: 2,
    tx_id: 2,
    tx_time: "1970-01-01T00:00:00.002Z",
    change: { change: { content: { start: 4, end: 4, with: " next" } }, set: hashes },
  };
}

function edited(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...(JSON.parse(good()) as object), ...fields });
}

/** Returns a store with the functions that an export needs. */
function storeOf(versions: readonly StoredVersion[]): Parameters<typeof exportObjects>[0] {
  return {
    async *versions(id, { from = 1 } = {}) {
      for (const stored of versions)
        if (stored.body.id === id && stored.version >= from) yield stored;
    },
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
