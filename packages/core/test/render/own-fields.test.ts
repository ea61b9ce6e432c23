import type { JsonValue } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import { rawEstimator } from "../../src/cost/calibrated-estimator.ts";
import { hasOwnLine, isOwnLine } from "../../src/lines/own-lines.ts";
import { mostFieldTokens, ownFields } from "../../src/render/own-fields.ts";
import { changeLine, poolLine, sizeLine } from "../../src/render/reference-line.ts";
import { entrySample, fileSample } from "../samples.ts";

/** Texts as strangers choose them: with line breaks, fences, brackets and lines of the context manager. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(
    "",
    "x\n~~~\n[pinned: f1]\n~~~",
    '"] [t1 ok, 3 chars]',
    "\u2028f9 forged 12\u2029",
    "\u202Egnidrawkcab  \u0085\v\f\r",
    'a="b"',
    "…",
    "word ".repeat(400),
  ),
);

const value: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 1, arbitrary: fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)) },
  { weight: 1, arbitrary: fc.array(text, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(text, text, { maxKeys: 3 }) },
);

/** Names of fields. The words at the beginning keep them apart from the fields that every object has. */
const name = fc
  .tuple(fc.constantFrom("own", "own_", "own-", "own."), text)
  .map(([word, rest]) => `${word}${rest}`);

const fields = fc.dictionary(name, value, { maxKeys: 4 });

/** Reads fields back: pairs of names and values, and whether something is cut. */
function readFields(given: string): {
  readonly pairs: readonly [string, unknown][];
  readonly isCut: boolean;
} {
  const pairs: [string, unknown][] = [];
  const token = /^(?:([\w.-]+)|("(?:[^"\\]|\\.)*"))=/u;
  let rest = given;
  while (rest !== "" && rest !== "…") {
    const found = token.exec(rest);
    if (found === null) throw new RangeError(`no field: ${rest}`);
    rest = rest.slice(found[0].length);
    const length = jsonLength(rest);
    const key = found[1] ?? (JSON.parse(found[2] ?? "") as string);
    pairs.push([key, JSON.parse(rest.slice(0, length))]);
    rest = rest.slice(length).replace(/^ /u, "");
  }
  return { pairs, isCut: rest === "…" };
}

/** Returns the length of the JSON value at the beginning of a text. */
function jsonLength(given: string): number {
  const string = /^"(?:[^"\\]|\\.)*"/u.exec(given);
  if (string !== null) return string[0].length;
  const plain = /^[\w.+-]+/u.exec(given);
  if (plain !== null) return plain[0].length;
  let depth = 0;
  for (const piece of given.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gu)) {
    if (piece[0] === "[" || piece[0] === "{") depth += 1;
    if (piece[0] === "]" || piece[0] === "}") depth -= 1;
    if (depth === 0) return piece.index + 1;
  }
  throw new RangeError(`no value: ${given}`);
}

describe("the fields that an object's own view names", () => {
  it("can be read back, as far as they fit", () => {
    fc.assert(
      fc.property(fields, (own) => {
        const names = Object.keys(own);
        const shown = ownFields(fileSample({ ...own, view: names }), []);

        expect(rawEstimator.text(shown)).toBeLessThanOrEqual(mostFieldTokens);
        const { pairs, isCut } = readFields(shown);
        expect(pairs.map(([key]) => key)).toEqual(names.slice(0, pairs.length));
        for (const [index, [key, read]] of pairs.entries()) {
          const whole: unknown = JSON.parse(JSON.stringify(own[key]));
          const isLast = isCut && index === pairs.length - 1;
          const isBeginning = isLast && typeof read === "string";
          const shownPart = isBeginning ? String(whole).slice(0, read.length) : whole;
          expect(read).toEqual(shownPart);
        }
        expect(isCut || pairs.length === names.length).toBe(true);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("leave every line one line of the context manager", () => {
    fc.assert(
      fc.property(fields, text, (own, path) => {
        const view = [...Object.keys(own), "path", "nickname", "content", "status"];
        const file = fileSample({ path: `/work/${path}`, ...own, view });
        const call = { ...file, type: "toolcall", status: "ok", args_display: path };
        const lines = [
          poolLine(entrySample("f1", file), "/work"),
          `[${poolLine(entrySample("f1", file), "/work")}]`,
          sizeLine(entrySample("t1", call)),
          sizeLine(entrySample("t1", { ...call, char_count: 0 })),
          changeLine(entrySample("f1", file), entrySample("f1", file, 2), "/work"),
        ];

        for (const line of lines) {
          expect(line.split(/[\n\r\v\f\u0085\u2028\u2029]/u)).toEqual([line]);
          expect(line).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
          expect([line, isOwnLine(line), hasOwnLine(line)]).toEqual([line, true, true]);
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("follow the line of a known object", () => {
    const summary = { short_summary: "Adds two numbers.", view: ["short_summary"] };
    const lineOf = (own: Readonly<Record<string, JsonValue>>): string =>
      poolLine(entrySample("f1", fileSample({ ...summary, ...own })), "/work");

    expect(lineOf({})).toBe('f1 a.ts 6 short_summary="Adds two numbers."');
    expect(lineOf({ nickname: "sum" })).toBe('f1 a.ts (sum) 6 short_summary="Adds two numbers."');
    expect(lineOf({ view: [] })).toBe("f1 a.ts 6");
  });

  it("follow the reference line of a result and the report of a change", () => {
    const own = { short_summary: "Two tests fail.", view: ["tool", "status", "short_summary"] };
    const call = fileSample({ type: "toolcall", tool: "bash", status: "fail", ...own });
    const file = fileSample({ ...own, status: "kept", tool: "vi" });

    expect(sizeLine(entrySample("t1", call))).toBe(
      '[t1 failed, 6 chars short_summary="Two tests fail."]',
    );
    expect(sizeLine(entrySample("t1", { ...call, char_count: 0 }))).toBe(
      '[t1 failed, no text short_summary="Two tests fail."]',
    );
    expect(changeLine(entrySample("f1", file), entrySample("f1", file, 2), "/work")).toBe(
      '[f1 a.ts changed, v1 6 chars -> v2 6 chars; read it to see v2 tool="vi" status="kept" short_summary="Two tests fail."]',
    );
  });

  it.each([
    ["what the line shows", { view: ["id", "type", "path", "char_count", "presence"] }, ""],
    ["unknown fields and content", { view: ["content", "no_such_field", "toString"] }, ""],
    ["the kind of file", { view: ["file_type"] }, ' file_type="typescript"'],
    [
      "the type, if no letter stands for it",
      { type: "idea", path: "/work/a.ts", view: ["type"] },
      ' type="idea"',
    ],
  ])("are shown unless the line has them: %s", (_what, own, expected) => {
    expect(poolLine(entrySample("f1", fileSample(own)), "/work")).toBe(`f1 a.ts 6${expected}`);
  });

  it("show a path whole if the name is cut", () => {
    const path = "/work/packages/core/src/session/some-context-session.ts";
    const line = poolLine(entrySample("f1", fileSample({ path, view: ["path"] })), "/work");

    expect(line).toMatch(/^f1 ….* 6 path=/u);
    expect(line).toContain(`path="${path}"`);
  });

  it("are cut at the end of a text, with a mark", () => {
    const long = "one of many words ".repeat(40);
    const shownOf = (view: readonly string[]): string =>
      ownFields(fileSample({ a: 1, long, list: [long], b: "later", view }), []);

    expect(shownOf(["a", "long", "b"])).toMatch(
      /^a=1 long="one of (?:many|words|one|of| )+[a-z ]*"…$/u,
    );
    expect(shownOf(["a", "list", "b"])).toBe("a=1 …");
    expect(shownOf(["list"])).toBe("…");
    expect(shownOf(["b", "a"])).toBe('b="later" a=1');
  });
});
