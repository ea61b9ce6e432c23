import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

import { defaultFolders, findSessions } from "../src/index.ts";
import { temporaryFolder } from "./recorded-files.ts";

async function write(folder: string, ...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), "");
  }
}

describe("looking for sessions", () => {
  test("searches folders in a fixed order, and lists each file once", async () => {
    await using folder = await temporaryFolder();
    const { path } = folder;
    await write(path, "b/2.jsonl", "b/1.json", "b/notes.md", "B/3.JSONL", "a.jsonl", "own.txt");
    await symlink(path, join(path, "b", "loop"));
    await symlink(join(path, "a.jsonl"), join(path, "b", "link.jsonl"));

    const found = await findSessions([join(path, "own.txt"), path, join(path, "b")]);

    expect(found.files.map((file) => relative(path, file))).toEqual([
      "own.txt",
      "B/3.JSONL",
      "a.jsonl",
      "b/1.json",
      "b/2.jsonl",
    ]);
    expect(found.unreadable).toEqual([]);
  });

  test("reports missing paths and continues", async () => {
    await using folder = await temporaryFolder();
    const { path } = folder;
    await write(path, "a.jsonl");
    await symlink(join(path, "gone"), join(path, "b.jsonl"));

    const found = await findSessions([join(path, "none"), path]);

    expect(found.files).toHaveLength(1);
    expect(found.unreadable.map((one) => one.path)).toEqual([
      join(path, "none"),
      join(path, "b.jsonl"),
    ]);
  });

  test("without paths searches the recorders' folders, and only for files of lines", async () => {
    await using folder = await temporaryFolder();
    const { path } = folder;
    await write(
      path,
      ".pi/agent/sessions/--w--/p.jsonl",
      ".claude/projects/-w/c.jsonl",
      ".claude/projects/-w/index.json",
    );

    const found = await findSessions(undefined, { home: path, environment: {} });

    expect(found.files.map((file) => relative(path, file))).toEqual([
      ".pi/agent/sessions/--w--/p.jsonl",
      ".claude/projects/-w/c.jsonl",
    ]);
    expect(found.unreadable).toEqual([]);
  });
});

test("the recorders' own variables name their folders", () => {
  const home = "/home/me";
  const folders = (environment: Record<string, string>): readonly string[] =>
    defaultFolders({ home, environment });

  expect(folders({})).toEqual([
    "/home/me/.pi/agent/sessions",
    "/home/me/.claude/projects",
    "/home/me/.codex/sessions",
  ]);
  expect(
    folders({ PI_CODING_AGENT_DIR: "~/pi", CLAUDE_CONFIG_DIR: "/c", CODEX_HOME: "/x" }),
  ).toEqual(["/home/me/pi/sessions", "/c/projects", "/x/sessions"]);
  expect(folders({ PI_CODING_AGENT_SESSION_DIR: "/s", PI_CODING_AGENT_DIR: "/p" })[0]).toBe("/s");
});
