import { describe, expect, test } from "vitest";
import { listedFiles } from "../../src/adapters/listed-files.ts";
import { recordCall } from "../../src/adapters/record-call.ts";
import { usualToolFacts } from "../../src/calls/tool-facts.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { fakeFiles } from "../session/fake-files.ts";
import { openTestSession, plainCodec } from "../session/test-session.ts";

/** Returns the files that the output of a command lists, relative to the workspace. */
async function listed(
  command: string,
  output: string,
  args: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const files = fakeFiles({
    "/work/a.txt": "a",
    "/work/with space.txt": "a",
    "/work/src/b.ts": "b",
    "/work/src/deep/c.ts": "c",
    "/work/docs/a.txt": "another",
    "/work/node_modules/x/index.js": "x",
    "/outside.txt": "o",
  });
  files.link("/work/way-out.txt", "/outside.txt");
  files.link("/work/again.txt", "/work/a.txt");
  const session = { files, toolFacts: usualToolFacts, workspace: "/work" };
  const found = await listedFiles(session, { name: "bash", args: { ...args, command } }, output);
  return found.map((path) => path.slice("/work/".length)).toSorted();
}

const long = [
  "total 16",
  "drwxr-xr-x  3 root root 4096 Nov 27 19:38 .",
  "drwxr-xr-x 12 root root 4096 Nov 27  2025 src",
  "-rw-r--r--@ 1 jo staff 1,2K Nov  7 19:38 a.txt",
  "-rw-r--r-- 1 root root 12 2026-11-27 19:38 with space.txt",
  "lrwxrwxrwx 1 root root 6 Nov 27 19:38 again.txt -> a.txt",
].join("\n");

const tree = [
  ".",
  "├── a.txt",
  "├── docs",
  "│   └── a.txt",
  "└── src",
  "    ├── b.ts",
  "    └── deep",
  "        └── c.ts",
  "",
  "3 directories, 4 files",
].join("\n");

const status = [
  "On branch main",
  "Changes not staged for commit:",
  '  (use "git add <file>..." to update what will be committed)',
  "\tmodified:   src/b.ts",
  "\tdeleted:    gone.ts",
  "\trenamed:    old.txt -> docs/a.txt",
  "",
  "Untracked files:",
  "\ta.txt",
].join("\n");

const stat = [
  " a.txt                    |  12 +++++----",
  " src/{old => deep}/c.ts   |   2 +-",
  " .../a.txt                |   2 +-",
  " src/b.ts                 | Bin 0 -> 5 bytes",
  " 3 files changed, 5 insertions(+), 9 deletions(-)",
].join("\n");

describe("the files that the output of a command lists", () => {
  test.each([
    ["ls", "a.txt\nsrc\nway-out.txt\nwith space.txt\nnone.txt", ["a.txt", "with space.txt"]],
    ["ls -la", long, ["a.txt", "with space.txt"]],
    ["ls -F", "a.txt*\nsrc/", ["a.txt"]],
    ["ls", "a.txt  src   with space.txt", ["a.txt", "with space.txt"]],
    ["ls docs", "a.txt", ["docs/a.txt"]],
    ["cd src && ls", "b.ts\ndeep", ["src/b.ts"]],
    ["cd src; cd deep; ls -1 | head -3", "c.ts", ["src/deep/c.ts"]],
    [
      "ls -R",
      ".:\na.txt\n\n./src:\nb.ts\n\n./src/deep:\nc.ts",
      ["a.txt", "src/b.ts", "src/deep/c.ts"],
    ],
    ["ls src docs", "docs:\na.txt\n\nsrc:\nb.ts", ["docs/a.txt", "src/b.ts"]],
    [
      "find . -name '*.ts' 2>/dev/null | sort",
      "./src/b.ts\n./src/deep/c.ts",
      ["src/b.ts", "src/deep/c.ts"],
    ],
    ["find . -type f", "./node_modules/x/index.js\n./a.txt", ["a.txt"]],
    ["fd -e ts", "src/b.ts", ["src/b.ts"]],
    ["rg -l b", "src/b.ts", ["src/b.ts"]],
    ["rg --files src", "src/b.ts", ["src/b.ts"]],
    ["grep -rln b . | head", "./src/b.ts", ["src/b.ts"]],
    ["find . -name '*.ts' | xargs -n 1 grep -l b", "./src/b.ts", ["src/b.ts"]],
    ["git ls-files", 'src/b.ts\n"with space.txt"', ["src/b.ts", "with space.txt"]],
    ["git status", status, ["a.txt", "docs/a.txt", "src/b.ts"]],
    [
      "git status -s",
      " M src/b.ts\n?? a.txt\nR  a.txt -> docs/a.txt",
      ["a.txt", "docs/a.txt", "src/b.ts"],
    ],
    ["git diff --stat HEAD~1", stat, ["a.txt", "src/b.ts", "src/deep/c.ts"]],
    ["git diff --name-status", "M\tsrc/b.ts\nR100\tgone.ts\ta.txt", ["a.txt", "src/b.ts"]],
    ["git show --numstat", "1\t2\tsrc/b.ts\n-\t-\ta.txt", ["a.txt", "src/b.ts"]],
    ["git -C src ls-files", "b.ts", ["src/b.ts"]],
    ["cd src && git diff --name-only", "src/b.ts", ["src/b.ts"]],
    ["tree", tree, ["a.txt", "docs/a.txt", "src/b.ts", "src/deep/c.ts"]],
    ["bash -lc 'cd src && ls'", "b.ts", ["src/b.ts"]],
    ["(cd src && ls); git status -s", "b.ts\n M a.txt", ["a.txt", "src/b.ts"]],
  ])("are its lines that are files of the workspace: %s", async (command, output, expected) => {
    expect(await listed(command, output)).toEqual(expected);
  });

  test.each([
    ["make", "a.txt"],
    ["cat list.txt", "a.txt"],
    ["ls | wc -l", "a.txt"],
    ["ls > list.txt", "a.txt"],
    ["grep -n a a.txt", "a.txt"],
    ["rg -tlua a", "a.txt"],
    ["git diff", "a.txt"],
    ["git commit -m a", "a.txt"],
    ["find . -exec cat {} +", "a.txt"],
    ["ls", ""],
  ])("are none if the command lists no names: %s", async (command, output) => {
    expect(await listed(command, output)).toEqual([]);
  });

  test("are relative to the folder in which the call runs its command", async () => {
    expect(await listed("ls", "b.ts", { workdir: "src" })).toEqual(["src/b.ts"]);
    expect(await listed("ls", "c.ts", { cwd: "/work/src/deep" })).toEqual(["src/deep/c.ts"]);
  });

  test("are looked for on the disk for the first 50 names only", async () => {
    const looked: string[] = [];
    const files = fakeFiles({ "/work/a.txt": "a" });
    const session = {
      files: {
        ...files,
        stat: async (path: string) => {
          looked.push(path);
          return await files.stat(path);
        },
      },
      toolFacts: usualToolFacts,
      workspace: "/work",
    };
    const output = Array.from({ length: 80 }, (_, index) => `${index}.txt`).join("\n");

    await listedFiles(session, { name: "bash", args: { command: "ls" } }, output);

    expect(looked.filter((path) => path.endsWith(".txt"))).toHaveLength(50);
  });
});

describe("a session", () => {
  const prompt = { role: "user", content: "look", timestamp: 1 } as const;
  const ls = { id: "call_1", name: "bash", args: { command: "ls" } };

  test("knows the files that a command has listed, unread", async () => {
    const { session } = await openTestSession({ files: { "/work/a.txt": "x" } });

    await recordCall(session, ls, { text: "a.txt\n" });

    const { objects } = await session.status();
    expect(objects.map(({ stored: { body } }) => [body["path"], body["presence"]])).toEqual([
      ["/work/a.txt", "unread"],
    ]);
    expect((await session.activate("a.txt")).text).toBe("f1 a.txt is now active.");
  });

  test("says in one sentence what shows a listed file", async () => {
    const { session } = await openTestSession({
      files: { "/work/a.txt": "x" },
      activateUnread: "ask",
    });
    await recordCall(session, ls, { text: "a.txt\n" });

    expect(await session.activate("a.txt")).toMatchObject({
      ok: false,
      text: "f1 a.txt was not read in this session; call read with its path to see it.",
    });
  });

  test("reads no text of a listed file, and takes at most 200 in a turn", async () => {
    const names = Array.from({ length: 260 }, (_, index) => `${index}.txt`);
    const { session, files } = await openTestSession({
      files: Object.fromEntries(names.map((name) => [`/work/${name}`, name])),
    });
    await session.ingest(readList([prompt], plainCodec));

    for (let from = 0; from < names.length; from += 40)
      await recordCall(session, ls, { text: names.slice(from, from + 40).join("\n") });

    const { objects } = await session.status();
    expect(objects.filter(({ stored }) => stored.body.type === "file")).toHaveLength(200);
    expect(files.reads).toEqual([]);
  });

  test("sends the same request whatever a command has listed", async () => {
    const { session } = await openTestSession({
      files: { "/work/a.txt": "x", "/work/b.txt": "x" },
      layout: epochLayout(),
    });
    await session.ingest(readList([prompt], plainCodec));
    const before = await session.nextView();

    await recordCall(session, ls, { text: "a.txt\nb.txt\n" });

    expect((await session.nextView()).messages).toEqual(before.messages);
    const { objects } = await session.status();
    expect(objects.filter(({ stored }) => stored.body.type === "file")).toHaveLength(2);
  });
});
