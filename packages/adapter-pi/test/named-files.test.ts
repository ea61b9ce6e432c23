import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { namedFiles } from "../src/named-files.ts";

interface Folder extends AsyncDisposable {
  readonly workspace: string;
  /** What a call names, relative to the workspace. */
  names(tool: string, input: unknown, output?: string): Promise<readonly string[]>;
}

const openFolder = async (): Promise<Folder> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "scm-named-")));
  const workspace = join(root, "work");
  await mkdir(join(workspace, "src"), { recursive: true });
  await writeFile(join(workspace, "a.txt"), "a");
  await writeFile(join(workspace, "with space.txt"), "a");
  await writeFile(join(workspace, "src", "b.ts"), "b");
  await writeFile(join(root, "outside.txt"), "o");
  await symlink(join(root, "outside.txt"), join(workspace, "way-out.txt"));
  return {
    workspace,
    names: async (tool, input, output = "") => {
      const found = await namedFiles({ tool, input, output, workspace });
      return found.map((path) => path.slice(workspace.length + 1)).toSorted();
    },
    [Symbol.asyncDispose]: async () => await rm(root, { recursive: true, force: true }),
  };
};

describe("the files that a call names", () => {
  test.each([
    ["cat a.txt", ["a.txt"]],
    ["cd src && sed -n 1,5p src/b.ts a.txt | head -3 > out.log", ["a.txt", "src/b.ts"]],
    ["cat 'with space.txt' \"a.txt\"", ["a.txt", "with space.txt"]],
    ["echo 3.14s v1.2.3 hello; ls src -la", []],
    ["cat ../outside.txt way-out.txt /etc/hostname", []],
    ["", []],
  ])("by bash are its words that are files of the workspace: %s", async (command, expected) => {
    await using folder = await openFolder();

    expect(await folder.names("bash", { command })).toEqual(expected);
  });

  test("by bash do not include words of its output", async () => {
    await using folder = await openFolder();

    expect(await folder.names("bash", { command: "make" }, "a.txt\nsrc/b.ts\n")).toEqual([]);
  });

  test("by ls are those that it lists, without folders and its notes", async () => {
    await using folder = await openFolder();
    const output = "a.txt\nsrc/\nway-out.txt\n\n[500 entries limit reached]";

    expect(await folder.names("ls", {}, output)).toEqual(["a.txt"]);
    expect(await folder.names("ls", { path: "src" }, "b.ts")).toEqual(["src/b.ts"]);
  });

  test("by find are its lines, relative to the folder that it searched", async () => {
    await using folder = await openFolder();

    expect(await folder.names("find", { pattern: "*" }, "a.txt\nsrc/b.ts")).toEqual([
      "a.txt",
      "src/b.ts",
    ]);
    expect(await folder.names("find", { pattern: "*", path: "src" }, "b.ts")).toEqual(["src/b.ts"]);
  });

  test("by grep are the files of its matches", async () => {
    await using folder = await openFolder();

    expect(await folder.names("grep", { pattern: "b" }, "src/b.ts:1: b\nsrc/b.ts-2- c")).toEqual([
      "src/b.ts",
    ]);
    expect(await folder.names("grep", { pattern: "a", path: "a.txt" }, "a.txt:1: a")).toEqual([
      "a.txt",
    ]);
    expect(await folder.names("grep", { pattern: "x" }, "No matches found")).toEqual([]);
  });

  test("by other tools, or with invalid arguments, are none", async () => {
    await using folder = await openFolder();

    expect(await folder.names("web_search", { command: "a.txt" }, "a.txt")).toEqual([]);
    expect(await folder.names("bash", null)).toEqual([]);
    expect(await folder.names("bash", { command: 7 })).toEqual([]);
  });
});
