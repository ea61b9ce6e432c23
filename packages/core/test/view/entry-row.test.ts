import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import { entryRow, readEntryRow } from "../../src/view/entry-row.ts";
import type { ShownPart, ViewEntry } from "../../src/view/view-entry.ts";

const count = fc.nat(5_000);
const tokens = count;
const version = fc.integer({ min: 1, max: 400 });
const of = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom("t", "f", "n", "o"), version).map((one) => one.join("")),
  },
  { weight: 1, arbitrary: fc.constantFrom("chat", "weird handle", "a]b", "f1@2", "") },
);

const part: fc.Arbitrary<ShownPart> = fc.oneof(
  fc.record({
    of,
    version,
    form: fc.constantFrom(
      "whole" as const,
      "above" as const,
      "line" as const,
      "counted-edit" as const,
      "counted-move" as const,
      "counted-deletion" as const,
    ),
  }),
  fc.record({ of, version, form: fc.constant("lines" as const), from: count, to: count }),
  fc.record({ of, version, form: fc.constant("above" as const), from: count, to: count }),
  fc.record({ of, version, form: fc.constant("part" as const), head: count, tail: count }),
  fc.record({
    of,
    version,
    form: fc.constantFrom("above" as const, "line" as const),
    forBudget: fc.constant(true as const),
  }),
  fc.record({
    of,
    version,
    form: fc.constant("lines" as const),
    from: count,
    to: count,
    forBudget: fc.constant(true as const),
  }),
  fc.record({ of, version, form: fc.constant("diff" as const), since: version }),
  fc.record({ of, version, form: fc.constant("lines" as const), from: count }),
);

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "\n", "[t1 ok] 5", "a\nb "),
);

const stub = fc.oneof(
  fc.record({ call: count }),
  fc.record({ call: count, of, version }),
  fc.record({ call: count, of, version, before: count }),
  fc.record({ call: count, of }),
  fc.record({ call: count, before: count }),
  fc.record({ call: count, replaced: count }),
  fc.record({ call: count, of, version, replaced: count }),
  fc.record({ call: count, of, version, before: count, replaced: count }),
  fc.record({ call: count, head: count }),
  fc.record({ call: count, of, version, head: count }),
  fc.record({ call: count, replaced: count, head: count }),
);

const resultAt = {
  type: fc.constant("result" as const),
  turn: count,
  step: count,
  call: count,
};

const userPart = fc.oneof(
  fc.record({ block: count, of, version }),
  fc.record({ block: count, of, version, head: count, tail: count }),
  fc.record({ block: count, of, version, head: count }),
  fc.record({ block: count, of, version, gone: fc.constant(true as const) }),
);

const entry: fc.Arbitrary<ViewEntry> = fc.oneof(
  fc.record({
    type: fc.constant("user" as const),
    turn: count,
    parts: fc.array(userPart),
    tokens,
  }),
  fc.record({ type: fc.constant("user" as const), turn: count, tokens }),
  fc.record({ type: fc.constant("user" as const), turn: count, head: count, tokens }),
  fc.record({ type: fc.constant("assistant" as const), turn: count, step: count, tokens }),
  fc.record({
    type: fc.constant("assistant" as const),
    turn: count,
    step: count,
    stubs: fc.array(stub),
    tokens,
  }),
  fc.record(
    {
      type: fc.constant("assistant" as const),
      turn: count,
      step: count,
      thinking: fc.constantFrom("left-out" as const, "all-left-out" as const),
      stubs: fc.array(stub),
      tokens,
    },
    { requiredKeys: ["type", "turn", "step", "thinking", "tokens"] },
  ),
  fc.record({ type: fc.constant("opaque" as const), turn: count, step: count, tokens }),
  fc.record({ type: fc.constant("summary" as const), tokens }),
  fc.record({ type: fc.constant("notice" as const), text, tokens }),
  fc.record({ type: fc.constant("object" as const), shows: fc.array(part), tokens }),
  fc.record({
    ...resultAt,
    form: fc.constantFrom("bare" as const, "reference" as const),
    tokens,
  }),
  fc.record({
    ...resultAt,
    of,
    version,
    replaces: fc.record({ of, version, above: version }),
    form: fc.constant("shown" as const),
    shows: fc.array(part),
    tokens,
  }),
);

/** The place and the object of a tool's result. */
const result = { type: "result", turn: 2, step: 3, call: 0, of: "t31", version: 1 } as const;

describe("the rows of a view", () => {
  it("contain every entry completely", () => {
    fc.assert(
      fc.property(entry, (one) => {
        const row = JSON.parse(JSON.stringify(entryRow(one)));

        expect(readEntryRow(row)).toEqual(one);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it.each<readonly [string, ViewEntry]>([
    ["u12 38", { type: "user", turn: 12, tokens: 38 }],
    [
      "u12 0=u1@1:2000+800,2=u2@1 940",
      {
        type: "user",
        turn: 12,
        parts: [
          { block: 0, of: "u1", version: 1, head: 2000, tail: 800 },
          { block: 2, of: "u2", version: 1 },
        ],
        tokens: 940,
      },
    ],
    ["r2.3.0 t31@1 bare 52", { ...result, form: "bare", tokens: 52 }],
    ["r2.3.0 t31@1 ref 16", { ...result, form: "reference", tokens: 16 }],
    [
      "r2.3.0 t31@1 whole 480",
      {
        ...result,
        form: "shown",
        shows: [{ of: "t31", version: 1, form: "whole" }],
        tokens: 480,
      },
    ],
    [
      "a2.3 0=f2@4,1 40",
      {
        type: "assistant",
        turn: 2,
        step: 3,
        stubs: [{ call: 0, of: "f2", version: 4 }, { call: 1 }],
        tokens: 40,
      },
    ],
    [
      "a2.3 0=f2@4/3 40",
      {
        type: "assistant",
        turn: 2,
        step: 3,
        stubs: [{ call: 0, of: "f2", version: 4, before: 3 }],
        tokens: 40,
      },
    ],
    [
      "a2.3 0-120=f2@3,1-120 60",
      {
        type: "assistant",
        turn: 2,
        step: 3,
        stubs: [
          { call: 0, of: "f2", version: 3, replaced: 120 },
          { call: 1, replaced: 120 },
        ],
        tokens: 60,
      },
    ],
    [
      "a2.3 0+200,1 60",
      {
        type: "assistant",
        turn: 2,
        step: 3,
        stubs: [{ call: 0, head: 200 }, { call: 1 }],
        tokens: 60,
      },
    ],
    [
      "a2.3 -all-thinking 0+200 60",
      {
        type: "assistant",
        turn: 2,
        step: 3,
        thinking: "all-left-out",
        stubs: [{ call: 0, head: 200 }],
        tokens: 60,
      },
    ],
    [
      "a2.3 -thinking 60",
      { type: "assistant", turn: 2, step: 3, thinking: "left-out", tokens: 60 },
    ],
    [
      "a2.3 -thinking 1 40",
      {
        type: "assistant",
        turn: 2,
        step: 3,
        thinking: "left-out",
        stubs: [{ call: 1 }],
        tokens: 40,
      },
    ],
    [
      "b [f2@4:lines=10-20 f3@1:above] 90",
      {
        type: "object",
        shows: [
          { of: "f2", version: 4, form: "lines", from: 10, to: 20 },
          { of: "f3", version: 1, form: "above" },
        ],
        tokens: 90,
      },
    ],
    [
      "r2.3.0 t31@1 [f2@4:above=1-2] 14",
      {
        ...result,
        form: "shown",
        shows: [{ of: "f2", version: 4, form: "above", from: 1, to: 2 }],
        tokens: 14,
      },
    ],
    ["n 12 [f2 changed]", { type: "notice", text: "[f2 changed]", tokens: 12 }],
  ])("are short: %s", (row, one) => {
    expect(entryRow(one)).toBe(row);
    expect(JSON.stringify(readEntryRow(row))).toBe(JSON.stringify(one));
  });

  it("are stored as objects if a handle has another shape", () => {
    const odd: ViewEntry = {
      type: "object",
      shows: [{ of: "a b", version: 1, form: "whole" }],
      tokens: 3,
    };

    const stored = { is: "object", shows: [{ of: "a b", version: 1, as: "whole" }], tokens: 3 };
    expect(JSON.stringify(entryRow(odd))).toBe(JSON.stringify(stored));
    expect(readEntryRow(stored)).toEqual(odd);
  });

  it.each(["", "x", "u", "r1.2 3", "a1.2", "b [f1@2:odd] 3"])(
    "rejects an invalid row: %j",
    (row) => {
      expect(() => readEntryRow(row)).toThrow("not an entry of a view:");
    },
  );
});
