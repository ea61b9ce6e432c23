import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import { fenced, contentBlock } from "../../src/render/content-block.ts";
import { entrySample, fileSample } from "../samples.ts";

/** Texts that try to close their fence and to open another. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "~~~",
        "~~~~",
        "~~~~~~~~",
        "\n",
        "\r\n",
        "\r",
        "\u2028",
        "```",
        " ",
        "f1 a.ts v1",
        "   ~~~",
      ),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    ),
    { maxLength: 20 },
  )
  .map((pieces) => pieces.join(""));

describe("the fence of a content", () => {
  it("returns exactly the content for any text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const parsed = parseFences(`header\n${fenced(text)}\nafter`);

        const shown = text === "" || text.endsWith("\n") ? text : `${text}\n`;
        expect(parsed).toEqual([{ content: shown }]);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("has longer rows than any row of tildes in the content, and at least three tildes", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [row = ""] = fenced(text).split("\n");
        const longest = Math.max(2, ...[...text.matchAll(/~+/gu)].map(([run]) => run.length));

        expect(row).toMatch(/^~+$/u);
        expect(row.length).toBeGreaterThan(longest);
        expect(fenced(text).endsWith(`\n${row}`)).toBe(true);
      }),
    );
  });

  it("is separate from others, and no content can leave its fence", () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 2, maxLength: 4 }), (texts) => {
        const blocks = texts.map((text, index) =>
          contentBlock(entrySample(`f${index}`, fileSample()), "/work", text, undefined),
        );

        const parsed = parseFences(blocks.join("\n"));

        expect(parsed.map(({ content }) => content)).toEqual(
          texts.map((text) => (text === "" || text.endsWith("\n") ? text : `${text}\n`)),
        );
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it.each([
    ["part", "a\nb\nc\n", { from: 2, to: 3 }, "f12 a.ts v3 lines 2-3 of 3\n~~~\nb\nc\n~~~"],
    ["part beyond its end", "a\n", { from: 5, to: 9 }, "f12 a.ts v3 lines 5-9 of 1\n~~~\n~~~"],
  ])(
    "is below the object, the version and the lines that are shown of a %s",
    (_, text, range, block) => {
      expect(contentBlock(entrySample("f12", fileSample(), 3), "/work", text, range)).toBe(block);
    },
  );
});

/** Returns the fenced contents of a text, by the rules of Markdown (CommonMark 4.5) for fences of tildes. */
function parseFences(text: string): readonly { readonly content: string }[] {
  const found: { content: string }[] = [];
  let open: { fence: number; lines: string[] } | undefined;
  for (const line of text.split(/(?<=\n)/u)) {
    const run = /^ {0,3}(~{3,})[ \t]*(.*?)\r?\n?$/u.exec(line);
    if (open === undefined) {
      if (run !== null) open = { fence: run[1]?.length ?? 0, lines: [] };
    } else if (run !== null && run[2] === "" && (run[1]?.length ?? 0) >= open.fence) {
      found.push({ content: open.lines.join("") });
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  return found;
}
