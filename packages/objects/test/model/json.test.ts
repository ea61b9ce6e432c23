import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/model/canonical-json.ts";
import {
  fieldsOf,
  isJsonList,
  toJson,
  toJsonWithBase64,
  toLimitedJson,
} from "../../src/model/json.ts";

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  stringUnit: "binary",
} as Parameters<typeof fc.anything>[0]);

describe("a foreign value that is made storable", () => {
  it("survives the conversion to JSON text and back, UTF-16 unit for unit", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const json = toJson(value);

        expect(JSON.parse(JSON.stringify(json))).toEqual(normalZero(json));
      }),
    );
  });

  it("contains only well-formed text at every depth", () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(JSON.stringify(toJson(value))).not.toMatch(/\\ud[89a-f]/u);
      }),
    );
  });

  it("stays the same when it is converted again", () => {
    fc.assert(
      fc.property(anything, (value) => {
        const json = toJson(value);

        expect(toJson(json)).toEqual(json);
      }),
    );
  });

  it("equals the result of JSON.parse(JSON.stringify()) for plain data", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        fc.pre(text.isWellFormed() && !/\\ud[89a-f]/u.test(text));

        expect(JSON.stringify(toJson(value))).toBe(text);
      }),
    );
  });

  it.each([
    ["undefined", undefined, null],
    ["a function", () => 1, null],
    ["not a number", Number.NaN, null],
    ["a bigint", 12n, "12"],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["a lone surrogate", "a\ud800b", "a\uFFFDb"],
    ["a list with holes", [1, , 3], [1, null, 3]], // oxlint-disable-line no-sparse-arrays
    ["a field without a value", { a: undefined, b: 1 }, { b: 1 }],
  ])("replaces or drops %s", (_name, value, expected) => {
    expect(toJson(value)).toEqual(expected);
  });

  it("cuts cycles and keeps repeated values", () => {
    const twice = { x: 1 };
    const circle: Record<string, unknown> = { one: twice, two: twice };
    circle["self"] = circle;

    expect(toJson(circle)).toEqual({ one: { x: 1 }, two: { x: 1 }, self: null });
  });

  it("keeps a field named __proto__ as a field", () => {
    const value: unknown = JSON.parse('{"__proto__": {"polluted": true}}');

    const json = toJson(value);

    expect(JSON.stringify(json)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("a value of unknown form", () => {
  it("has its own fields if it is an object, and otherwise none", () => {
    const object = { a: 1 };

    expect(fieldsOf(object)).toBe(object);
    expect([null, [1], "text", undefined].map(fieldsOf)).toEqual([{}, {}, {}, {}]);
  });

  it("is a list only if it is one", () => {
    expect([[], {}, null, "text"].map(isJsonList)).toEqual([true, false, false, false]);
  });
});

describe("a value that is nested very deeply", () => {
  const nested = (depth: number): unknown => {
    let value: unknown = "deep";
    for (let level = 0; level < depth; level += 1) value = [value];
    return value;
  };

  it.each([521, 2_000])("has its inner part as JSON in a text: %d levels", (depth) => {
    const json = toJson(nested(depth));

    const text = JSON.stringify(json);
    expect(text).toContain(JSON.stringify(JSON.stringify(nested(depth - 520))));
    expect(canonicalJson(json)).toBe(text);
  });

  it("is cut some levels earlier if an object will contain it, so that it is cut once", () => {
    const { json, isCut } = toLimitedJson(nested(2_000));
    const body = { turns: [{ steps: [{ assistant: [{ arguments: json }] }] }] };

    expect(isCut).toBe(true);
    expect(toJson(body)).toEqual(body);
    expect(toLimitedJson(nested(500))).toEqual({ json: nested(500), isCut: false });
  });

  it("says so where no JSON can be made", () => {
    expect(JSON.stringify(toJson(nested(1_000_000)))).toContain("[nested too deeply]");
  });
});

describe("a foreign value with bytes", () => {
  it("has them as base64 at every depth, also those of a Buffer", () => {
    const bytes = new Uint8Array([1, 2, 3]);

    expect(toJsonWithBase64({ list: [bytes], buffer: Buffer.from(bytes) })).toEqual({
      list: ["AQID"],
      buffer: "AQID",
    });
  });

  it("is otherwise converted in the same way", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true }), (value) => {
        expect(toJsonWithBase64(value)).toEqual(toJson(value));
      }),
    );
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;

    expect(toJsonWithBase64(circle)).toEqual({ self: null });
  });
});

/** Replaces -0 by 0 at every depth, because JSON writes -0 as 0. */
function normalZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) => (inner === 0 ? 0 : inner));
}
