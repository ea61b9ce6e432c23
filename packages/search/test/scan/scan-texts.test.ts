import {
  type JsonObject,
  objectId,
  type ObjectStore,
  type ObjectWrite,
  sealObject,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

import { type ScanQuery, scanTexts } from "../../src/index.ts";

async function put(
  store: ObjectStore,
  id: string,
  content: string | null,
  fields: JsonObject = {},
): Promise<void> {
  await store.commit([
    {
      object: sealObject({
        type: "note",
        locked: false,
        provenance: { origin: "a test", generator: "tool" },
        ...fields,
        id: objectId(id),
        content,
      }),
    },
  ]);
}

async function storeOf(...contents: readonly string[]): Promise<ObjectStore> {
  const store = memoryStore();
  for (const [index, content] of contents.entries()) await put(store, `o${index + 1}`, content);
  return store;
}

async function lines(store: ObjectStore, query: ScanQuery): Promise<readonly string[]> {
  const { hits } = await scanTexts(store, query);
  return hits.map(({ id, version, line, text }) => `${id}@${version}:${line} ${text}`);
}

/** A store that must not be read. */
function unreadStore(): ObjectStore {
  return new Proxy(memoryStore(), {
    get() {
      throw new Error("the store is read");
    },
  });
}

/** A store that counts how many objects `find` has returned, and how many contents were read. */
function counted(
  store: ObjectStore,
): ObjectStore & { readonly reads: { found: number; read: number } } {
  const reads = { found: 0, read: 0 };
  return {
    ...store,
    reads,
    async find(query) {
      const page = await store.find(query);
      reads.found += page.items.length;
      return page;
    },
    async getMany(ids) {
      reads.read += ids.length;
      return await store.getMany(ids);
    },
  };
}

describe("a scan", () => {
  it("ends with the hits that are asked for, and lists and reads few objects more", async () => {
    await using store = counted(memoryStore());
    const write = (index: number): ObjectWrite => ({
      object: sealObject({
        id: objectId(`o${1_000 + index}`),
        type: "note",
        locked: false,
        provenance: { origin: "a test", generator: "tool" },
        content: "the needle",
      }),
    });
    await store.commit(Array.from({ length: 1_500 }, (_, index) => write(index)));

    const { hits, isCut } = await scanTexts(store, { literal: "needle", limit: 3 });

    expect(hits.map(({ id }) => id)).toEqual(["o2499", "o2498", "o2497"]);
    expect(isCut).toBe("limit");
    expect(store.reads).toEqual({ found: 500, read: 50 });
  });

  it("reads only objects of the kinds and with the metadata that are asked for", async () => {
    await using store = counted(memoryStore());
    await put(store, "a", "needle", { type: "file", path: "/a" });
    await put(store, "b", "needle", { type: "file", path: "/b" });
    await put(store, "c", "needle");

    const { hits } = await scanTexts(store, {
      literal: "needle",
      kinds: [{ type: "file" }],
      accepts: ({ body }) => body["path"] === "/a",
    });

    expect(hits.map(({ id }) => id)).toEqual(["a"]);
    expect(store.reads).toEqual({ found: 2, read: 1 });
  });

  it("finds each line with a literal text, those of the newest version first", async () => {
    await using store = await storeOf(
      "one\na.b(c) a.b(c)\r\naxb(c)",
      "nothing",
      "A.b(c)\n\na.b(c)",
    );

    expect(await lines(store, { literal: "a.b(c)" })).toEqual([
      "o3@1:3 a.b(c)",
      "o1@1:2 a.b(c) a.b(c)",
    ]);
    expect(await lines(store, { literal: "a.b(c)", flags: "i" })).toEqual([
      "o3@1:1 A.b(c)",
      "o3@1:3 a.b(c)",
      "o1@1:2 a.b(c) a.b(c)",
    ]);
    await put(store, "nfd", "Übersicht".normalize("NFD"));
    expect(await lines(store, { literal: "Übersicht" })).toEqual([
      `nfd@1:1 ${"Übersicht".normalize("NFD")}`,
    ]);
    expect(await lines(store, { literal: "(c)\r\nax" })).toEqual(["o1@1:2 a.b(c) a.b(c)"]);
  });

  it("finds each line with a match of a regular expression", async () => {
    await using store = await storeOf("const a = 1;\nlet b = 22;\nconst c = b;\n", "x");

    expect(await lines(store, { regex: String.raw`^(const|let) (\w) = \d+;$` })).toEqual([
      "o1@1:1 const a = 1;",
      "o1@1:2 let b = 22;",
    ]);
    expect(await lines(store, { regex: "CONST|X", flags: "i" })).toEqual([
      "o2@1:1 x",
      "o1@1:1 const a = 1;",
      "o1@1:3 const c = b;",
    ]);
    expect(await lines(store, { regex: "22.*const", flags: "s" })).toEqual(["o1@1:2 let b = 22;"]);
    expect(await lines(store, { regex: "$" })).toHaveLength(5);
  });

  it("reads the latest versions, or all", async () => {
    await using store = await storeOf("plum", "plum");
    await put(store, "o1", "plum and pear");
    await put(store, "o1", "pear");

    expect(await lines(store, { literal: "plum" })).toEqual(["o2@1:1 plum"]);
    expect(await lines(store, { literal: "pear" })).toEqual(["o1@3:1 pear"]);
    expect(await lines(store, { literal: "p", versions: "all" })).toEqual([
      "o1@3:1 pear",
      "o1@2:1 plum and pear",
      "o2@1:1 plum",
      "o1@1:1 plum",
    ]);
  });

  it("reads only objects of a type, a session or a path", async () => {
    await using store = memoryStore();
    const file = { type: "file", file_type: "text" };
    await put(store, "a", "plum", { ...file, path: "/work/src/a.ts" });
    await put(store, "b", "plum", { ...file, path: "/work/src-old/b.ts" });
    await put(store, "chat", "plum", { type: "chat" });
    await put(store, "call", "plum", {
      type: "toolcall",
      tool: "bash",
      args: { command: "grep plum", rest: ["a/b", { "x/y~": "plum 2" }] },
      chat_ref: { ref: "dynamic", id: "chat" },
    });
    await put(store, "view", "plum", { type: "view" });
    const ids = async (query: Partial<ScanQuery>) =>
      (await scanTexts(store, { literal: "plum", ...query } as ScanQuery)).hits.map(
        ({ id, place, type }) => `${type} ${id}${place}`,
      );

    expect(await ids({})).toEqual([
      "toolcall call",
      "toolcall call/args/command",
      "toolcall call/args/rest/1/x~1y~0",
      "chat chat",
      "file b",
      "file a",
    ]);
    expect(await ids({ type: "file" })).toEqual(["file b", "file a"]);
    expect(await ids({ type: "view" })).toEqual(["view view"]);
    expect(await ids({ path: "/work/src" })).toEqual(["file a"]);
    expect(await ids({ path: "/work/src-old/b.ts" })).toEqual(["file b"]);
    expect(await ids({ path: "/" })).toEqual(["file b", "file a"]);
    expect(new Set(await ids({ session: objectId("chat") }))).toEqual(
      new Set([
        "chat chat",
        "toolcall call",
        "toolcall call/args/command",
        "toolcall call/args/rest/1/x~1y~0",
      ]),
    );
  });

  it("stops at its limit, and says that there is more", async () => {
    await using store = await storeOf("a\na\na", "a");

    for (const pattern of [{ literal: "a" }, { regex: "a" }]) {
      const cut = await scanTexts(store, { ...pattern, limit: 3 });
      const whole = await scanTexts(store, { ...pattern, limit: 4 });

      expect(cut.hits.map(({ id, line }) => [id, line])).toEqual([
        ["o2", 1],
        ["o1", 1],
        ["o1", 2],
      ]);
      expect(cut.isCut).toBe("limit");
      expect(whole.hits).toHaveLength(4);
      expect(whole.isCut).toBeUndefined();
    }
  });

  it("cuts long lines round the match, and no character in halves", async () => {
    await using store = await storeOf(
      `${"😀".repeat(500)}plum${"😀".repeat(500)}`,
      "pear".repeat(9),
    );

    const [hit] = (await scanTexts(store, { literal: "plum" })).hits;

    expect(hit?.text).toMatch(/^…😀{29,30}plum😀{60,70}…$/u);
    expect(await lines(store, { literal: "pear" })).toEqual([`o2@1:1 ${"pear".repeat(9)}`]);
  });

  it("ends a regular expression that takes too long, and returns what it found until then", async () => {
    // The newest object has a line that is found and one on which the expression does not end.
    await using store = await storeOf("aaa", `aaaa\n${"a".repeat(60)}!\naaa`);

    // Without the limit it would not end at all.
    const { hits, isCut } = await scanTexts(store, { regex: "(a+)+$", timeLimit: 700 });

    expect(hits.map(({ id, line }) => [id, line])).toEqual([["o2", 1]]);
    expect(isCut).toBe("time");
  });

  it("leaves the thread of its caller free meanwhile, and obeys a signal", async () => {
    await using store = await storeOf(`${"a".repeat(60)}!`);
    const abort = new AbortController();
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
      if (ticks === 5) abort.abort(new Error("no longer wanted"));
    }, 20);

    try {
      await expect(
        scanTexts(store, { regex: "(a+)+$", timeLimit: 60_000, signal: abort.signal }),
      ).rejects.toThrow("no longer wanted");
    } finally {
      clearInterval(timer);
    }
    await expect(scanTexts(store, { literal: "a", signal: abort.signal })).rejects.toThrow(
      "no longer wanted",
    );
  });

  it("reads 50 MB within its two seconds", async () => {
    const line = "const value = await read(path); // and a few more words of it\n";
    const text = line.repeat(Math.ceil(50_000_000 / line.length));
    await using store = await storeOf(`${text}the needle in the last line`);

    for (const pattern of [{ literal: "needle" }, { regex: String.raw`needle\s+in` }]) {
      const { hits, isCut } = await scanTexts(store, pattern);

      expect(isCut).toBeUndefined();
      expect(hits.map(({ line: number, text: shown }) => [number, shown])).toEqual([
        [Math.ceil(50_000_000 / line.length) + 1, "the needle in the last line"],
      ]);
    }
  });

  it.each([
    [{ regex: "(a" }, "the regular expression (a cannot be read: Unterminated group"],
    [{ regex: "a: [" }, "the regular expression a: [ cannot be read: Unterminated character class"],
    [{ regex: "a", flags: "y" }, "the flags y cannot be used; only i, s, u and v can"],
    [{ regex: "a", flags: "uv" }, "the regular expression a cannot be read"],
    [{ literal: "a", flags: "s" }, "the flags s cannot be used; only i can"],
    [{ regex: "" }, "is empty"],
    [{ literal: "" }, "is empty"],
  ])("refuses %j before it reads the store", async (pattern, message) => {
    await expect(scanTexts(unreadStore(), pattern as ScanQuery)).rejects.toThrow(message);
  });

  it("says that a regular expression fails on a text", async () => {
    // The engine keeps a place to go back to for each character.
    await using store = await storeOf("b".repeat(10_000_000));

    await expect(
      scanTexts(store, { regex: String.raw`(?:.|\n)*x`, timeLimit: 30_000 }),
    ).rejects.toThrow("the regular expression fails on a text: RangeError");
  });

  it("lets other work come in between the objects that it reads", async () => {
    await using store = await storeOf(...Array.from({ length: 200 }, () => "text"));
    let turns = 0;
    let next: NodeJS.Immediate;
    const count = (): void => {
      turns += 1;
      next = setImmediate(count);
    };
    next = setImmediate(count);

    await scanTexts(store, { literal: "absent" });
    clearImmediate(next);

    expect(turns).toBeGreaterThanOrEqual(4);
  });

  it("says that a worker cannot be started", () => {
    const source = new URL("../../src/index.ts", import.meta.url).href;
    const program = `
      const { scanTexts } = await import(${JSON.stringify(source)});
      await scanTexts({}, { regex: "a" }).catch((error) => console.log(error.message));`;
    const { stdout } = spawnSync(
      process.execPath,
      [
        "--permission",
        "--allow-fs-read=*",
        "--conditions=@self-context-manager/source",
        "--input-type=module",
        "--eval",
        program,
      ],
      { encoding: "utf8" },
    );

    expect(stdout).toContain("the regular expression cannot be run in a worker thread");
    expect(stdout).toContain("--allow-worker");
  });
});
