import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/model/json.ts";
import { shareParts } from "../../src/store-kit/share-parts.ts";
import { deepFreeze } from "../../src/store-kit/stored-form.ts";

function frozen(value: unknown): JsonValue {
  const copy = JSON.parse(JSON.stringify(value)) as JsonValue;
  deepFreeze(copy);
  return copy;
}

const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false }).filter((one) => one !== null);

describe("the shared parts of two values", () => {
  it("never change the value, nor the order of its fields", () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        const value = frozen(other);

        const shared = shareParts(frozen(one), value);

        expect(JSON.stringify(shared)).toBe(JSON.stringify(value));
      }),
    );
  });

  it("are the whole earlier value if the values are equal", () => {
    fc.assert(
      fc.property(json, (one) => {
        const before = frozen(one);

        expect(shareParts(before, frozen(one))).toBe(before);
      }),
    );
  });

  it("are the items at the beginning and at the end of a list", () => {
    const before = frozen([{ a: 1 }, { b: 2 }, { c: 3 }]) as readonly JsonValue[];
    const value = frozen([{ a: 1 }, { new: 1 }, { new: 2 }, { c: 3 }]);

    const shared = shareParts(before, value) as readonly JsonValue[];

    expect(shared[0]).toBe(before[0]);
    expect(shared[3]).toBe(before[2]);
    expect(Object.isFrozen(shared)).toBe(true);
  });

  it("leave out objects with another order of fields", () => {
    const shared = shareParts(frozen({ of: { a: 1, b: 2 } }), frozen({ of: { b: 2, a: 1 } }));

    expect(JSON.stringify(shared)).toBe('{"of":{"b":2,"a":1}}');
  });
});
