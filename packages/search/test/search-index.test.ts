import {
  objectId,
  type SearchHit,
  type SearchIndex,
  type SearchText,
} from "@self-context-manager/objects";
import * as fc from "fast-check";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";

import { openSearchIndex, queryWords, splitWords } from "../src/index.ts";

function textOf(id: string, text: string, others: Partial<SearchText> = {}): SearchText {
  return { id: objectId(id), version: 1, place: "", type: "note", text, ...others };
}

async function found(index: SearchIndex, words: string): Promise<readonly string[]> {
  return (await index.search({ words })).map(({ id }) => id);
}

describe("words", () => {
  it.each([
    ["readFile_v2", "read file v 2 readfilev2"],
    ["HTTPServer", "http server httpserver"],
    ["packages/core/src/index.ts", "packages core src index ts"],
    ["SCM_STORE_KIND", "scm store kind scmstorekind"],
    ["Größe 日本 naïve", "größe 日本 naïve"],
    ["a1b2c3d4", "a 1 b 2 c 3 d 4"],
    ["Größe 보고서".normalize("NFD"), "größe 보고서"],
    ["", ""],
  ])("of %j are %j", (text, words) => {
    expect(splitWords(text)).toBe(words);
  });

  it("are the same in any composition of the letters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(splitWords(text.normalize("NFD"))).toBe(splitWords(text.normalize("NFC")));
        expect(queryWords(text.normalize("NFD"))).toEqual(queryWords(text.normalize("NFC")));
      }),
    );
  });

  it("of a query are those that tell something, if there are any", () => {
    expect(queryWords("where is the parser of the front matter?")).toEqual([
      "parser",
      "front",
      "matter",
    ]);
    expect(queryWords("what is it")).toEqual(["what", "is", "it"]);
  });
});

describe("a search index", () => {
  it("finds a text by each of its words and by the parts of its identifiers", async () => {
    await using index = openSearchIndex({ path: ":memory:" });
    await index.add(
      [textOf("a", "The parser reads frontMatter_fields."), textOf("b", "Nothing of that sort")],
      "1",
    );

    for (const words of ["PARSER", "matter", "front_matter", "frontMatterFields", "reads xyz"])
      expect(await found(index, words)).toEqual(["a"]);
    expect(await found(index, "xyz")).toEqual([]);
  });

  it("finds a text in any composition of its letters and of those of the query", async () => {
    await using index = openSearchIndex({ path: ":memory:" });
    await index.add(
      [textOf("a", "분기 보고서 Übersicht".normalize("NFD")), textOf("b", "분기 보고서 Übersicht")],
      "1",
    );

    for (const words of ["보고서", "übersicht", '"분기 보고서"']) {
      for (const form of ["NFC", "NFD"])
        expect((await found(index, words.normalize(form))).toSorted()).toEqual(["a", "b"]);
    }
  });

  it("ranks texts that begin with the words before long ones that have them further down", async () => {
    await using index = openSearchIndex({ path: ":memory:" });
    const filler = "word ".repeat(3_000);
    await index.add(
      [
        textOf("deep", `${filler} tangerine orchard`),
        textOf("top", "tangerine"),
        textOf("half", `${filler} orchard`),
      ],
      "1",
    );

    expect(await found(index, "tangerine")).toEqual(["top", "deep"]);
    expect(await found(index, "tangerine orchard")).toEqual(["top", "deep"]);
  });

  it("finds only texts with the phrases of a query, if there are any", async () => {
    await using index = openSearchIndex({ path: ":memory:" });
    await index.add(
      [
        textOf("apart", "read the other file: this file was read"),
        textOf("phrase", "you can read file names here"),
        textOf("identifier", "await readFile(path)"),
        textOf("both", "read file readme, and pears"),
      ],
      "1",
    );

    expect((await found(index, '"read file"')).toSorted()).toEqual([
      "both",
      "identifier",
      "phrase",
    ]);
    expect(await found(index, '"read FILE" "and pears"')).toEqual(["both"]);
    expect((await found(index, '"read file" pears'))[0]).toBe("both");
    expect((await found(index, '"read file" pears')).length).toBe(3);
    expect((await found(index, '"names of pears"')).toSorted()).toEqual(["both", "phrase"]);
    expect(await found(index, '"pears')).toEqual(["both"]);
  });

  it("limits hits to a type and to a session", async () => {
    await using index = openSearchIndex({ path: ":memory:" });
    const [one, two] = [objectId("s1"), objectId("s2")];
    await index.add(
      [
        textOf("a", "plum", { session: one }),
        textOf("b", "plum", { session: two, type: "toolcall" }),
        textOf("c", "plum"),
      ],
      "1",
    );

    const ids = (hits: readonly SearchHit[]) => hits.map(({ id }) => id).toSorted();
    expect(ids(await index.search({ words: "plum" }))).toEqual(["a", "b", "c"]);
    expect(ids(await index.search({ words: "plum", session: one }))).toEqual(["a"]);
    expect(ids(await index.search({ words: "plum", type: "toolcall" }))).toEqual(["b"]);
    expect(await index.search({ words: "plum", limit: 2 })).toHaveLength(2);
  });

  it("replaces what was at a place, and keeps other versions of a content", async () => {
    await using index = openSearchIndex({ path: ":memory:" });
    await index.add([textOf("a", "plum", { place: "turns/1" }), textOf("b", "plum")], "1");
    await index.add(
      [
        textOf("a", "pear", { place: "turns/1", version: 2 }),
        textOf("b", "pear", { version: 2 }),
        textOf("b", "cherry", { version: 2 }),
      ],
      "2",
    );

    expect(await found(index, "plum")).toEqual(["b"]);
    expect(await found(index, "pear")).toEqual(["a"]);
    expect(await found(index, "cherry")).toEqual(["b"]);
  });

  it("keeps texts and position of the last add, and forgets them when it is cleared", async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-search-"));
    const path = join(folder, "inner", "index.sqlite");
    try {
      {
        await using index = openSearchIndex({ path });
        expect(await index.position()).toBeUndefined();
        await index.add([textOf("a", "plum")], "17");
      }
      await using index = openSearchIndex({ path });
      expect(await index.position()).toBe("17");
      expect(await found(index, "plum")).toEqual(["a"]);

      await index.clear();
      expect(await index.position()).toBeUndefined();
      expect(await found(index, "plum")).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("returns ids, types and sessions as they were added", async () => {
    await using index = openSearchIndex({ path: ":memory:" });
    const ids = [
      "0199aaaa-0000-7000-8000-00000000000f",
      "0199AAAA-0000-7000-8000-00000000000f",
      "f1",
    ];
    const session = objectId("0199bbbb-0000-7000-8000-000000000000");
    await index.add(
      ids.map((id) => textOf(id, "plum", { session, type: `type of ${id}`, place: "args" })),
      "1",
    );

    const hits = await index.search({ words: "plum", session });

    expect(new Set(hits.map(({ id, type, place }) => `${id}, ${type}, ${place}`))).toEqual(
      new Set(ids.map((id) => `${id}, type of ${id}, args`)),
    );
    expect(await index.search({ words: "plum", session: objectId("other") })).toEqual([]);
  });

  it("gives back the space of texts that were replaced", async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-search-"));
    const path = join(folder, "index.sqlite");
    const words = Array.from({ length: 1_500 }, (_, word) => `word${word}`);
    try {
      {
        await using index = openSearchIndex({ path });
        for (let round = 0; round < 60; round += 1)
          await index.add(
            [textOf("a", words.map((word) => `${word}x${round}`).join(" "), { place: "x" })],
            String(round),
          );
      }

      const database = new DatabaseSync(path, { readOnly: true });
      const [pages, free] = ["page_count", "freelist_count"].map((name) =>
        Number(database.prepare(`PRAGMA ${name}`).get()?.[name]),
      );
      database.close();

      expect((free ?? 0) / (pages ?? 0)).toBeLessThan(0.06);
      expect((await stat(path)).size).toBe((pages ?? 0) * 1_024);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("is made again for another version, and not made in a file of another program", async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-search-"));
    const path = join(folder, "index.sqlite");
    try {
      {
        await using index = openSearchIndex({ path });
        await index.add([textOf("a", "plum")], "17");
      }
      const database = new DatabaseSync(path);
      database.exec("PRAGMA user_version = 99");
      database.close();
      {
        await using index = openSearchIndex({ path });
        expect(await index.position()).toBeUndefined();
      }

      const other = join(folder, "other.sqlite");
      const foreign = new DatabaseSync(other);
      foreign.exec("CREATE TABLE mine (x)");
      foreign.close();
      expect(() => openSearchIndex({ path: other })).toThrow("another program");
      const text = join(folder, "text");
      await writeFile(text, "no database ".repeat(200));
      expect(() => openSearchIndex({ path: text })).toThrow("not a database");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("answers every query", async () => {
    await using index = openSearchIndex({ path: ":memory:" });
    await index.add([textOf("a", 'plum "AND" OR NOT NEAR(x) a* ^b col:c')], "1");
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.constantFrom(
            '"',
            '"a b" "',
            '"AND OR" NOT',
            "AND",
            'a" OR "',
            "NEAR(",
            "*",
            "x".repeat(9_999),
          ),
        ),
        async (words) => {
          await index.search({ words });
        },
      ),
    );
    await expect(index.search({ words: "AND plum" })).resolves.toHaveLength(1);
  });
});
