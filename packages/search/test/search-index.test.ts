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
import { sliceCharacters } from "../src/add-texts.ts";
import { hasPhrases, queryPhrases } from "../src/phrases.ts";
import { slicesOf } from "../src/split-words.ts";

function textOf(id: string, text: string, others: Partial<SearchText> = {}): SearchText {
  return { id: objectId(id), version: 1, place: "", type: "note", text, ...others };
}

/** Returns an index in memory that has some texts, and can read them. */
async function indexOf(texts: readonly SearchText[]): Promise<SearchIndex> {
  const index = openSearchIndex({
    path: ":memory:",
    readText: async (id, version) =>
      texts.find((one) => one.id === id && one.version === version)?.text,
  });
  await index.add(texts, "1");
  return index;
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

describe("phrases", () => {
  it.each([
    ["file name", "a profile name, and a file named so", false],
    ["file name", "a file: profile file name", true],
    ["file name", "profile-file_name", true],
    ["file name", `readFile${" ".repeat(300)}name`, false],
    ["file file", "profile file file", true],
    ["readFile name", "await readFile(name)", true],
    ["readFile name", "await read(file, name)", false],
    ["naive letters", "naïve, letters".normalize("NFD"), true],
    ["naïve letters", "naive letters", true],
    ["लाल किताब", "एक लाल किताब है", true],
    ['a b" "c d', "a b, d c", false],
  ])("%j in %j: %j", (words, text, isThere) => {
    expect(hasPhrases(text, queryPhrases(`"${words}"`))).toBe(isThere);
  });

  it("are found in any part of a text whose beginning has their words", async () => {
    const far = `name of a file ${"filler ".repeat(3_000)} file name`;
    await using index = await indexOf([textOf("far", far), textOf("apart", "name of a file")]);

    expect(await found(index, '"file name"')).toEqual(["far"]);
  });

  it("are looked for in the best texts only, so that an answer has a limited time", async () => {
    const some = Array.from({ length: 2_500 }, (_, number) =>
      textOf(`t${number}`, number === 0 ? "file name" : "name file"),
    );
    const last = textOf("last", "file name");
    await using index = await indexOf([...some, last]);

    expect(await found(index, '"file name"')).toEqual(["last"]);
  });

  it("count word by word in an index that cannot read texts, and if no text can be read", async () => {
    const text = textOf("a", "name of a file");
    await using index = openSearchIndex({ path: ":memory:" });
    await index.add([text], "1");
    await using blind = openSearchIndex({ path: ":memory:", readText: async () => undefined });
    await blind.add([text], "1");

    expect(await found(index, '"file name"')).toEqual(["a"]);
    expect(await found(blind, '"file name"')).toEqual(["a"]);
  });
});

describe("slices of a text", () => {
  it("together have the words of the text, whatever its length", () => {
    const text = "readFile_v2 naïve 日本 ".repeat(500);

    for (const length of [11, 12, 100, 5_000, 20_000]) {
      const slices = [...slicesOf(text, length)];

      expect(slices.join("")).toBe(text);
      expect(slices.flatMap((slice) => splitWords(slice).split(" ").filter(Boolean))).toEqual(
        splitWords(text).split(" "),
      );
      for (const slice of slices) expect(slice.length).toBeLessThanOrEqual(length + 20);
    }
  });

  it("divide a word that is longer than a slice, and no character", () => {
    const text = "😀".repeat(10) + "𝒳".repeat(100);

    const slices = [...slicesOf(text, 15)];

    expect(slices.join("")).toBe(text);
    expect(slices.every((slice) => slice.isWellFormed() && slice.length <= 32)).toBe(true);
  });
});

describe("a long text", () => {
  const filler = Array.from({ length: 40_000 }, (_, word) => `filler_${word}`).join(" ");
  const long = `first_word ${filler} tangerine ${filler} orchard`;

  it("is added in slices between which other work comes, and is then found by all its words", async () => {
    let slices = 1;
    await using index = openSearchIndex({
      path: ":memory:",
      breathe: async () => {
        slices += 1;
        // Nothing is found, and no position is reached, before all is added.
        expect(await found(index, "tangerine")).toEqual(["short"]);
        expect(await index.position()).toBe("1");
      },
    });
    await index.add([textOf("short", "tangerine")], "1");
    expect(slices).toBe(1);

    await index.add([textOf("long", long)], "2");

    expect(slices).toBeGreaterThanOrEqual(long.length / sliceCharacters);
    expect(await index.position()).toBe("2");
    expect(await found(index, "tangerine")).toEqual(["short", "long"]);
    expect(await found(index, "first orchard tangerine filler_39999")).toContain("long");
    expect(await found(index, "orchard xyz")).toEqual([]);
  });

  it("shares its slices with others: many short texts are added in few", async () => {
    let slices = 1;
    await using index = openSearchIndex({
      path: ":memory:",
      breathe: async () => {
        slices += 1;
      },
    });
    const texts = Array.from({ length: 100 }, (_, number) =>
      textOf(`t${number}`, "plum ".repeat(80)),
    );

    await index.add(texts, "1");

    expect(slices).toBe(Math.ceil(40_000 / sliceCharacters));
    expect(await index.search({ words: "plum", limit: 200 })).toHaveLength(100);
  });

  it("is not there after a failure, until it is added again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-search-"));
    const path = join(folder, "index.sqlite");
    try {
      const failing = openSearchIndex({
        path,
        breathe: async () => await failing[Symbol.asyncDispose](),
      });
      await failing.add([textOf("a", "plum")], "1");
      await expect(failing.add([textOf("long", long), textOf("b", "plum")], "2")).rejects.toThrow(
        "is closed",
      );

      await using index = openSearchIndex({ path });
      expect(await index.position()).toBe("1");
      expect(await found(index, "plum first orchard")).toEqual(["a"]);
      await index.add([textOf("long", long), textOf("b", "plum")], "2");
      expect((await found(index, "plum")).toSorted()).toEqual(["a", "b"]);
      expect(await found(index, "tangerine orchard")).toEqual(["long"]);
      expect(rowsOf(path)).toEqual({ texts: 3, parts: Math.ceil(long.length / sliceCharacters) });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("can be added by two processes at once, and another one can write between its slices", async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-search-"));
    const path = join(folder, "index.sqlite");
    try {
      let isOtherDone = false;
      await using other = openSearchIndex({ path });
      await using index = openSearchIndex({
        path,
        breathe: async () => {
          if (isOtherDone) return;
          isOtherDone = true;
          await other.add([textOf("long", long), textOf("b", "plum")], "2");
        },
      });

      await index.add([textOf("long", long)], "1");

      expect(await found(index, "plum")).toEqual(["b"]);
      expect(await found(index, "first tangerine orchard")).toEqual(["long"]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("does not count as added if the index was cleared meanwhile", async () => {
    await using index = openSearchIndex({
      path: ":memory:",
      breathe: async () => await index.clear(),
    });

    await expect(index.add([textOf("long", long)], "1")).rejects.toThrow("cleared");

    expect(await index.position()).toBeUndefined();
  });
});

/** Counts the rows of an index. */
function rowsOf(path: string): Readonly<Record<string, number>> {
  const database = new DatabaseSync(path, { readOnly: true });
  const count = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]);
  try {
    return { texts: count("texts"), parts: count("parts") };
  } finally {
    database.close();
  }
}

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
    await using index = await indexOf([
      textOf("apart", "read the other file: this file was read"),
      textOf("phrase", "you can read file names here"),
      textOf("identifier", "await readFile(path)"),
      textOf("both", "read file readme, and pears"),
    ]);

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

  it("finds words of any script, and words without the accents that a text has", async () => {
    await using index = openSearchIndex({ path: ":memory:" });
    await index.add([textOf("hindi", "एक लाल किताब है"), textOf("naïve", "a naïve Ñandú")], "1");

    for (const words of ["किताब", "किताब xyz"])
      expect(await found(index, words)).toEqual(["hindi"]);
    for (const words of ["naive", "naïve", "nandu"])
      expect(await found(index, words)).toEqual(["naïve"]);
    expect(await found(index, "लाला")).toEqual([]);
  });

  it("ranks texts with rarer words first, then short ones, and of equal ones the newest", async () => {
    await using index = openSearchIndex({ path: ":memory:" });
    const filler = Array.from({ length: 20 }, (_, number) => `filler${number}`).join(" ");
    await index.add(
      [
        textOf("common", "plum"),
        textOf("newer", "plum"),
        textOf("long", `plum tree ${filler}`),
        textOf("rare", `pear ${filler}`),
        textOf("both", `pear plum ${filler}`),
        ...Array.from({ length: 10 }, (_, number) => textOf(`other${number}`, filler)),
      ],
      "1",
    );

    expect(await found(index, "plum pear")).toEqual(["both", "rare", "newer", "common", "long"]);
    expect((await index.search({ words: "plum pear", limit: 2 })).map(({ id }) => id)).toEqual([
      "both",
      "rare",
    ]);
  });

  it("ranks by all texts that another process added, and by none that it cleared", async () => {
    const folder = await mkdtemp(join(tmpdir(), "scm-search-"));
    const path = join(folder, "index.sqlite");
    const filler = Array.from({ length: 20 }, (_, number) => `filler${number}`).join(" ");
    try {
      await using index = openSearchIndex({ path });
      await using other = openSearchIndex({ path });
      await index.add([textOf("a", "plum"), textOf("b", "plum")], "1");
      expect(await found(index, "plum")).toEqual(["b", "a"]);

      await other.add([textOf("c", `plum ${filler}`), textOf("d", "plum")], "2");
      expect(await found(index, "plum")).toEqual(["d", "b", "a", "c"]);

      await other.clear();
      expect(await found(index, "plum")).toEqual([]);
      await other.add([textOf("e", `plum ${filler}`), textOf("f", "plum")], "3");
      expect(await found(index, "plum")).toEqual(["f", "e"]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
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

      // The tables of version 4 have positions of words, and other columns.
      const old = new DatabaseSync(path);
      old.exec(`
        DROP TABLE texts; DROP TABLE ranked;
        CREATE TABLE texts (
          key INTEGER PRIMARY KEY AUTOINCREMENT, id ANY NOT NULL, version INTEGER NOT NULL, place TEXT NOT NULL,
          type INTEGER NOT NULL, session INTEGER, complete INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX texts_by_place ON texts (id, place, version);
        CREATE VIRTUAL TABLE ranked USING fts5(
          words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
        );
        INSERT INTO texts VALUES (1, 'a', 1, '', 1, NULL, 1);
        INSERT INTO ranked (rowid, words) VALUES (1, 'plum');
        INSERT INTO state VALUES (1, '17');
        PRAGMA user_version = 4;
      `);
      old.close();
      {
        await using index = openSearchIndex({ path });
        expect(await index.position()).toBeUndefined();
        expect(await found(index, "plum")).toEqual([]);
        await index.add([textOf("a", "plum")], "17");
        expect(await found(index, "plum")).toEqual(["a"]);
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
