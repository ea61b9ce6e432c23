import {
  objectId,
  type ObjectStore,
  sealObject,
  type SearchHit,
  type SearchIndex,
  sha256,
  StoreError,
} from "@self-context-manager/objects";
import { describe, expect, it, vi } from "vitest";

import type {
  CallAnswer,
  DamageAnswer,
  GraphAnswer,
  ObjectAnswer,
  SearchAnswer,
  SessionAnswer,
  SessionsAnswer,
  StoreAnswer,
  VersionAnswer,
} from "../../src/answers.ts";
import type { InspectedStore } from "../../src/inspected-store.ts";
import { openQuestions } from "../../src/questions/questions.ts";
import { inspected, quietStore, recordedSession, type Step } from "../recorded-session.ts";
import { testParser } from "../test-parser.ts";

const steps: readonly Step[] = [
  { user: "please look at a.ts" },
  { read: "a.ts", text: "export const answer = 42;\n".repeat(30) },
  { run: { command: "make" }, output: "compiled\n".repeat(40) },
  { read: "a.ts", text: "export const answer = 43;\n".repeat(30) },
];

/** Asks a question by its path, as the page writes it. */
async function ask<Answer>(store: InspectedStore, path: string): Promise<Answer> {
  const [place = "", query] = path.split("?");
  const questions = openQuestions(store);
  return (await questions.ask(
    place.split("/").map(decodeURIComponent),
    new URLSearchParams(query),
  )) as Answer;
}

async function fileOf({ store }: { readonly store: ObjectStore }): Promise<string> {
  const [file] = (await store.find({ where: { type: "file" } })).items;
  return String(file?.body.id);
}

interface TestSearch extends SearchIndex {
  /** The questions that it was asked. */
  readonly words: string[];
  /** The number of texts that were added. */
  added: number;
}

/** A search index that finds the given hits; it fails to add texts if it has a failure. */
function testSearch(hits: readonly SearchHit[], failure?: Error): TestSearch {
  const index: TestSearch = {
    words: [],
    added: 0,
    position: async () => await Promise.resolve(undefined),
    add: async (texts) => {
      if (failure !== undefined) throw failure;
      index.added += texts.length;
      await Promise.resolve();
    },
    search: async ({ words }) => {
      index.words.push(words);
      return await Promise.resolve(hits);
    },
    clear: async () => await Promise.resolve(),
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  };
  return index;
}

describe("the questions about a store", () => {
  it("list what the summaries of a session have cost", async () => {
    const { store, id } = await recordedSession(steps);
    const spent = { calls: 2, input: 900, output: 80, cost: 0.01, model: "test/small" };
    const session = await store.get(id);
    const body = { ...session?.body, summaries: { turns: { key: "s1" }, spent } };
    await store.commit([{ object: sealObject(body as Parameters<typeof sealObject>[0]) }]);

    const { sessions } = await ask<SessionsAnswer>(inspected(store), "sessions");

    expect(sessions[0]?.summaries).toEqual({ turns: 1, ...spent });
  });

  it("list the sessions, the newest first, with calls, tokens and costs", async () => {
    const { store, id } = await recordedSession(steps);

    const { sessions } = await ask<SessionsAnswer>(inspected(store), "sessions");

    expect(sessions).toEqual([
      expect.objectContaining({ id, harness: "test", hostId: "one", workspace: "/work", calls: 4 }),
    ]);
    expect(sessions[0]?.tokens).toBeGreaterThan(100);
    expect(sessions[0]?.reported).toMatchObject({ calls: 3, input: 36 });
    expect(sessions[0]?.cost?.units).toBeGreaterThan(0);
    expect(sessions[0]?.problem).toBeUndefined();
    expect(sessions[0]?.summaries).toBeUndefined();
  });

  it("list a page of the sessions, and read only the sessions of this page", async () => {
    const { store, id } = await recordedSession(steps);
    const provenance = { origin: "a test", generator: "tool" } as const;
    const later = { id: objectId("later"), type: "session", content: null, locked: false };
    await store.commit([{ object: sealObject({ ...later, provenance }) }]);
    const read: string[] = [];
    const counted = {
      ...store,
      get: async (...args: Parameters<typeof store.get>) => {
        read.push(args[0]);
        return await store.get(...args);
      },
    };
    const questions = openQuestions(inspected(counted));

    const first = await questions.ask(["sessions"], new URLSearchParams("limit=1"));
    const whole = await questions.ask(["sessions"]);

    expect(first).toMatchObject({ sessions: [{ id: "later" }], older: 1 });
    expect(read.indexOf(id)).toBe(1);
    expect((whole as SessionsAnswer).sessions.map((one) => one.id)).toEqual(["later", id]);
    expect(whole).not.toHaveProperty("older");
  });

  it("show a call with its messages, their hashes and the objects behind them", async () => {
    const { store, id } = await recordedSession(steps);

    const call = await ask<CallAnswer>(inspected(store), `sessions/${id}/calls/4`);

    expect(call.isVerified).toBe(true);
    expect(call.systemPrompts).toMatchObject([{ origin: "host", isShared: true }]);
    expect(call.messages.map(({ hash, json = "" }) => hash === sha256(json))).not.toContain(false);
    expect(call.messages.map(({ isShared }) => isShared)).toEqual(
      expect.arrayContaining([true, false]),
    );
    expect(call.difference?.sharedMessages).toBe(
      call.messages.filter(({ isShared }) => isShared).length,
    );
    const named = call.messages.flatMap(({ parts }) => parts);
    expect(named).toContainEqual({ id: await fileOf({ store }), handle: "f1", version: 2 });
  });

  it("give the first call no difference, and refuse a call that is not there", async () => {
    const { store, id } = await recordedSession(steps);

    const first = await ask<CallAnswer>(inspected(store), `sessions/${id}/calls/1`);

    expect(first.difference).toBeUndefined();
    await expect(ask(inspected(store), `sessions/${id}/calls/9`)).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("it has 4"),
    });
  });

  it("give only the calls after a number", async () => {
    const { store, id } = await recordedSession(steps);

    const { timeline } = await ask<SessionAnswer>(inspected(store), `sessions/${id}?after=2`);

    expect(timeline.calls.map(({ call }) => call)).toEqual([3, 4]);
  });

  it("show an object with versions, the calls that show it, and its references", async () => {
    const recorded = await recordedSession(steps);
    const file = await fileOf(recorded);

    const object = await ask<ObjectAnswer>(inspected(recorded.store), `objects/${file}`);

    expect(object).toMatchObject({ id: file, type: "file", name: "a.ts", version: 2 });
    expect(object.versions.map(({ version }) => version)).toEqual([1, 2]);
    expect(object.metadata.slice(0, 2)).toEqual([
      ["id", file],
      ["type", "file"],
    ]);
    expect(object.metadata).toContainEqual(["path", "/work/a.ts"]);
    expect(object.inView).toMatchObject([
      {
        session: recorded.id,
        handle: "f1",
        runs: [
          { from: 2, to: 3 },
          { from: 4, to: 4 },
        ],
      },
    ]);
    expect(object.referrers.map(({ type }) => type)).toContain("toolcall");
    expect(object.problem).toBeUndefined();
  });

  it("leave references out of the metadata, because they are listed", async () => {
    const { store } = await recordedSession(steps);
    const [tool] = (await store.find({ where: { type: "toolcall" } })).items;

    const object = await ask<ObjectAnswer>(inspected(store), `objects/${tool?.body.id}`);

    expect(object.references.map(({ path }) => path)).toContain("/chat_ref");
    expect(object.metadata.map(([field]) => field)).not.toContain("chat_ref");
    expect(object.metadata).toContainEqual(["tool", "read"]);
  });

  it("show the links of a document in both directions, and draw them", async () => {
    const { store } = await recordedSession([
      { read: "a.md", text: "# A\n\nThis is (part_of) [[b]], and [[nothing]].\n" },
      { read: "b.md", text: "# B\n" },
    ]);
    const files = (await store.find({ where: { type: "file" } })).items;
    const [a, b] = ["/work/a.md", "/work/b.md"].map(
      (path) => files.find(({ body }) => body["path"] === path)?.body.id,
    );
    const linked = inspected(store, { parser: testParser, workspace: "/work" });

    const from = await ask<ObjectAnswer>(linked, `objects/${a}`);
    const to = await ask<ObjectAnswer>(linked, `objects/${b}`);
    const graph = await ask<GraphAnswer>(linked, `objects/${b}/graph`);

    expect(from.links).toEqual([
      { text: "[[b]]", relation: "part_of", to: { id: b, type: "file", name: "b.md" } },
      { text: "[[nothing]]" },
    ]);
    expect(to.backlinks).toEqual([{ id: a, type: "file", name: "a.md", relation: "part_of" }]);
    expect(graph.edges).toContainEqual({ from: a, to: b, relation: "part_of", kind: "link" });
  });

  it("show a version with its content, and one that is not there as absent", async () => {
    const recorded = await recordedSession(steps);
    const file = await fileOf(recorded);

    const version = await ask<VersionAnswer>(
      inspected(recorded.store),
      `objects/${file}/versions/1`,
    );

    expect(version).toMatchObject({ type: "file", mediaType: "typescript", isVerified: true });
    expect(version.content).toContain("answer = 42");
    await expect(
      ask(inspected(recorded.store), `objects/${file}/versions/7`),
    ).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("draw the objects around an object, and no way leads through the session or the chat", async () => {
    const recorded = await recordedSession([
      ...steps,
      ...Array.from({ length: 30 }, (_, index) => ({
        run: { command: `echo ${index}` },
        output: `${index}\n`,
      })),
    ]);
    const file = await fileOf(recorded);

    const graph = await ask<GraphAnswer>(inspected(recorded.store), `objects/${file}/graph`);

    expect(graph.nodes[0]).toMatchObject({ id: file, distance: 0 });
    expect(graph.nodes.filter(({ type }) => type === "toolcall")).toHaveLength(2);
    const ids = new Set(graph.nodes.map(({ id }) => id));
    expect(graph.edges.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
    expect(graph.edges.length).toBeGreaterThan(0);
  });

  it("draw a session with its direct neighbours only, and at most 150 objects", async () => {
    const many: readonly Step[] = Array.from({ length: 200 }, (_, index) => ({
      run: { command: `echo ${index}` },
      output: `${index}\n`,
    }));
    const { store } = await recordedSession([{ user: "go" }, ...many]);
    const [chat] = (await store.find({ where: { type: "chat" } })).items;

    const graph = await ask<GraphAnswer>(inspected(store), `objects/${chat?.body.id}/graph`);

    expect(graph.nodes).toHaveLength(150);
    expect(Math.max(...graph.nodes.map(({ distance }) => distance))).toBe(1);
    expect(graph.isCut).toBe(true);
  });

  it("say in which calls each version of an object was in view, of all calls", async () => {
    const recorded = await recordedSession([...steps, { user: "thanks" }]);
    const file = await fileOf(recorded);

    const { inView } = await ask<ObjectAnswer>(inspected(recorded.store), `objects/${file}`);

    expect(inView).toEqual([
      {
        session: recorded.id,
        sessionName: "test one",
        calls: 5,
        handle: "f1",
        runs: [
          { from: 2, to: 3, version: 1 },
          { from: 4, to: 5, version: 2 },
        ],
      },
    ]);
  });

  it("say with which calls a system prompt was sent", async () => {
    const { store, id } = await recordedSession(steps);
    const [prompt] = (await store.find({ where: { type: "system_prompt" } })).items;

    const { inView } = await ask<ObjectAnswer>(inspected(store), `objects/${prompt?.body.id}`);

    expect(inView).toMatchObject([
      { session: id, calls: 4, handle: "", runs: [{ from: 1, to: 4, version: 1 }] },
    ]);
  });

  it("give each version its own metadata", async () => {
    const recorded = await recordedSession([
      { read: "a.ts", text: "one" },
      { read: "a.ts", text: "eleven" },
    ]);
    const path = `objects/${await fileOf(recorded)}`;

    const first = await ask<VersionAnswer>(inspected(recorded.store), `${path}/versions/1`);
    const newest = await ask<ObjectAnswer>(inspected(recorded.store), path);

    expect(first.metadata).toContainEqual(["path", "/work/a.ts"]);
    expect(first.metadata).toContainEqual(["char_count", "3"]);
    expect(newest.metadata).toContainEqual(["char_count", "6"]);
    expect(first.metadata.map(([field]) => field)).toEqual(newest.metadata.map(([field]) => field));
  });

  it.each(["sessions/x/y/z", "nothing", "objects/a/versions/x", "sessions/ID/calls/0", "", "api"])(
    "refuse %j in words",
    async (path) => {
      const { store } = await recordedSession([{ user: "go" }]);

      await expect(ask(inspected(store), path)).rejects.toMatchObject({
        name: "QuestionError",
        message: expect.stringMatching(/^[A-Z].*\.$/u),
      });
    },
  );

  it("find objects by words, with the line and the session", async () => {
    const { store, id } = await recordedSession(steps);
    const [tool] = (await store.find({ where: { type: "toolcall", tool: "bash" } })).items;
    const hit = { id: tool?.body.id ?? id, version: 1, place: "", type: "toolcall", score: 1 };
    const search = testSearch([hit, { ...hit, score: 0.5 }]);

    const found = await ask<SearchAnswer>(
      inspected(store, { search }),
      "search?words=compiled%20x",
    );

    expect(search.words).toEqual(["compiled x"]);
    expect(found).toEqual({
      hits: [
        expect.objectContaining({ id: hit.id, type: "toolcall", version: 1, line: "compiled" }),
      ],
      isComplete: true,
    });
    expect(search.added).toBeGreaterThan(0);
  });

  it("find objects by a handle and by parts of names first, whatever their case", async () => {
    const { store, id } = await recordedSession([
      { read: "docs/taxes.md", text: "about the docs" },
      { read: "old/docs/taxes.md", text: "about the docs" },
      { run: { command: "cat docs/taxes.md" }, output: "about the docs" },
    ]);
    const [tool] = (await store.find({ where: { type: "toolcall", tool: "bash" } })).items;
    const words = { id: tool?.body.id ?? id, version: 1, place: "", type: "toolcall", score: 1 };
    const questions = openQuestions(inspected(store, { search: testSearch([words]) }));
    const find = async (text: string): Promise<SearchAnswer["hits"]> =>
      ((await questions.ask(["search"], new URLSearchParams({ words: text }))) as SearchAnswer)
        .hits;

    const byPath = await find("DOCS/taxes.md");
    const byHandle = await find("F2");
    const byPart = await find("taxe old");

    expect(byPath.map(({ name, by }) => [name, by]).slice(0, 2)).toEqual([
      ["docs/taxes.md", "name"],
      ["old/docs/taxes.md", "name"],
    ]);
    expect(byPath[0]).not.toHaveProperty("version");
    const call = byPath.find((hit) => hit.id === tool?.body.id);
    expect(call).toMatchObject({ by: "name", version: 1 });
    expect(byPath.filter((hit) => hit.id === tool?.body.id)).toHaveLength(1);
    expect(byHandle[0]).toMatchObject({
      name: "old/docs/taxes.md",
      by: "handle",
      handle: "f2",
      session: id,
    });
    expect(byPart[0]).toMatchObject({ name: "old/docs/taxes.md", by: "name" });
  });

  it("find the names of objects that came after the first search", async () => {
    const store = quietStore();
    const session = await recordedSession([{ read: "one.md", text: "1" }], { store });
    const questions = openQuestions(inspected(store));
    const find = async (text: string): Promise<readonly string[]> => {
      const asked = await questions.ask(["search"], new URLSearchParams({ words: text }));
      return (asked as SearchAnswer).hits.map(({ name }) => name);
    };

    const before = await find("brand-new");
    const file = (await store.get((await fileOf(session)) as typeof session.id))?.body;
    if (file === undefined) throw new TypeError("the session has no file");
    await store.commit([{ object: sealObject({ ...file, path: "/work/brand-new.md" }) }]);
    const after = await find("brand-new");

    expect(before).toEqual([]);
    expect(after).toEqual(["brand-new.md"]);
    expect(await find("one.md")).not.toContain("one.md");
  });

  it("find a name among 10,000 objects, and no more than a page of them", async () => {
    const { store } = await recordedSession([{ read: "a.ts", text: "1" }]);
    const [file] = (await store.find({ where: { type: "file" } })).items;
    const body = await store.get(file?.body.id ?? ("" as never));
    if (body === undefined) throw new TypeError("the session has no file");
    for (let part = 0; part < 10; part += 1)
      await store.commit(
        Array.from({ length: 1_000 }, (_, index) => {
          const number = part * 1_000 + index;
          const id = objectId(`0190bbbb-0000-7000-8000-${String(number).padStart(12, "0")}`);
          return { object: sealObject({ ...body.body, id, path: `/work/many/file-${number}.ts` }) };
        }),
      );
    const questions = openQuestions(inspected(store, { search: testSearch([]) }));
    const find = async (text: string): Promise<SearchAnswer> =>
      (await questions.ask(["search"], new URLSearchParams({ words: text }))) as SearchAnswer;
    await vi.waitFor(
      async () => expect(await find("x")).toMatchObject({ isComplete: true }),
      60_000,
    );

    const one = await find("file-7777");
    const many = await find("many/file");

    expect(one.hits.map(({ name }) => name)).toEqual(["many/file-7777.ts"]);
    expect(many.hits).toHaveLength(25);
  });

  it("find what the search index has, if it cannot be brought up to date", async () => {
    const { store } = await recordedSession(steps);
    const search = testSearch([], new StoreError("STORE_BUSY", "the index is locked"));

    const found = await ask<SearchAnswer>(inspected(store, { search }), "search?words=compiled");

    expect(found).toEqual({ hits: [], isComplete: false });
    expect(search.words).toEqual(["compiled"]);
  });

  it("write nothing", async () => {
    const recorded = await recordedSession(steps);
    const { store } = recorded;
    const before = (await store.changesSince()).position;
    const refuses = async (): Promise<never> =>
      await Promise.reject(new Error("the inspector must not write"));
    const readOnly = { ...store, commit: refuses, restore: refuses };
    const file = await fileOf(recorded);

    for (const path of [
      "store",
      "sessions",
      `sessions/${recorded.id}`,
      `sessions/${recorded.id}/calls/2`,
      `objects/${file}`,
      `objects/${file}/versions/1`,
      `objects/${file}/graph`,
    ])
      await expect(ask(inspected(readOnly), path)).resolves.toBeDefined();
    expect((await store.changesSince()).position).toBe(before);
  });
});

/** A store in which reads of one object fail. */
function damaged(store: ObjectStore, id: string): ObjectStore {
  const failure = new StoreError("STORE_CORRUPT", `object ${id} cannot be read`);
  const check = (ids: readonly string[]): void => {
    if (ids.includes(id)) throw failure;
  };
  return {
    ...store,
    get: async (one, at) => {
      check([one]);
      return await (at === undefined ? store.get(one) : store.get(one, at));
    },
    getMany: async (ids) => {
      check(ids);
      return await store.getMany(ids);
    },
    describe: async (ids) => {
      check(ids);
      return await store.describe(ids);
    },
    history: async (one, options) => {
      check([one]);
      return await store.history(one, options);
    },
  };
}

describe("damaged objects", () => {
  it("are shown as damaged, and the others as they are", async () => {
    const recorded = await recordedSession(steps);
    const file = await fileOf(recorded);
    const harmed = inspected(damaged(recorded.store, file));
    const [tool] = (await recorded.store.find({ where: { type: "toolcall" } })).items;

    const object = await ask<ObjectAnswer>(harmed, `objects/${file}`);
    const version = await ask<VersionAnswer>(harmed, `objects/${file}/versions/1`);
    const other = await ask<ObjectAnswer>(harmed, `objects/${tool?.body.id}`);

    expect(object.problem).toContain("cannot be read");
    expect(version).toMatchObject({ isVerified: false, content: null });
    expect(version.problem).toContain("cannot be read");
    expect(other).toMatchObject({ type: "toolcall" });
    expect(other.problem).toBeUndefined();
  });

  it("include versions of a newer format, whose content is shown as not verified", async () => {
    const recorded = await recordedSession(steps);
    const file = await fileOf(recorded);
    const newer: ObjectStore = {
      ...recorded.store,
      get: async (id, at) => {
        const stored = await recorded.store.get(id, at);
        return stored && { ...stored, hashes: { ...stored.hashes, hash_rule: 99 } };
      },
    };

    const version = await ask<VersionAnswer>(inspected(newer), `objects/${file}/versions/1`);

    expect(version).toMatchObject({ isVerified: false, problem: expect.stringContaining("99") });
    expect(version.content).toContain("answer = 42");
  });

  it("make a call that shows them unverified", async () => {
    const recorded = await recordedSession(steps);
    const file = await fileOf(recorded);
    const harmed = inspected(damaged(recorded.store, file));

    const call = await ask<CallAnswer>(harmed, `sessions/${recorded.id}/calls/4`);

    expect(call.isVerified).toBe(false);
    expect(call.problems).toContainEqual({
      text: expect.stringContaining(file),
      id: file,
      version: 2,
    });
    const marked = call.messages.filter(({ isDamaged }) => isDamaged);
    expect(marked.length).toBeGreaterThan(0);
    expect(marked.every(({ parts }) => parts.some(({ id }) => id === file))).toBe(true);
  });

  it("are found in all calls of a session at once", async () => {
    const recorded = await recordedSession(steps);
    const harmed = damaged(recorded.store, await fileOf(recorded));
    const path = `sessions/${recorded.id}/damage`;

    const sound = await ask<DamageAnswer>(inspected(recorded.store), path);
    const found = await ask<DamageAnswer>(inspected(harmed), path);

    expect(sound).toEqual({ calls: 4, damaged: [] });
    expect(found.calls).toBe(4);
    expect(found.damaged.map(({ call }) => call)).toEqual([2, 3, 4]);
    expect(found.damaged[0]?.problems.join(" ")).toContain("cannot be read");
  });

  it("are no longer looked for when nobody waits for the answer", async () => {
    const many = Array.from({ length: 40 }, (): Step => ({ user: "go on" }));
    const { store, id } = await recordedSession(many);
    const questions = openQuestions(inspected(store));
    const gone = new AbortController();

    const asked = questions.ask(["sessions", id, "damage"], new URLSearchParams(), gone.signal);
    setImmediate(() => gone.abort(new Error("the client has gone")));

    await expect(asked).rejects.toThrow("the client has gone");
  });

  it("leave a session in the list, with its problem", async () => {
    const recorded = await recordedSession(steps);
    const [view] = (await recorded.store.find({ where: { type: "view" } })).items;
    const harmed = inspected(damaged(recorded.store, String(view?.body.id)));

    const { sessions } = await ask<SessionsAnswer>(harmed, "sessions");

    expect(sessions).toMatchObject([
      { id: recorded.id, problem: expect.stringContaining("cannot be read") },
    ]);
  });

  it("hide no other session from the list, and no place of the store", async () => {
    const store = quietStore();
    const ids: string[] = [];
    for (const sessionId of ["one", "two", "three"])
      ids.push(
        (await recordedSession([{ user: "go" }], { store, host: { harness: "test", sessionId } }))
          .id,
      );
    const failure = new StoreError("STORE_CORRUPT", "a version is damaged");
    const harmed: ObjectStore = {
      ...store,
      find: async (query) => {
        const page = await store.find(query);
        if (page.items.some(({ body }) => body.id === ids[1])) throw failure;
        return page;
      },
      changesSince: async () => await Promise.reject(failure),
    };

    const { sessions } = await ask<SessionsAnswer>(inspected(harmed), "sessions");
    const place = await ask<StoreAnswer>(inspected(harmed), "store");

    expect(new Set(sessions.map(({ id }) => id))).toEqual(new Set([ids[0], ids[2]]));
    expect(place).toEqual({ place: "/store.sqlite", kind: "memory", position: "" });
  });

  it("are no reason to hide that a version is deleted", async () => {
    const store = quietStore();
    const recorded = await recordedSession(steps, { store });
    const file = await fileOf(recorded);
    const [head] = await store.getMany([file as typeof recorded.id]);
    if (head === undefined) throw new TypeError("the session has no file");
    await store.commit([{ object: sealObject({ ...head.body, content: null }) }]);

    const version = await ask<VersionAnswer>(inspected(store), `objects/${file}/versions/3`);

    expect(version).toMatchObject({ content: null, isVerified: true });
  });
});
