import type { JsonObject } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import { namedFiles } from "../../src/adapters/named-files.ts";
import { usualToolFacts } from "../../src/calls/tool-facts.ts";
import { fakeFiles } from "../session/fake-files.ts";

/** Returns what a call names, relative to the workspace. */
async function names(
  name: string,
  args: JsonObject = {},
  output = "",
  toolFacts = usualToolFacts,
): Promise<readonly string[]> {
  const files = fakeFiles({
    "/work/a.txt": "a",
    "/work/with space.txt": "a",
    "/work/src/b.ts": "b",
    "/work/src/a.txt": "another",
    "/outside.txt": "o",
  });
  files.link("/work/way-out.txt", "/outside.txt");
  files.link("/work/again.txt", "/work/a.txt");
  const found = await namedFiles({ files, toolFacts, workspace: "/work" }, { name, args }, output);
  return found.map((path) => path.slice("/work/".length)).toSorted();
}

describe("the files that a call names", () => {
  test.each([
    ["cat a.txt", ["a.txt"]],
    ["cd src && sed -n 1,5p src/b.ts a.txt | head -3 > out.log", ["a.txt", "src/b.ts"]],
    ["cat 'with space.txt' \"a.txt\"", ["a.txt", "with space.txt"]],
    ["echo 3.14s v1.2.3 hello; ls src -la", []],
    ["cat ../outside.txt way-out.txt /etc/hostname", []],
    ["cat a.txt again.txt", ["a.txt"]],
    ["", []],
  ])(
    "by a command are its words that are files of the workspace: %s",
    async (command, expected) => {
      expect(await names("bash", { command })).toEqual(expected);
    },
  );

  test("by a command do not include words of its output", async () => {
    expect(await names("bash", { command: "make" }, "a.txt\nsrc/b.ts\n")).toEqual([]);
  });

  test("by a listing are those that it lists, without folders and notes", async () => {
    const output = "a.txt\r\nsrc/\nway-out.txt\n\n[500 entries limit reached]";

    expect(await names("ls", {}, output)).toEqual(["a.txt"]);
    expect(await names("ls", { path: "src" }, "b.ts")).toEqual(["src/b.ts"]);
  });

  test("by a search are its lines, relative to the folder that was searched or to the workspace", async () => {
    expect(await names("find", {}, "a.txt\nsrc/b.ts")).toEqual(["a.txt", "src/b.ts"]);
    expect(await names("find", { path: "src" }, "b.ts")).toEqual(["src/b.ts"]);
    expect(await names("glob", { path: "src" }, "src/b.ts\n/work/a.txt")).toEqual([
      "a.txt",
      "src/b.ts",
    ]);
  });

  test("by a search are those of the nearest folder that has a file of the name", async () => {
    expect(await names("ls", { path: "src" }, "a.txt")).toEqual(["src/a.txt"]);
    expect(await names("grep", { path: "src" }, "a.txt:1: a")).toEqual(["src/a.txt"]);
  });

  test("by a search in texts are the files of its matches", async () => {
    expect(await names("grep", { pattern: "b" }, "src/b.ts:1: b\nsrc/b.ts-2- c")).toEqual([
      "src/b.ts",
    ]);
    expect(await names("grep", { pattern: "a", path: "a.txt" }, "a.txt:1: a")).toEqual(["a.txt"]);
    expect(await names("grep", { pattern: "x" }, "No matches found")).toEqual([]);
  });

  test("by any other call are those among its arguments", async () => {
    expect(await names("resize", { path: "a.txt" }, "src/b.ts")).toEqual(["a.txt"]);
    expect(await names("web_search", { command: "a.txt" }, "a.txt")).toEqual([]);
    expect(await names("bash", { command: 7 })).toEqual([]);
  });

  test("follow the tool facts of the session", async () => {
    const facts = () => ({ kind: "search", paths: [] }) as const;

    expect(await names("look_up", {}, "a.txt", facts)).toEqual(["a.txt"]);
  });

  test("are none in a workspace that is gone", async () => {
    const gone = { files: fakeFiles(), toolFacts: usualToolFacts, workspace: "/work" };

    expect(await namedFiles(gone, { name: "bash", args: { command: "cat a" } }, "")).toEqual([]);
  });
});
