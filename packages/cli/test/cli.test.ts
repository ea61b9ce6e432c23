import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { runCli } from "../src/cli.ts";
import { run, temporaryStore } from "./temporary-store.ts";

const commands = [
  "list",
  "show",
  "history",
  "print",
  "find",
  "links",
  "graph",
  "check",
  "index",
  "nickname",
  "note",
  "summarize",
  "export",
  "import",
  "backup",
  "restore",
  "doctor",
  "replay",
  "xtdb",
];

test("prints its usage with every command on --help", async () => {
  const { code, stdout } = await run(["--help"]);

  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: scm /);
  for (const command of commands) expect(stdout).toContain(`\n  ${command} `);
});

test.each(commands)(
  "%s prints its own usage on --help, wherever that option is",
  async (command) => {
    const after = await run([command, "--help"]);
    const before = await run(["-h", command]);

    expect(after).toMatchObject({ code: 0, stderr: "" });
    expect(after.stdout.startsWith(`Usage: scm ${command} `)).toBe(true);
    expect(before).toEqual(after);
  },
);

test("prints the same text for help with a command's name", async () => {
  expect(await run(["help"])).toEqual(await run(["--help"]));
  expect(await run(["help", "show"])).toEqual(await run(["show", "--help"]));
  expect((await run(["help", "nonsense"])).stderr).toContain('no command "nonsense"');
});

test("shows the option for the store's place only where a store is opened", async () => {
  expect((await run(["list", "--help"])).stdout).toContain("--at PLACE");
  expect((await run(["replay", "--help"])).stdout).not.toContain("--at");
});

test("a place of another kind of store is refused and stays unchanged", async () => {
  await using store = await temporaryStore();
  await writeFile(store.at, "some bytes");

  const folder = await store.scm("list", "--at", store.workspace);
  const file = await store.scm("list", "--store", "xtdb");

  expect(folder.stderr).toContain("is a folder, and a SQLite store is a file");
  expect(file.stderr).toContain("is a file, and a store in XTDB has a folder");
  expect([folder.code, file.code]).toEqual([2, 2]);
  expect(await readFile(store.at, "utf8")).toBe("some bytes");
});

test("prints the version of its package", async () => {
  expect((await run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
});

test.each([
  [[], "Usage: scm "],
  [["--frobnicate"], "--frobnicate"],
  [["frobnicate"], 'no command "frobnicate"; the commands are list, find'],
  [["list", "--frobnicate"], "--frobnicate"],
  [["list", "--frobnicate"], "there is no option --frobnicate; the options are --type, --session"],
  [["list", "extra"], 'it takes 0 arguments; got "extra"'],
  [["show"], "it takes 1 argument; got none"],
  [["nickname"], "it takes 1 to 2 arguments; got none"],
  [["list", "--limit", "-1"], '--limit is "-1"; it must be a whole number above 0'],
  [["list", "--limit"], "--limit needs a value"],
  [["list", "--at", "--all"], "--at needs a value, and --all looks like an option"],
  [["list", "--all=yes"], '--all takes no value; got "yes"'],
  [["list", "--limit", "0"], '--limit is "0"; it must be a whole number above 0'],
  [["list", "--limit", "5", "--all"], "contradict"],
  [
    ["list", "--store", "/tmp/s.sqlite"],
    "must be sqlite or xtdb or memory (use --at for a store's path)",
  ],
  [["print", "x", "--as-of", "yesterday"], '--as-of is "yesterday"; it must be a version'],
  [["print", "x", "--as-of", "abcdef0"], "at least the first 8 hex digits of a hash"],
  [
    ["find"],
    "give words, or one of --literal, --regex, --type, --tag, --path, --relation and --session",
  ],
  [["find", "x", "--limit", "0"], '--limit is "0"; it must be a whole number above 0'],
  [["graph", "x", "--depth", "far"], '--depth is "far"; it must be a whole number above 0'],
  [["graph", "x", "--direction", "up"], '--direction is "up"; it must be in or out or both'],
  [["check", "--only", "wrong"], '--only is "wrong"; it must be broken or ambiguous or unread'],
  [["nickname", "x"], "give a NAME, or --remove"],
  [["note", "x"], "give a TEXT, or --remove"],
  [["note", "x", "y", "--remove"], "--remove takes no TEXT"],
  [["summarize", "x"], "give the server with --url, and its model with --model"],
  [["summarize", "x", "--url", "no", "--model", "m"], '--url is "no"; give an address such as'],
  [["nickname", "x", "y", "--remove"], "--remove takes no NAME"],
  [["nickname", "x", "f12"], "is no handle such as f12"],
  [["nickname", "x", "./y"], "begins with none of"],
  [["backup", "day.gz", "--keep", "2"], "--keep needs a folder"],
  [["restore"], "it takes 1 argument; got none"],
  [["xtdb"], "it takes 1 to 20 arguments; got none"],
  [["xtdb", "frobnicate"], 'no action "frobnicate"; the actions are start, stop'],
  [["xtdb", "stop", "x"], "stop takes no further argument; got x"],
  [["xtdb", "start", "--port", "70000"], "must be a number from 1 to 65535"],
  [["xtdb", "status", "--at", "http://127.0.0.1:3000"], "the URL of a node that runs elsewhere"],
  [["nickname", "x", "a\nb"], String.raw`"a\nb" cannot be a nickname`],
])("exits with 2 and names the error: %j", async (argv, message) => {
  const { code, stdout, stderr } = await run(argv, { SCM_STORE_KIND: "memory" });

  expect(code).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toContain(message);
});

test("a wrong setting of the environment is named, with exit code 2", async () => {
  expect(await run(["list"], { SCM_STORE_KIND: "postgres" })).toEqual({
    code: 2,
    stdout: "",
    stderr: 'scm list: SCM_STORE_KIND is "postgres"; it must be sqlite or xtdb or memory\n',
  });
});

/** Commands that need a store. */
const readingLines = [
  "list",
  "show x",
  "history x",
  "print x",
  "find x",
  "links x",
  "graph x",
  "check",
  "nickname x y",
  "note x y",
  "export",
];

test.each(readingLines)(
  "%s names a store that does not exist, and does not create it",
  async (line) => {
    await using store = await temporaryStore();

    const first = await store.scm(...line.split(" "));
    const second = await store.scm(...line.split(" "));

    expect(first).toMatchObject({ code: 1, stdout: "" });
    expect(first.stderr).toContain(`there is no store at ${store.at}; name another with --at`);
    expect(second).toEqual(first);
  },
);

test("a file that is not a store is named", async () => {
  await using store = await temporaryStore();
  await writeFile(store.at, "no database, however long the file may be. ".repeat(100));

  const { code, stderr } = await store.scm("list");

  expect(code).toBe(1);
  expect(stderr).toContain(store.at);
  expect(stderr).not.toContain("report it");
});

test.each(readingLines)("%s refuses an empty file, and leaves it empty", async (line) => {
  await using store = await temporaryStore();
  await writeFile(store.at, "");

  const { code, stdout, stderr } = await store.scm(...line.split(" "));

  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(`${store.at} is an empty file, not a store`);
  expect(await readFile(store.at, "utf8")).toBe("");
});

test("an output that cannot be written is reported in one line", async () => {
  let stderr = "";
  const output = {
    stdout: async () => await Promise.reject(new Error("ENOSPC: no space left on device, write")),
    stderr: (text: string) => void (stderr += text),
  };

  const codes = [
    await runCli(["list", "--store", "memory"], output),
    await runCli(["--version"], output),
  ];

  expect(codes).toEqual([1, 1]);
  expect(stderr).toBe(
    ["scm list", "scm"]
      .map(
        (name) =>
          `${name}: the output cannot be written (ENOSPC: no space left on device, write)\n`,
      )
      .join(""),
  );
});

test.each(commands)("%s has a help text without stray line breaks", async (command) => {
  const { stdout } = await run([command, "--help"]);
  const lines = stdout.trimEnd().split("\n");

  expect(lines.filter((line) => line.length > 120)).toEqual([]);
  // A line that ends within a sentence is nearly full.
  expect(
    lines.filter((line) => /[a-z,;]$/u.test(line) && !/^ {2}/u.test(line) && line.length < 70),
  ).toEqual([]);
});

test("--at has priority over the environment and is relative to the folder", async () => {
  await using store = await temporaryStore();

  const { stderr } = await store.scm("list", "--at", "other.sqlite");

  expect(stderr).toContain(`there is no store at ${join(store.workspace, "other.sqlite")};`);
});

test("an empty store lists only titles, and a message that it is empty", async () => {
  expect(await run(["list", "--store", "memory"])).toEqual({
    code: 0,
    stdout: "ID  TYPE  VERSIONS  SIZE  CHANGED  STATUS  NAME\n",
    stderr: "The store has no objects.\n",
  });
});
