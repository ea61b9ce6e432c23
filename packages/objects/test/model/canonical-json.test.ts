import * as fc from "fast-check";
import stableStringify from "fast-json-stable-stringify";
import { describe, expect, it } from "vitest";
import { canonicalJson, joinedText, writeCanonical } from "../../src/model/canonical-json.ts";
import { type JsonValue, toJson } from "../../src/model/json.ts";
import { staticSample } from "../samples.ts";

/** JSON values without a reference. */
const plainJson = fc
  .jsonValue({ maxDepth: 5 })
  .map((value) => toJson(value))
  .filter((value) => !JSON.stringify(value).includes('"ref"'));

describe("canonical JSON for hashing", () => {
  it("equals fast-json-stable-stringify for values without a reference", () => {
    fc.assert(
      fc.property(plainJson, (value) => {
        expect(written(value)).toBe(stableStringify(value));
      }),
    );
  });

  it("is the same for frozen values, whether they are written for the first time or again", () => {
    fc.assert(
      fc.property(fc.array(plainJson, { maxLength: 100 }), (values) => {
        const wanted = stableStringify(values);

        deepFreeze(values);

        expect(written(values)).toBe(wanted);
        expect(written(values)).toBe(wanted);
        expect(written([...values.slice(0, 3), 1])).toBe(
          stableStringify([...values.slice(0, 3), 1]),
        );
      }),
    );
  });

  it("writes long lists like short ones", () => {
    const list = Array.from({ length: 300 }, (_, index) => ({ index, name: `item ${index}` }));

    deepFreeze(list);

    expect(written(list)).toBe(stableStringify(list));
    expect(written(list.slice(1))).toBe(stableStringify(list.slice(1)));
    expect(written(list.with(10, { index: -1, name: "other" }))).toBe(
      stableStringify(list.with(10, { index: -1, name: "other" })),
    );
  });

  it("writes long cached parts in any script within other cached parts", () => {
    const long = { text: "ありがとう, ".repeat(1_000), next: "word ".repeat(1_000) };
    const list = Array.from({ length: 64 }, (_, index) => ({ index, long, name: `é ${index}` }));

    deepFreeze(list);

    for (const value of [long, list, [list, long, 1], { list, long }]) {
      expect(written(value)).toBe(stableStringify(value));
      expect(written(value)).toBe(stableStringify(value));
    }
  });

  it("omits the transaction of references at every depth", () => {
    const text = written({ a: [{ b: staticSample() }] });

    expect(text).not.toContain("tx_");
    expect(text).toContain('"ref":"static"');
  });

  it("writes a value in a foreign field unchanged, even if it looks like a reference", () => {
    for (const field of ["args", "details", "blocks", "user", "assistant", "opaque"]) {
      const value = { turns: [{ [field]: { deeper: staticSample() } }] };

      expect(written(value)).toBe(stableStringify(value));
    }
  });

  it("sorts keys by UTF-16 units", () => {
    const value = { "\uFF5E": 1, "😀": 2, b: 3, a: 4, B: 5 };

    expect(written(value)).toBe('{"B":5,"a":4,"b":3,"😀":2,"\uFF5E":1}');
    expect(canonicalJson(value)).toBe(written(value));
  });
});

function written(value: JsonValue): string {
  const pieces: string[] = [];
  writeCanonical(value, (piece) => void pieces.push(joinedText([piece])));
  return pieces.join("");
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) deepFreeze(inner);
  Object.freeze(value);
}
