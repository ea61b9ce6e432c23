import { markdownParser } from "@self-context-manager/documents";
import { documentUpkeep } from "@self-context-manager/links";
import {
  fileBody,
  movedFileBody,
  type ObjectBody,
  objectId,
  type ObjectId,
  type ObjectStore,
  sealObject,
  type SearchIndex,
  type SearchText,
  silentLogger,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";

import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { openContextSession } from "../../src/session/open-context-session.ts";
import type { SessionDependencies } from "../../src/state/session-scope.ts";
import { type FakeFiles, fakeFiles } from "./fake-files.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";

/** An index that finds texts with one of the words, the first ones first. */
function wordSearch(): SearchIndex {
  const texts: SearchText[] = [];
  let reached: string | undefined;
  return {
    position: async () => await Promise.resolve(reached),
    add: async (more, position) => {
      texts.push(...more);
      await Promise.resolve((reached = position));
    },
    search: async ({ words, type, limit = 20 }) =>
      await Promise.resolve(
        texts
          .filter((one) => type === undefined || one.type === type)
          .filter(({ text }) => words.split(" ").some((word) => text.includes(word)))
          .slice(0, limit)
          .map(({ id, version, place, type: of }) => ({ id, version, place, type: of, score: 1 })),
      ),
    clear: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Two workspaces with one store: a session in each, and a program that opens more. */
interface Workspaces {
  readonly store: ObjectStore;
  readonly files: FakeFiles;
  readonly open: (workspace: string, settings?: Partial<SessionDependencies>) => Promise<Worker>;
}

interface Worker {
  readonly session: ContextSession;
  /** Runs a tool of the host, and makes the view of the next call. */
  readonly run: (
    tool: string,
    args: Readonly<Record<string, string>>,
    output: string,
  ) => Promise<void>;
  readonly find: (request: Parameters<ContextSession["find"]>[0]) => Promise<string>;
  readonly activate: (name: string) => Promise<string>;
}

async function twoWorkspaces(): Promise<Workspaces> {
  const store = memoryStore();
  const documents = documentUpkeep({
    store,
    parser: markdownParser,
    search: wordSearch(),
    logger: silentLogger,
    later: (run, milliseconds) => {
      if (milliseconds === 0) setImmediate(run);
      else setTimeout(run, milliseconds).unref();
    },
  });
  const files = fakeFiles();
  const { dependencies } = await openTestSession({ store, documents, layout: epochLayout() });
  let count = 0;
  return {
    store,
    files,
    open: async (workspace, settings = {}) => {
      count += 1;
      const number = count;
      const session = await openContextSession(
        { ...dependencies, files, workspace, ...settings },
        { harness: "test", sessionId: `session ${number}` },
      );
      const history = scriptHistory(number * 1_000_000);
      history.user(`begin ${number}`);
      await history.ingest(session);
      await session.nextView();
      return {
        session,
        run: async (tool, args, output) => {
          const callId = history.call(tool, args, output);
          const { path, content } = args;
          if (tool === "write" && path !== undefined && content !== undefined) {
            files.set(path, content);
            await session.recordWrite(path, { callId, args });
          }
          await history.ingest(session);
          await session.nextView();
        },
        find: async (request) => (await session.find(request, { callId: "find" })).text,
        activate: async (name) => (await session.activate(name, {}, { callId: "activate" })).text,
      };
    },
  };
}

const nothing = "No object was found among what agents of this workspace have read or written.";
const key = ["sk", "live", "abcdefghij"].join("-");

async function idOf(
  store: ObjectStore,
  where: Readonly<Record<string, string>>,
): Promise<ObjectId> {
  const { items } = await store.find({ where, limit: 1 });
  const [found] = items;
  if (found === undefined) throw new Error(`nothing is ${JSON.stringify(where)}`);
  return found.body.id;
}

async function bodyOf(store: ObjectStore, id: ObjectId): Promise<ObjectBody> {
  const stored = await store.get(id);
  if (stored === undefined) throw new Error(`${id} is not stored`);
  return stored.body;
}

describe("what another workspace made", () => {
  it("is not found: a key in the output of env", async () => {
    const { open } = await twoWorkspaces();
    const one = await open("/one");
    await one.run("bash", { command: "env" }, `API_KEY=${key}\n`);
    const later = await open("/one");
    const other = await open("/two");
    const wide = await open("/two", { findIn: "store" });

    expect(await other.find({ words: key })).toBe(nothing);
    expect(await other.find({ type: "toolcall" })).toBe(nothing);
    expect(await other.find({ path: "env" })).toBe(nothing);
    expect(await later.find({ words: key })).toContain(`API_KEY=${key}`);
    expect(await wide.find({ words: key })).toContain(`API_KEY=${key}`);
  });

  it("has the answers of an unknown name, by id, nickname and path, for each tool", async () => {
    const { open, store } = await twoWorkspaces();
    const one = await open("/one");
    await one.run("write", { path: "/one/plan.md", content: "# Head\nplan\n" }, "ok");
    const id = await idOf(store, { path: "/one/plan.md" });
    await one.session.name(id, "roadmap");
    const { chatId, sessionId } = await one.session.status();
    const { session, find } = await open("/two");
    const answers = async (name: string): Promise<readonly string[]> =>
      (
        await Promise.all(
          [
            session.activate(name, {}, { callId: "c" }),
            session.activate(`${name}@1`, {}, { callId: "c" }),
            session.activate(`${name}#Head`, {}, { callId: "c" }),
            session.activate(name, { turn: 1 }, { callId: "c" }),
            session.showField(name, "links", { callId: "c" }),
            session.pin(name, { callId: "c" }),
            session.unpin(name, { callId: "c" }),
            session.deactivate(name, { callId: "c", note: "seen" }),
          ].map(async (answer) => (await answer).text),
        )
      )
        .concat(await find({ session: name }), await find({ relation: `part_of ${name}` }))
        .map((text) => text.replaceAll(name, "NAME"));

    const unknown = await answers("0190ffff-0000-7000-8000-000000000000");
    for (const name of [id, "roadmap", "/one/plan.md", chatId, sessionId])
      expect(await answers(name)).toEqual(unknown);
    expect((await session.status()).objects).toEqual([]);
  });

  it("does not hide a file of the own workspace with the same name", async () => {
    const { open, store } = await twoWorkspaces();
    const one = await open("/one");
    await one.run("write", { path: "/one/a.txt", content: "secret" }, "ok");
    await one.session.name(await idOf(store, { path: "/one/a.txt" }), "budget");
    const maker = await open("/two");
    await maker.run("write", { path: "/two/notes/budget.md", content: "the budget" }, "ok");

    const { activate } = await open("/two");

    expect(await activate("budget")).toBe("f1 notes/budget.md is now active.");
  });

  it("leaves room for all results of the own workspace", async () => {
    const { open } = await twoWorkspaces();
    const one = await open("/one");
    for (let count = 0; count < 100; count += 1)
      await one.run("bash", { command: `echo ${count}` }, "the same word\n");
    const two = await open("/two");
    for (let count = 0; count < 12; count += 1)
      await two.run("bash", { command: `echo ${count}` }, "the same word\n");

    const { find } = await open("/two");
    const lines = (await find({ words: "same" })).split("\n");

    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toMatch(/^\d+ more; /u);
    expect((await find({ type: "toolcall" })).split("\n")).toHaveLength(11);
  });

  it("is no target of a link, no near name, and no tag", async () => {
    const { open, store } = await twoWorkspaces();
    const one = await open("/one");
    await one.run("write", { path: "/one/budgets.md", content: "#hidden" }, "ok");
    await one.session.name(await idOf(store, { path: "/one/budgets.md" }), "money");
    const two = await open("/two");
    const content = "[[money]] [[budgetx]] [[budgetz]] #open\n";
    await two.run("write", { path: "/two/budgety.md", content }, "ok");
    await two.find({ words: "any" });

    const { messages } = await two.session.nextView();

    const text = JSON.stringify(messages);
    expect(text).toContain(
      "[[money]] has no target yet; [[budgetx]] has no target yet, near: budgety",
    );
    expect(text).not.toContain("budgets");
    expect(await two.find({ tag: "hidden" })).toBe(
      "No note has the tag hidden. The most used tags are open.",
    );
  });

  it("is named by the user, and the session holds it then", async () => {
    const { open, store } = await twoWorkspaces();
    const one = await open("/one");
    await one.run("write", { path: "/one/a.md", content: "plan" }, "ok");
    const id = await idOf(store, { path: "/one/a.md" });
    const two = await open("/two");

    const inspected = await two.session.inspect(id);
    const before = await two.activate(id);
    const loaded = await two.session.load(id);

    expect(inspected).toMatchObject({ body: { content: "plan" } });
    expect(before).toMatch(/^No object is known as /u);
    expect(loaded.ok).toBe(true);
    expect(await two.activate(id)).toBe("f1 /one/a.md is now active.");
  });
});

describe("an object is reached from another workspace", () => {
  it("while the user shares it, as it is since then", async () => {
    const { open, store } = await twoWorkspaces();
    const one = await open("/one");
    await one.run("write", { path: "/one/a.txt", content: `first ${key}` }, "ok");
    await one.run("write", { path: "/one/a.txt", content: "second text" }, "ok");
    const id = await idOf(store, { path: "/one/a.txt" });

    const shared = await one.session.share(id);
    const two = await open("/two");
    const found = await two.find({ words: "second" });
    const former = await two.find({ words: key });
    const version = await two.activate("f1@1");
    const ended = await one.session.share(id, false);
    const after = await (await open("/two")).find({ words: "second" });

    expect(shared.text).toBe("f1 is shared with all workspaces.");
    expect(found).toContain("second text");
    expect(former).toBe(nothing);
    expect(version).toBe("f1 has no version 1; its newest is version 3.");
    expect(ended.text).toBe("f1 is no longer shared.");
    expect(after).toBe(nothing);
    expect(await bodyOf(store, id)).not.toHaveProperty("shared");
  });

  it("by the tag of its front matter, and not by one in its text", async () => {
    const { open } = await twoWorkspaces();
    const one = await open("/one");
    await one.run(
      "write",
      { path: "/one/a.md", content: "---\ntags: [shared]\n---\nlesson" },
      "ok",
    );
    await one.run(
      "write",
      { path: "/one/b.md", content: "---\ntags: [x]\n---\nlesson #shared" },
      "ok",
    );
    await one.run(
      "write",
      { path: "/one/c.md", content: "---\ntags: [shared]\n---\nlesson" },
      "ok",
    );
    await one.run("write", { path: "/one/c.md", content: "lesson again" }, "ok");

    const two = await open("/two");

    expect(await two.find({ words: "lesson" })).toMatch(/^- f1 \/one\/a\.md [^\n]*lesson$/u);
    expect(await two.find({ tag: "shared" })).toMatch(/^- f1 \/one\/a\.md [^\n]*$/u);
  });

  it("after a session of it has read the file, in the versions since then", async () => {
    const { open, files } = await twoWorkspaces();
    const one = await open("/one");
    await one.run("write", { path: "/one/a.txt", content: `first ${key}` }, "ok");
    await one.run("write", { path: "/one/a.txt", content: "second text" }, "ok");
    const two = await open("/two");
    const [read] = two.session.tools();
    const history = scriptHistory(900_000_000);
    history.user("read it");
    await read?.run({ path: "/one/a.txt" }, history.call("read", { path: "/one/a.txt" }, "second"));
    await history.ingest(two.session);
    await two.session.nextView();
    files.set("/one/a.txt", "third text");
    await one.run("write", { path: "/one/a.txt", content: "third text" }, "ok");

    const later = await open("/two");

    expect(await later.find({ words: "third" })).toContain("third text");
    expect(await later.find({ words: "second" })).toContain("v2 line 1: second text");
    expect(await later.find({ words: key })).toBe(nothing);
    expect(await later.activate("f1@2")).toContain("second text");
    expect(await later.activate("f1@1")).toBe("f1 has no version 1; its newest is version 3.");
  });
});

describe("a file that moved to another workspace", () => {
  it("is found there with its present text, and not with its past; here it stays known", async () => {
    const { open, store, files } = await twoWorkspaces();
    const one = await open("/one");
    await one.run("write", { path: "/one/a.md", content: `old ${key}` }, "ok");
    await one.run("write", { path: "/one/a.md", content: "present text" }, "ok");
    const id = await idOf(store, { path: "/one/a.md" });
    files.delete("/one/a.md");
    files.set("/two/a.md", "present text");
    const moved = movedFileBody(await bodyOf(store, id), "/two/a.md");
    await store.commit([{ object: sealObject(moved) }]);

    const two = await open("/two");
    const again = await open("/one");

    expect(await two.find({ words: "present" })).toContain("a.md");
    expect(await two.find({ words: key })).toBe(nothing);
    expect(await two.activate(`${id}@1`)).not.toContain(key);
    expect((await two.session.showField(`${id}@1`, "content", { callId: "c" })).text).not.toContain(
      key,
    );
    expect(await again.find({ words: key })).toContain(key);
  });

  it("is in the workspace by its real path, if the workspace is given by a link", async () => {
    const { open, files } = await twoWorkspaces();
    const one = await open("/real");
    await one.run("write", { path: "/real/a.txt", content: "present text" }, "ok");
    files.link("/link", "/real");

    const two = await open("/link");

    expect(await two.find({ words: "present" })).toContain("present text");
  });
});

describe("a file of the workspace that no session has read", () => {
  it("is found, with its earlier versions", async () => {
    const { open, store } = await twoWorkspaces();
    const id = objectId("0190aaaa-0000-7000-8000-00000000aaaa");
    for (const text of ["first words", "second words"]) {
      const content = { realPath: "/one/a.txt", size: text.length, modified: 0, text };
      await store.commit([{ object: sealObject(fileBody(id, content, "human")) }]);
    }

    const one = await open("/one");
    const two = await open("/two");

    expect(await one.find({ words: "first" })).toContain("v1 line 1: first words");
    expect(await one.activate("f1@1")).toContain("first words");
    expect(await two.find({ words: "first second" })).toBe(nothing);
  });
});

describe("a session of the same workspace", () => {
  it("is found by its id and its chat; one of another workspace is unknown", async () => {
    const { open } = await twoWorkspaces();
    const one = await open("/one");
    await one.run("bash", { command: "env" }, "some output\n");
    const { sessionId, chatId } = await one.session.status();

    const later = await open("/one");
    const other = await open("/two");

    expect(await later.find({ session: sessionId, words: "output" })).toContain("some output");
    expect(await later.find({ type: "chat" })).toContain(chatId);
    expect(await later.activate(chatId)).toContain("begin 1");
    expect(await other.find({ type: "chat" })).not.toContain(chatId);
  });

  it("lists no tag if the workspace has none", async () => {
    const { open } = await twoWorkspaces();
    const one = await open("/one");
    await one.run("write", { path: "/one/a.md", content: "#one" }, "ok");

    const two = await open("/two");

    expect(await two.find({ tag: "one" })).toBe("No note has a tag.");
  });
});
