import { openContextManager } from "@self-context-manager/compose";
import { type Message, neutralCodec, readList } from "@self-context-manager/core";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { run, storeWithSession, type TemporaryStore, temporaryStore } from "./temporary-store.ts";

const secret = ["sk", "live", "Zq83kLmN02xYvT7u"].join("-");
const mark = /\[forgotten: \d{4}-\d{2}-\d{2}, by the user\]/u;

const messages: readonly Message[] = [
  { role: "user", content: [{ type: "text", text: "Which key is it?" }], timestamp: 1 },
  {
    role: "assistant",
    content: [{ type: "toolCall", id: "call_1", name: "bash", arguments: { command: "env" } }],
    timestamp: 2,
  },
  {
    role: "toolResult",
    toolCallId: "call_1",
    toolName: "bash",
    content: [{ type: "text", text: `HOME=/root\nKEY=${secret}\n` }],
    isError: false,
    timestamp: 3,
  },
  { role: "user", content: [{ type: "text", text: "Thank you." }], timestamp: 4 },
];

/** A store in which a command printed a key, which is also in a file, and a search index that has it. */
async function storeWithKey(): Promise<TemporaryStore> {
  const made = await temporaryStore();
  const { at, workspace } = made;
  await writeFile(join(workspace, "settings.txt"), `key ${secret}\nport 1\n`);
  // As a store has it that was made before secrets were marked.
  await using manager = await openContextManager({ at, workspace, secrets: "off" });
  const session = await manager.openSession({ harness: "pi", sessionId: "s1" });
  await session.read({ path: "settings.txt" });
  await session.ingest(readList(messages, neutralCodec));
  await session.nextView();
  const found = await made.scm("find", "Zq83kLmN02xYvT7u");
  expect(found.stdout).toContain("bash");
  return made;
}

/** All that a user can find: every version, and the bytes of every file of the store and of its index. */
async function files(store: TemporaryStore): Promise<string> {
  const { at } = store;
  const texts = [(await store.scm("export")).stdout];
  for (const entry of await readdir(join(at, ".."), { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(at, "..", entry.name));
    texts.push(bytes.toString("latin1"), bytes.toString("utf8"));
  }
  return texts.join("\n");
}

test("forget lists what will go, and changes nothing without --yes", async () => {
  await using store = await storeWithKey();

  const { code, stdout, stderr } = await store.scm(
    "forget",
    "--matching",
    "sk-live-[A-Za-z0-9]{10,}",
  );

  expect(code).toBe(0);
  expect(stdout).toContain("1 text match:\n  sk-l… (24 characters)");
  expect(stdout).toMatch(/toolcall +1 of 1 +texts +bash: "env"/u);
  expect(stdout).toMatch(/file +1 of 1 +texts +settings\.txt/u);
  expect(stdout).toContain("Sessions that have them; their next calls show what is left:\n  pi s1");
  expect(stdout).toContain(`stay as they are:\n  ${join(store.workspace, "settings.txt")}`);
  expect(stdout).not.toContain(secret);
  expect(stderr).toBe("Nothing was changed. Add --yes to forget this.\n");
  expect((await store.scm("print", "settings.txt")).stdout).toContain(secret);
});

test("forget --yes leaves the text in no file of the store and of its index", async () => {
  await using store = await storeWithKey();
  const { code, stdout } = await store.scm("forget", "--literal", secret, "--yes");

  expect(code).toBe(0);
  expect(stdout).toMatch(/Forgotten: \d+ versions of \d+ objects\. The store was searched again/u);
  expect((await files(store)).includes(secret)).toBe(false);
  expect((await store.scm("print", "settings.txt")).stdout).toMatch(mark);
  expect((await store.scm("find", "Zq83kLmN02xYvT7u")).stdout).not.toContain("bash");
  expect((await store.scm("find", "HOME")).stdout).toContain("bash");
  expect(await store.scm("doctor")).toMatchObject({ code: 0 });
  const views = await store.scm("view", "s1", "--verify");
  expect(views.stdout + views.stderr).toContain("was forgotten at");
  expect((await store.scm("forget", "--literal", secret)).stdout).toMatch(
    /^Nothing of it is in the store\.\nFiles outside of the store that still have it.*\n.*settings\.txt\n/u,
  );
});

test.each([
  ["yes\n", true],
  ["no\n", false],
  ["", false],
])("forget asks a person at a terminal, who answers %j", async (answer, isForgotten) => {
  await using store = await storeWithKey();
  const stdin = (async function* lines() {
    yield Buffer.from(`${secret}\n${answer}`);
  })();

  const { code, stderr } = await run(
    ["forget", "--literal", "-"],
    { SCM_STORE: store.at },
    store.workspace,
    { stdin, canAsk: true },
  );

  expect(code).toBe(0);
  expect(stderr).toContain("Type yes to forget it:");
  expect((await store.scm("print", "settings.txt")).stdout.includes(secret)).toBe(!isForgotten);
});

test("forget leaves a tombstone of an object, which says when and why", async () => {
  await using store = await storeWithKey();

  await store.scm("forget", "settings.txt", "--reason", "a test key", "--yes");

  const listed = await store.scm("list", "--type", "file", "--json");
  const [file] = JSON.parse(listed.stdout) as readonly {
    readonly object: { readonly id: string };
  }[];
  const shown = await store.scm("print", file?.object.id ?? "");
  expect(shown.stdout).toMatch(/\[forgotten: \d{4}-\d{2}-\d{2}, a test key\]/u);
  // The key is in the output of a command too, and the target was the file.
  expect(await files(store)).toContain(secret);
  expect(await files(store)).not.toContain("settings.txt");
});

test("forget of a version keeps the other ones", async () => {
  await using store = await storeWithSession();

  const { code } = await store.scm("forget", "a.txt@1", "--yes");

  expect(code).toBe(0);
  expect((await store.scm("print", "a.txt@1")).stdout).toMatch(mark);
  expect((await store.scm("print", "a.txt@2")).stdout).not.toMatch(mark);
  expect((await store.scm("doctor")).code).toBe(0);
});

test("forget of a session and of a workspace leaves nothing of them", async () => {
  await using store = await storeWithKey();
  await using other = await storeWithSession();

  await store.scm("forget", "s1", "--yes");
  await other.scm("forget", "--workspace", ".", "--yes");

  expect(await files(store)).not.toContain(secret);
  expect((await store.scm("list", "--type", "session")).stdout).not.toContain("s1");
  expect(await files(other)).not.toContain("export {};");
  expect((await other.scm("doctor")).code).toBe(0);
});

test("forget names copies beside the store, and the host's own file of the session", async () => {
  await using store = await storeWithKey();
  const agent = join(store.workspace, "agent");
  const file = join(agent, "sessions", "--work--", "2026-11-30_s1.jsonl");
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, `{"text":"${secret}"}\n`);
  await store.scm("backup");

  const { stdout } = await run(
    ["forget", "--literal", secret, "--yes"],
    { SCM_STORE: store.at, PI_CODING_AGENT_DIR: agent },
    store.workspace,
  );

  expect(stdout).toContain(file);
  expect(stdout).toMatch(/delete those that you do not need:\n {2}\S+backup\.gz/u);
  expect(await readFile(file, "utf8")).toContain(secret);
});

test("forget names a file of the host with the text in JSON within JSON", async () => {
  await using store = await storeWithKey();
  const text = 'user: "admin"\npassword: "Zq83kLmN02xYvT7u"';
  const file = join(store.workspace, "agent", "sessions", "2026-11-30_s1.jsonl");
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, JSON.stringify({ details: JSON.stringify({ output: text }) }));

  const { stdout } = await run(
    ["forget", "--literal", text],
    { SCM_STORE: store.at, PI_CODING_AGENT_DIR: join(store.workspace, "agent") },
    store.workspace,
  );

  expect(stdout).toContain(file);
});

test("what was forgotten does not come back with an export, a backup or a repair from before", async () => {
  await using store = await storeWithKey();
  await store.scm("export", "before.jsonl");
  await store.scm("backup", "before.gz");
  await store.scm("forget", "--literal", secret, "--yes");
  const after = (await store.scm("export")).stdout;

  const imported = await store.scm("import", "before.jsonl", "--merge", "--verify");
  const afterImport = (await store.scm("export")).stdout;
  const pages = await readFile(store.at);
  await writeFile(store.at, pages.fill(0, 20 * 1024, 30 * 1024));
  const repaired = await store.scm("doctor", "--repair", "--from", "before.gz");

  expect(imported).toMatchObject({ code: 0 });
  expect(imported.stderr).toMatch(/versions stay as they are: they were forgotten here/u);
  expect(afterImport).toBe(after);
  expect(repaired).toMatchObject({ code: 0 });
  expect((await store.scm("export")).stdout).not.toContain(secret);
  const again = await store.scm("import", "before.jsonl", "--merge");
  expect(again.stderr).not.toContain("conflict");
  expect((await store.scm("export")).stdout).not.toContain(secret);
  const lost = (await readdir(join(store.at, ".."))).filter((name) => name.endsWith(".lost.jsonl"));
  for (const name of lost)
    expect(await readFile(join(store.at, "..", name), "utf8")).not.toContain(secret);
});

test.each([
  [["forget"], /give a TARGET, --matching, --literal, --secrets or --workspace/u],
  [["forget", "--literal", "abc"], /less than 4 characters/u],
  [["forget", "--matching", "("], /no regular expression/u],
  [["forget", "--matching", "o"], /fits "o", and a text of less than 4 characters/u],
  [["forget", "--matching", ""], /fits an empty text/u],
  [["forget", "--matching", "(sk-live)?"], /fits an empty text/u],
  [
    ["forget", "--literal", "abcd", "--matching", "abcd"],
    /give one of --matching, --literal and --secrets/u,
  ],
  [["forget", "s1", "--reason", "a]b"], /--reason is one line/u],
  [["forget", "--workspace", "/nowhere"], /no session and no file/u],
  [["forget", "nothing"], /the store has no object/u],
] as const)("scm %j is refused", async (argv, message) => {
  await using store = await storeWithKey();

  const { code, stderr } = await store.scm(...argv, "--yes");

  expect(code).not.toBe(0);
  expect(stderr).toMatch(message);
  expect((await store.scm("print", "settings.txt")).stdout).toContain(secret);
});

test("forget removes the bytes that marks stand for, and --secrets what was stored before there were marks", async () => {
  await using store = await temporaryStore();
  const { at, workspace } = store;
  const token = ["ghp", `${"q7Zr2Kd9".repeat(4)}Wm4x`].join("_");
  const other = ["ghp", `${"b5Xw8Tn3".repeat(4)}Lp6v`].join("_");
  await writeFile(join(workspace, "a.txt"), `token ${token}\n`);
  await writeFile(join(workspace, "b.txt"), `token ${other}\n`);
  {
    await using manager = await openContextManager({ at, workspace, secrets: "off" });
    const session = await manager.openSession({ harness: "pi", sessionId: "s1" });
    await session.read({ path: "b.txt" });
  }
  {
    await using manager = await openContextManager({ at, workspace });
    const session = await manager.openSession({ harness: "pi", sessionId: "s2" });
    await session.read({ path: "a.txt" });
  }
  expect((await store.scm("print", "a.txt")).stdout).toContain("[secret: github-token");
  expect((await store.scm("print", "b.txt")).stdout).toContain(other);

  const before = await readFile(`${at}.secrets`, "utf8");
  const one = await store.scm("forget", "--literal", token, "--yes");
  const after = await readFile(`${at}.secrets`, "utf8");
  const all = await store.scm("forget", "--secrets", "--yes");

  expect(one).toMatchObject({ code: 0 });
  expect(before).toContain(Buffer.from(token).toString("base64"));
  expect(after).toBe("");
  expect((await store.scm("print", "a.txt")).stdout).toMatch(mark);
  expect(all.stdout).toContain("1 text match:");
  expect((await store.scm("print", "b.txt")).stdout).toMatch(mark);
  expect(await files(store)).not.toContain(other);
});

test.each(["forget", "gc"])(
  "%s of a session removes the bytes of its secrets, except those that another session has",
  async (command) => {
    await using store = await temporaryStore();
    const { at, workspace } = store;
    const tokens = ["q7Zr2Kd9", "b5Xw8Tn3"].map((part) =>
      ["ghp", `${part.repeat(4)}Wm4x`].join("_"),
    );
    const prompt = (text: string): Message => ({
      role: "user",
      content: [{ type: "text", text }],
      timestamp: 1,
    });
    {
      await using manager = await openContextManager({ at, workspace });
      const one = await manager.openSession({ harness: "pi", sessionId: "one" });
      await one.ingest(readList([prompt(`${tokens.join(" and ")} here`)], neutralCodec));
      const two = await manager.openSession({ harness: "pi", sessionId: "two" });
      await two.ingest(readList([prompt(`only ${tokens[1]} here`)], neutralCodec));
      await two.nextView();
    }

    const argv = command === "gc" ? ["gc", "--empty"] : ["forget", "one"];
    const run = await store.scm(...argv, "--yes");

    expect(run).toMatchObject({ code: 0 });
    const bytes = await readFile(`${at}.secrets`, "utf8");
    expect(bytes).not.toContain(Buffer.from(tokens[0] ?? "").toString("base64"));
    expect(bytes).toContain(Buffer.from(tokens[1] ?? "").toString("base64"));
  },
);

test.each(["forget", "gc"])("%s leaves no word in the search index", async (command) => {
  await using store = await temporaryStore();
  const { at, workspace } = store;
  const word = "quarzuhrwerk";
  const index = async (): Promise<boolean> => {
    const names = [`${at}.search`, `${at}.search-wal`];
    const parts = names.map(async (name) => await readFile(name, "latin1").catch(() => ""));
    return (await Promise.all(parts)).join("").includes(word);
  };
  {
    await using manager = await openContextManager({ at, workspace });
    const session = await manager.openSession({ harness: "pi", sessionId: "one" });
    const user: Message = { role: "user", content: `a ${word} here`, timestamp: 1 };
    await session.ingest(readList([user], neutralCodec));
  }
  await store.scm("find", word);
  const before = await index();

  const argv = command === "gc" ? ["gc", "--empty"] : ["forget", "--literal", word];
  const { code } = await store.scm(...argv, "--yes");

  expect({ code, before, after: await index() }).toEqual({ code: 0, before: true, after: false });
});

test("forget of a workspace leaves a folder whose name begins with its name", async () => {
  await using store = await temporaryStore();
  const { at } = store;
  for (const name of ["app", "app-2"]) {
    const workspace = join(store.workspace, name);
    await mkdir(workspace);
    await writeFile(join(workspace, "a.txt"), `text of ${name}\n`);
    await using manager = await openContextManager({ at, workspace });
    const session = await manager.openSession({ harness: "pi", sessionId: `in ${name}` });
    await session.read({ path: "a.txt" });
    await session.nextView();
  }

  const { code } = await store.scm("forget", "--workspace", "app", "--yes");
  const sessions = (await store.scm("list", "--type", "session")).stdout;

  expect(code).toBe(0);
  expect(sessions).toContain("in app-2");
  expect(sessions).not.toMatch(/in app\b(?!-)/u);
  expect((await store.scm("find", "--literal", "text of app-2")).stdout).toContain("a.txt");
});

test("a backup from before comes back without what was forgotten since", async () => {
  await using store = await storeWithKey();
  await store.scm("backup", "before.gz");
  await store.scm("forget", "--literal", secret, "--yes");

  const restored = await store.scm("restore", "before.gz", "--force");

  expect(restored).toMatchObject({ code: 0 });
  expect((await store.scm("export")).stdout).not.toContain(secret);
  expect((await store.scm("print", "settings.txt")).stdout).toMatch(mark);
  expect((await store.scm("doctor")).code).toBe(0);
});

test.each(["epoch", "toolCall", "user", "text", "bash"])(
  "forget of the word %s leaves a store that can be used",
  async (word) => {
    await using store = await storeWithKey();

    expect(await store.scm("forget", "--literal", word, "--yes")).toMatchObject({ code: 0 });

    expect((await store.scm("doctor")).code).toBe(0);
    expect((await store.scm("view", "s1", "1")).code).toBe(0);
  },
);

test("forget reads all of what is not a terminal as one text", async () => {
  await using store = await storeWithKey();
  const stdin = (async function* lines() {
    yield Buffer.from(`key ${secret}\nport 1\n`);
  })();

  const run1 = await run(
    ["forget", "--literal", "-", "--yes"],
    { SCM_STORE: store.at },
    store.workspace,
    { stdin },
  );

  expect(run1).toMatchObject({ code: 0 });
  const left = (await store.scm("print", "settings.txt")).stdout;
  expect(left.split("\n")).toHaveLength(3);
  expect(left).not.toContain("port 1");
});

test("what a forgotten session said can be said again", async () => {
  await using store = await storeWithKey();
  await store.scm("forget", "s1", "--yes");
  await using manager = await openContextManager({
    at: store.at,
    workspace: store.workspace,
    secrets: "off",
  });
  const session = await manager.openSession({ harness: "pi", sessionId: "s2" });

  await session.ingest(readList(messages, neutralCodec));

  expect(JSON.stringify((await session.nextView()).messages)).toContain(`KEY=${secret}`);
});

test("many different texts need a look at the list", async () => {
  await using store = await storeWithKey();
  const words = Array.from({ length: 60 }, (_, index) => `word${index}word`);
  await writeFile(join(store.workspace, "many.txt"), words.join(" "));
  await store.scm("index", ".");
  {
    await using manager = await openContextManager({ at: store.at, workspace: store.workspace });
    await (
      await manager.openSession({ harness: "pi", sessionId: "s2" })
    ).read({ path: "many.txt" });
  }

  const refused = await store.scm("forget", "--matching", "word\\d+word", "--yes");
  const allowed = await store.scm("forget", "--matching", "word\\d+word", "--yes", "--many");

  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("60 different texts match, more than 50");
  expect(refused.stdout).toContain("  and 20 more");
  expect(allowed.code).toBe(0);
});
