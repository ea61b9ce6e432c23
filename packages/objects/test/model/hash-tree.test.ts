import * as fc from "fast-check";
import stableStringify from "fast-json-stable-stringify";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/model/canonical-json.ts";
import { treeText } from "../../src/model/hash-tree.ts";
import { type JsonObject, type JsonValue, toJson } from "../../src/model/json.ts";
import { opaqueFields } from "../../src/model/opaque-fields.ts";
import { sha256 } from "../../src/model/sha256.ts";
import { staticSample } from "../samples.ts";

/** JSON values without a reference. */
const plainJson = fc
  .jsonValue({ maxDepth: 5 })
  .map((value) => toJson(value))
  .filter((value) => !JSON.stringify(value).includes('"ref"'));

describe("the text of a hash tree", () => {
  it("is the canonical JSON of a small value without a reference", () => {
    fc.assert(
      fc.property(plainJson, (value) => {
        fc.pre(canonicalJson(value).length <= 1_024 && !hasLongList(value));

        expect(treeText(value)).toBe(stableStringify(value));
      }),
    );
  });

  it("is that of the rule written out, for values that are long, grow and are frozen", () => {
    fc.assert(
      fc.property(fc.array(grownJson(), { minLength: 1, maxLength: 6 }), (values) => {
        for (const value of values) {
          deepFreeze(value);

          expect(treeText(value)).toBe(asRuled(value));
          expect(treeText(value)).toBe(asRuled(value));
        }
      }),
    );
  });

  it("follows a long list that grows, shrinks and changes in the middle", () => {
    const items = Array.from({ length: 300 }, (_, index) =>
      Object.freeze({ index, name: `item ${index}` }),
    );
    for (const list of [
      items,
      items.slice(0, 299),
      items.slice(1),
      items.with(10, Object.freeze({ index: -1, name: "item -1" as const })),
      [...items, Object.freeze({ index: 300, name: "more" })],
    ])
      expect(treeText({ list })).toBe(asRuled({ list }));
  });

  it("represents a long part by its hash, and a list of more than 64 items by its groups", () => {
    const long = { text: "x".repeat(1_024) };
    const numbers = Array.from({ length: 65 }, () => 1);

    expect(treeText({ long })).toBe(`{"long":#${sha256(canonicalJson(long))}}`);
    expect(treeText(numbers)).toBe(`#[[${numbers.slice(1).join(",")}],[1]]`);
    expect(treeText([numbers.slice(1), [1]])).not.toBe(treeText(numbers));
  });

  it("omits the transaction of references at every depth", () => {
    const text = treeText({ a: [{ b: staticSample() }], user: { memory: staticSample() } });

    expect(text).not.toContain("tx_");
    expect(text).toContain('"ref":"static"');
  });

  it("keeps the time of a reference that only its time distinguishes from others", () => {
    const at = (time: string): string =>
      treeText({ a: { ref: "static", id: "x", tx_time: `${time}T00:00:00.000Z` } });

    expect(at("2026-01-01")).not.toBe(at("2026-01-02"));
  });

  it("writes opaque parts unchanged, even if they look like a reference", () => {
    const value = { type: "toolcall", args: { deeper: [staticSample()] } };

    expect(treeText(value, opaqueFields(value))).toBe(stableStringify(value));
    expect(treeText(value)).not.toBe(stableStringify(value));
  });

  it("does not depend on the place where a frozen part was met first", () => {
    const shared = Object.freeze({ file: Object.freeze(staticSample({ tx_id: 41 })) });
    const value = { type: "toolcall", other: shared, args: shared };
    const apart = toJson(value) as JsonObject;

    for (const one of [value, apart])
      expect(treeText(one, opaqueFields(one))).toBe(treeText(apart, opaqueFields(apart)));
  });

  it("sorts keys by UTF-16 units", () => {
    const value = { "\uFF5E": 1, "😀": 2, b: 3, a: 4, B: 5 };

    expect(treeText(value)).toBe('{"B":5,"a":4,"b":3,"😀":2,"\uFF5E":1}');
    expect(canonicalJson(value)).toBe(treeText(value));
  });
});

/** Values with long lists and long texts. */
function grownJson(): fc.Arbitrary<JsonValue> {
  const item = fc.oneof(
    plainJson,
    fc.integer({ min: 0, max: 1_200 }).map((length) => ({ text: "ä".repeat(length) })),
  );
  const list = fc
    .tuple(fc.array(item, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 200 }))
    .map(([items, length]) =>
      Array.from({ length }, (_, index) => ({ index, item: items[index % items.length] ?? null })),
    );
  return fc.oneof(list, fc.record({ list, item }), fc.array(list, { maxLength: 3 }));
}

/** The rule without caches. */
function asRuled(value: JsonValue): string {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const listed = (some: readonly JsonValue[]): string => `[${some.map(part).join(",")}]`;
    if (items.length <= 64) return listed(items);
    const groups: string[] = [];
    for (let start = 0; start < items.length; start += 64) {
      const text = listed(items.slice(start, start + 64));
      groups.push(text.length > 1_024 ? `#${sha256(text)}` : text);
    }
    return `#[${groups.join(",")}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields
    .map((field) => `${JSON.stringify(field)}:${part((value as JsonObject)[field] ?? null)}`)
    .join(",")}}`;
}

function part(value: JsonValue): string {
  const text = asRuled(value);
  return typeof value === "object" && value !== null && text.length > 1_024
    ? `#${sha256(text)}`
    : text;
}

function hasLongList(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  const inner = Object.values(value) as readonly JsonValue[];
  return inner.length > 64 || inner.some((item) => hasLongList(item));
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) deepFreeze(inner);
  Object.freeze(value);
}
