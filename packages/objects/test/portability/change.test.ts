import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import type { OpaqueInside } from "../../src/model/opaque-fields.ts";
import { applyChange } from "../../src/portability/change-apply.ts";
import { encodeChange } from "../../src/portability/change-encode.ts";
import { hasSameJson, isLonger, lineJson } from "../../src/portability/line-json.ts";

const none: ReadonlySet<string> = new Set();

/** Values with few different parts, so that earlier and later ones have parts in common. */
const arbitraryValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonValue>(null, true, 0, -1.5, 7, "", "\u{1f600}\u{1f600}"),
    fc
      .tuple(fc.constantFrom("a", "long ", "\u{1f600}", "\u{1f601}"), fc.nat(60))
      .map(([part, count]) => part.repeat(count)),
    fc.string({ unit: "grapheme", maxLength: 8 }),
    fc.array(tie("value"), { maxLength: 8 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "9", "10", "__proto__", "é"), tie("value")),
  ),
})).value;

const arbitraryObject: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom("a", "b", "args", "turns", "__proto__"),
  arbitraryValue,
);

const arbitraryOpaque: fc.Arbitrary<OpaqueInside> = fc.constantFrom<OpaqueInside>(undefined, true, {
  args: true,
  turns: { a: true },
});

describe("a change", () => {
  it("gives the later object again, and leaves the earlier one as it is", () => {
    fc.assert(
      fc.property(arbitraryObject, arbitraryObject, arbitraryOpaque, (before, after, opaque) => {
        const former = JSON.stringify(before);
        const change = JSON.parse(encodeChange(before, after, within(opaque), none)) as JsonValue;

        const applied = applyChange(before, change);

        expect(lineJson(applied, within(opaque))).toBe(lineJson(after, within(opaque)));
        expect(JSON.stringify(before)).toBe(former);
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives nearly equal objects again", () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryValue, { minLength: 4, maxLength: 30 }),
        fc.array(fc.tuple(fc.nat(), arbitraryValue), { maxLength: 4 }),
        fc.nat(3),
        (items, edits, shift) => {
          const edited = [...items];
          for (const [place, value] of edits) edited[place % edited.length] = value;
          const before = { turns: items, text: JSON.stringify(items) };
          const after = { turns: edited.slice(shift), text: JSON.stringify(edited) };
          const change = encodeChange(before, after, undefined, none);

          expect(lineJson(applyChange(before, JSON.parse(change) as JsonValue), undefined)).toBe(
            lineJson(after, undefined),
          );
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("does not depend on the order of fields that are not opaque", () => {
    fc.assert(
      fc.property(arbitraryObject, arbitraryObject, (before, after) => {
        const change = encodeChange(before, after, undefined, none);

        expect(encodeChange(reversed(before), reversed(after), undefined, none)).toBe(change);
      }),
    );
  });

  it("throws a RangeError for any JSON that is no change of the object", () => {
    const before = { text: "one two three", list: [1, 2, 3], facts: { a: 1 } };
    fc.assert(
      fc.property(arbitraryValue, (change) => {
        const outcome = outcomeOf(() => applyChange(before, change));

        const isError = outcome instanceof Error;
        expect(isError ? outcome instanceof RangeError : isJsonObject(outcome)).toBe(true);
      }),
    );
  });

  it("writes only the ends of a list whose items move on", () => {
    const items = Array.from({ length: 90 }, (_, index) => `t${index}`);
    const before = { recent: items };
    const after = { recent: [...items.slice(2), "t90"] };

    expect(JSON.parse(encodeChange(before, after, undefined, none))).toEqual({
      change: {
        recent: [
          { start: 0, end: 2, with: [] },
          { start: 90, end: 90, with: ["t90"] },
        ],
      },
    });
  });

  it("writes only the part of an item that changed", () => {
    const steps = Array.from({ length: 9 }, (_, index) => ({ said: "long ".repeat(9), index }));
    const before = { turns: [{ user: "one", steps }] };
    const after = { turns: [{ user: "one", steps: [...steps, "next"] }, { user: "two" }] };

    expect(JSON.parse(encodeChange(before, after, undefined, none))).toEqual({
      change: {
        turns: [
          { at: 0, change: { change: { steps: [{ start: 9, end: 9, with: ["next"] }] } } },
          { start: 1, end: 1, with: [{ user: "two" }] },
        ],
      },
    });
  });

  it("keeps the order of the fields of opaque parts", () => {
    const long = "long ".repeat(40);
    const before = { args: { z: long, a: long, n: 1 } };
    const after = { args: { a: long, z: long, n: 2 } };
    const change = encodeChange(before, after, { args: true }, none);

    expect(JSON.stringify(applyChange(before, JSON.parse(change) as JsonValue))).toBe(
      JSON.stringify(after),
    );
  });

  it.each<[string, JsonValue]>([
    ["an unknown part", { add: {} }],
    ["a removed field that is not there", { remove: ["other"] }],
    ["a changed field that is not there", { change: { other: { set: {} } } }],
    ["a span past the end of a text", { change: { text: { start: 0, end: 14, with: "" } } }],
    ["a span that ends before its start", { change: { text: { start: 2, end: 1, with: "" } } }],
    ["a span of a number", { change: { number: { start: 0, end: 0, with: "" } } }],
    ["an item past the end", { change: { list: [{ at: 3, change: { set: {} } }] } }],
    [
      "spans in another order",
      {
        change: {
          list: [
            { start: 2, end: 2, with: [] },
            { start: 0, end: 1, with: [] },
          ],
        },
      },
    ],
    ["a span with two meanings", { change: { text: { start: 0, end: 0, with: "", at: 1 } } }],
  ])("is refused with %s", (_, change) => {
    const before = { text: "one two three", list: [{}, {}, {}], number: 1 };

    expect(() => applyChange(before, change)).toThrow(RangeError);
  });
});

it("compares the JSON of values as their text", () => {
  fc.assert(
    fc.property(arbitraryValue, arbitraryValue, arbitraryOpaque, (one, other, opaque) => {
      const isSame = lineJson(one, opaque) === lineJson(other, opaque);

      expect(hasSameJson(one, other, opaque)).toBe(isSame);
      expect(hasSameJson(one, structuredClone(one), opaque)).toBe(true);
    }),
  );
});

it("measures the characters of JSON without escapes", () => {
  fc.assert(
    fc.property(arbitraryValue, (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes("\\"));

      expect(isLonger(value, text.length - 1)).toBe(true);
      expect(isLonger(value, text.length)).toBe(false);
    }),
  );
});

/** Returns the opaque parts of an object whose own fields are in canonical order. */
function within(opaque: OpaqueInside): OpaqueInside {
  return opaque === true ? { a: true, b: true, args: true, turns: true } : opaque;
}

function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

function reversed(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).toReversed());
}
