import type { ParsedDocument } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { expect, it } from "vitest";

import { markdownParser } from "../src/index.ts";

const word = fc.stringMatching(/^[a-zäß日0-9]{1,8}$/u);
const names = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));

/** A piece of a paragraph, with the names that its links have. */
interface Piece {
  readonly text: string;
  readonly links: readonly string[];
  readonly tags: readonly string[];
}

const nothing: Pick<Piece, "links" | "tags"> = { links: [], tags: [] };
const piece: fc.Arbitrary<Piece> = fc.oneof(
  word.map((text) => ({ ...nothing, text })),
  names.map((name) => ({ ...nothing, text: `[[${name}]]`, links: [name] })),
  names.map((name) => ({ ...nothing, text: `![[${name}#h|a b]]`, links: [name] })),
  word.map((name) => ({ ...nothing, text: `[t](${name}.md)`, links: [`${name}.md`] })),
  word.map((tag) => ({ ...nothing, text: `#t${tag}`, tags: [`t${tag}`] })),
  names.map((name) => ({ ...nothing, text: `\`[[${name}]] #x\`` })),
  names.map((name) => ({ ...nothing, text: `\\[\\[${name}]]` })),
  names.map((name) => ({ ...nothing, text: `[w](https://example.org/${name.split(" ")[0]})` })),
);
const paragraph = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => ({
  text: pieces.map(({ text }) => text).join(" "),
  links: pieces.flatMap(({ links }) => links),
  tags: pieces.flatMap(({ tags }) => tags),
}));
const block = fc.oneof(
  paragraph.map((one) => ({ ...one, text: `x ${one.text}` })),
  paragraph.map((one) => ({ ...one, text: `## H ${one.text}` })),
  paragraph.map((one) => ({ ...one, text: `> - ${one.text}\n>   more` })),
  paragraph.map((one) => ({ ...nothing, text: `\`\`\`\n${one.text}\n\`\`\`` })),
  paragraph.map((one) => ({ ...nothing, text: `<!-- ${one.text.replaceAll("--", "")} -->` })),
);

/** Checks that the text at each place is what was found there. */
function checkPlaces(text: string, { headings, links, tags }: ParsedDocument): void {
  for (const { range, syntax, raw, embed } of links) {
    const found = text.slice(...range);
    const mark = embed === true ? "!" : "";
    const expected = syntax === "wiki" ? `${mark}[[${raw}]]` : `${mark}[`;
    expect(found.slice(0, syntax === "wiki" ? undefined : expected.length)).toBe(expected);
  }
  for (const { range, tag } of tags) expect(text.slice(...range).replace(/^#/u, "")).toBe(tag);
  for (const { range, level } of headings) {
    const lines = text.slice(...range).split("\n");
    const signs = /^#+/u.exec(lines[0] ?? "")?.[0].length;
    const found =
      lines.length === 1 ? signs : { "=": 1, "-": 2 }[lines.at(-1)?.trim().at(-1) ?? ""];
    expect(found).toBe(level);
  }
}

it("finds exactly the links and tags of documents made of known pieces", () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 8 }),
      fc.constantFrom("\n\n", "\r\n\r\n"),
      fc.constantFrom("", "\uFEFF", "---\nup: '[[z]]'\ntags: [fm]\n---\n"),
      (blocks, blank, start) => {
        const text = start + blocks.map((one) => one.text).join(blank);
        const found = markdownParser.parse(text);

        expect(
          found.links.filter(({ path }) => path === "content").map(({ name }) => name),
        ).toEqual(blocks.flatMap(({ links }) => links));
        expect(found.tags.filter(({ path }) => path === "content").map(({ tag }) => tag)).toEqual(
          blocks.flatMap(({ tags }) => tags),
        );
        checkPlaces(text, found);
      },
    ),
  );
});

it("parses any text, with true places, and the same again", () => {
  const mark = fc.constantFrom(
    ..."[[|]]|![[|](|)|`|``|```|\n|\r\n|\n\n|#|# |- |> |    |\\|<!--|-->|<a |---\n|: |::|{{|}}|&a|*a|'|\"|%|~~~|$|@|=|\n==|\n--|| |x|ß|🌲|\uD800".split(
      "|",
    ),
  );
  fc.assert(
    fc.property(fc.array(mark, { maxLength: 60 }), (marks) => {
      const text = marks.join("");
      const found = markdownParser.parse(text);

      checkPlaces(text, found);
      expect(markdownParser.parse(text)).toEqual(found);
    }),
  );
});
