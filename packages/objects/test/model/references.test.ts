import { describe, expect, it } from "vitest";
import { objectId } from "../../src/model/object-id.ts";
import { collectReferences, isReference } from "../../src/model/references.ts";
import { fileSample, staticSample } from "../samples.ts";

const dynamic = { ref: "dynamic" as const, id: objectId("b") };

describe("references of an object", () => {
  it("are found in all fields, each with its place as a JSON pointer", () => {
    const found = collectReferences(
      fileSample({
        chat_ref: staticSample(),
        list: [dynamic, { "odd/na~me": dynamic }],
        provenance: { origin: "x", generator: "tool", parent_refs: [dynamic] },
      }),
    );

    expect(found.map(({ path }) => path)).toEqual([
      "/provenance/parent_refs/0",
      "/chat_ref",
      "/list/0",
      "/list/1/odd~1na~0me",
    ]);
  });

  it("carry the field and the position that narrow them", () => {
    const position = { turn: 1, step: 2, call: 0 };
    const [found] = collectReferences({ to: staticSample({ field: "content", position }) });

    expect(found?.reference).toMatchObject({ field: "content", position });
  });

  it("are not searched inside references", () => {
    const nested = { ...dynamic, position: { inner: dynamic } };

    expect(collectReferences({ to: nested }).map(({ path }) => path)).toEqual(["/to"]);
  });

  it("are found in fields of every name, at any depth", () => {
    for (const field of [
      "args",
      "details",
      "blocks",
      "user",
      "assistant",
      "opaque",
      "entries",
      "memory",
    ]) {
      const found = collectReferences({ type: "person", turns: [{ [field]: [{ to: dynamic }] }] });

      expect(found.map(({ path }) => path)).toEqual([`/turns/0/${field}/0/to`]);
    }
  });

  it.each([
    ["toolcall", { args: { to: dynamic }, details: [dynamic], blocks: [{ to: dynamic }] }],
    ["chat", { turns: [{ user: [dynamic], steps: [{ assistant: [dynamic] }] }] }],
    ["chat", { turns: [{ user: null, steps: [{ assistant_meta: dynamic, opaque: dynamic }] }] }],
    ["chat", { compaction: { opaque: dynamic } }],
    ["view", { entries: [dynamic], memory: { last: dynamic } }],
  ])("are not found in the opaque fields of a %s", (type, fields) => {
    expect(collectReferences({ type, ...fields })).toEqual([]);
    expect(collectReferences({ type: "other", ...fields })).not.toEqual([]);
    expect(collectReferences({ type, ...fields, user_ref: dynamic })).toHaveLength(1);
  });

  it.each([
    ["a dynamic one", dynamic, true],
    ["a static one", staticSample(), true],
    ["a static one that has a time", { ref: "static", id: "b", tx_time: "2026-01-01" }, true],
    ["a static one that has a hash", { ref: "static", id: "b", content_hash: "c" }, true],
    ["a static one that names no version", { ref: "static", id: "b" }, false],
    ["one without an id", { ref: "dynamic" }, false],
    ["another kind", { ref: "other", id: "b" }, false],
    ["a list", [dynamic], false],
    ["null", null, false],
  ])("are distinguished from other values: %s", (_name, value, expected) => {
    expect(isReference(value)).toBe(expected);
  });
});
