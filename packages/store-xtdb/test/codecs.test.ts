import type { JsonValue } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { edn } from "../src/client/edn.ts";
import { packText, unpackText } from "../src/xtdb-documents/packed-text.ts";
import { readTransit } from "../src/client/transit.ts";

it.each<[JsonValue, string]>([
  [null, "nil"],
  [true, "true"],
  [[1, -2.5, 1e21], "[1 -2.5 1e+21]"],
  ['a "b"\n\u0000\\', '"a \\"b\\"\\n\\u0000\\\\"'],
  [["\u{1f600}", []], '["\u{1f600}" []]'],
  [{ a: 1, "b c": [null] }, '{"a" 1 "b c" [nil]}'],
])("writes %j as EDN", (value, text) => {
  expect(edn(value)).toBe(text);
});

it("escapes an argument so that it cannot end its string in the query", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      // Between the quotes, each quote and each backslash is escaped.
      expect(edn(text)).toMatch(/^"(?:[^"\\]|\\.)*"$/su);
    }),
  );
});

it("reads transit as plain values, with times exact to the millisecond", () => {
  const text =
    '["^ ","~:xtdb.api/tx-id",7,"~:xtdb.api/tx-time","~m1795314914155","~:list",["~#list",' +
    '[["^ ","~:scm/of","~~x"],["^ ","^3","^3 is a text"],["~#set",["~:k"]],["~#xtdb/oid","id"]]]]';

  // `^3` is the code of the keyword `:list`. A text that begins with `^` is escaped.
  const read = readTransit(text.replace('"^3 is a text"', '"~^3 is a text"'));

  expect(read).toMatchObject({
    "xtdb.api/tx-id": 7,
    "xtdb.api/tx-time": "2026-11-22T02:35:14.155Z",
  });
  expect(JSON.stringify(read)).toContain('"scm/of":"~x"');
  expect(JSON.stringify(read)).toContain('"^3 is a text"');
  expect(JSON.stringify(read)).toContain('["k"],"id"');
});

it("reads a field named __proto__ as an ordinary field", () => {
  const read = readTransit('["^ ","~:__proto__",["^ ","~:a",1]]');

  expect(Object.hasOwn(read as object, "__proto__")).toBe(true);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

it("packs a text only if it becomes shorter, and unpacks it unchanged", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.integer({ min: 1, max: 300 }),
      (part, times) => {
        const text = part.repeat(times);
        const packed = packText(text);
        if (packed === undefined) return;
        expect(packed.length).toBeLessThan(text.length);
        expect(unpackText(packed)).toBe(text);
      },
    ),
  );
});

it("throws a damage error for a text that was never packed", () => {
  expect(() => unpackText("no base64 of anything")).toThrow(/cannot be unpacked/u);
});
