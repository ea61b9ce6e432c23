import { markdownParser } from "@self-context-manager/documents";
import { documentUpkeep } from "@self-context-manager/links";
import {
  collectReferences,
  defined,
  type JsonObject,
  objectId,
  type ObjectId,
  type ObjectStore,
  sealObject,
  silentLogger,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { StoredBytes } from "../../src/inspect/attributed-bytes.ts";
import { planRemoval, type RemovalPlan, type RemovalRule } from "../../src/inspect/plan-removal.ts";
import { isOrigin } from "../../src/inspect/removable-objects.ts";
import { storeContents } from "../../src/inspect/store-contents.ts";

const day = 86_400_000;

describe("a session that is removed", () => {
  it("goes with its chat, view, calls, texts of the user, summaries, archived chats and files", async () => {
    const store = await storeOf([
      ...session("a", { call: { file_refs: [to("file")] }, pool: ["file", "gone"] }),
      ["file", { type: "file", path: "/w/a/x.txt" }],
      ["gone", { type: "file", path: null, presence: "missing" }],
      ["user", { type: "user", chat_ref: to("a-chat") }],
      ["summary", { type: "summary", chat_ref: to("a-chat") }],
      ["archived", { type: "chat", session_ref: to("a"), archived: true }],
    ]);

    const { objects, kept } = await plan(store);

    expect(objects.toSorted()).toEqual(
      ["a", "a-call", "a-chat", "a-view", "archived", "file", "gone", "summary", "user"].toSorted(),
    );
    expect(kept.size).toBe(0);
  });

  it.each([
    ["a nickname", { nickname: "mine" }, { why: "nickname" }],
    ["the field shared", { shared: true }, { why: "shared" }],
    [
      "the tag shared in its text",
      { content: "#shared\n", file_type: "markdown" },
      { why: "shared" },
    ],
  ])("leaves a file that has %s", async (_name, fields, reason) => {
    const store = await storeOf([
      ...session("a", { pool: ["file"] }),
      ["file", { type: "file", path: "/w/a/x.md", ...fields }],
    ]);

    expect((await plan(store)).kept.get(id("file"))).toEqual(reason);
  });

  it.each([
    ["another session knows", session("b", { pool: ["file"] }), { why: "session", by: "b" }],
    [
      "lies in the workspace of another session",
      session("b", { workspace: "/w" }),
      { why: "workspace", by: "b" },
    ],
    ["a note refers to", [["note", { type: "note", about: [to("file")] }]], byNote],
    ["a note links to", [["note", { type: "note", content: "[[x.txt]]" }]], byNote],
    ["a document beside it links to", [["note", note("/w/a/n.md", "[[x.txt]]")]], byNote],
  ] as readonly (readonly [string, Objects, unknown])[])(
    "leaves a file that %s",
    async (_name, others, reason) => {
      const store = await storeOf([
        ...session("a", { pool: ["file"] }),
        ["file", { type: "file", path: "/w/a/x.txt" }],
        ...others,
      ]);

      const { objects, kept } = await plan(store, {}, ["a"]);

      expect(objects).not.toContain("file");
      expect(kept.get(id("file"))).toEqual(reason);
    },
  );

  it("leaves the calls that a fork shares, with their files, but not their chat", async () => {
    const store = await storeOf([
      ...session("a", { call: { file_refs: [to("file")] } }),
      ...session("b", { pool: ["a-call"] }),
      ["file", { type: "file", path: "/w/a/x.txt" }],
    ]);

    const { objects, kept } = await plan(store, {}, ["a"]);

    expect(objects.toSorted()).toEqual(["a", "a-chat", "a-view"]);
    expect([...kept.keys()].toSorted()).toEqual(["a-call", "file"]);
  });

  it("leaves a summary and an archived chat that another session names", async () => {
    const store = await storeOf([
      ...session("a"),
      ["summary", { type: "summary", chat_ref: to("a-chat") }],
      ["archived", { type: "chat", session_ref: to("a"), archived: true }],
      ...session("b", { fields: { summaries: { turns: { key: "summary" } } }, pool: ["archived"] }),
    ]);

    const { objects } = await plan(store, {}, ["a"]);

    expect(objects.toSorted()).toEqual(["a", "a-call", "a-chat", "a-view"]);
  });
});

describe("a session that meets the rule stays", () => {
  it.each([
    ["open", session("a"), "open"],
    ["one with a named call", session("a", { call: { nickname: "mine" } }), "nickname"],
    ["pinned", session("a", { fields: { pinned_set: ["file"] } }), "pinned"],
    [
      "one that a note names",
      [...session("a"), ["note", { type: "note", see: to("a") }]],
      "referred",
    ],
  ] as readonly (readonly [string, Objects, string])[])(
    "if it is %s",
    async (name, objects, reason) => {
      const store = await storeOf(objects);

      const { spared, ...removal } = await plan(store, {}, name === "open" ? [] : ["a"]);

      expect(spared.map((one) => [one.session.id, one.reason])).toEqual([["a", reason]]);
      expect(removal).toMatchObject({ sessions: [], objects: [] });
    },
  );

  it("and is removed with pinned ones too, without its named objects", async () => {
    const store = await storeOf([
      ...session("a", { fields: { pinned_set: ["file"] } }),
      ...session("b", { call: { nickname: "mine" } }),
    ]);

    const { sessions, kept } = await plan(store, { alsoPinned: true });

    expect(sessions).toHaveLength(2);
    expect([...kept]).toEqual([["b-call", { why: "nickname" }]]);
  });
});

describe("the rule", () => {
  it("is met by sessions that meet all its conditions", async () => {
    const clock = { now: 0 };
    const store = memoryStore({ clock: { now: () => clock.now } });
    for (const [at, name, calls] of [
      [1, "old", true],
      [2, "empty", false],
      [9, "new", true],
    ] as const) {
      clock.now = at * day;
      await fill(store, session(name, calls ? {} : { call: undefined, hasView: false }));
    }
    const sizes = bytesOf([["old-call", 500]]);
    const chosen = async (rule: RemovalRule): Promise<readonly string[]> =>
      (await plan(store, rule, undefined, sizes)).sessions.map((one) => one.session.id);

    expect(await chosen({ unchangedSince: 5 * day })).toEqual(["old", "empty"]);
    expect(await chosen({ isEmpty: true })).toEqual(["empty"]);
    expect(await chosen({ largerThan: 400 })).toEqual(["old"]);
    expect(await chosen({ largerThan: 400, isEmpty: true })).toEqual([]);
    expect(await chosen({ unchangedSince: 2 * day })).toEqual(["old"]);
  });

  it("removes the oldest sessions until the store is small enough, and no more", async () => {
    const clock = { now: 0 };
    const store = memoryStore({ clock: { now: () => clock.now } });
    for (const name of ["c", "a", "b"]) {
      clock.now += day;
      await fill(store, session(name));
    }
    const sizes = bytesOf(["a", "b", "c"].map((name) => [`${name}-call`, 100]));
    const chosen = async (downTo: number): Promise<readonly string[]> =>
      (await plan(store, { downTo }, undefined, sizes)).sessions.map((one) => one.session.id);

    expect(await chosen(300)).toEqual([]);
    expect(await chosen(299)).toEqual(["c"]);
    expect(await chosen(150)).toEqual(["c", "a"]);
    expect(await chosen(0)).toEqual(["c", "a", "b"]);
  });

  it("counts a text that stays with another object as not removed", async () => {
    const store = await storeOf([...session("a"), ...session("b")]);
    const sizes = {
      ...bytesOf([["a-call", 10]]),
      texts: [
        { bytes: 100, holders: [id("a-call"), id("b-call")] },
        { bytes: 7, holders: [id("a-call"), id("a-chat")] },
      ],
    };

    expect((await plan(store, {}, ["a"], sizes)).bytes).toBe(17);
    expect((await plan(store, {}, ["a", "b"], sizes)).bytes).toBe(117);
  });
});

it("whatever a store has, what remains refers to nothing that was removed, except by its origin", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryStore, async ({ objects, removed }) => {
      const store = await storeOf(objects);
      const before = await storeContents(store);
      const chosen = removed.map((index) => `s${index}`);

      const { sessions, objects: gone, kept, spared } = await plan(store, {}, chosen);
      await store.rewrite({ objects: [], change: () => undefined, remove: gone });

      const after = await storeContents(store);
      const isGone = new Set<string>(gone);
      expect(after.objects.size).toBe(before.objects.size - gone.length);
      const bodies = await store.getMany([...after.objects.keys()]);
      const references = bodies.flatMap((one) =>
        collectReferences(one?.body ?? {}).map((found) => ({ from: one?.body.id, ...found })),
      );
      const broken = references.filter(
        ({ from, path, reference }) =>
          from !== undefined && isGone.has(reference.id) && !isOrigin({ id: from, path }, before),
      );
      expect(broken).toEqual([]);
      const texts = bodies
        .filter((one) => one?.body.type === "session")
        .map((one) => JSON.stringify(one?.body));
      const named = gone.filter((one) => texts.some((text) => text.includes(`"${one}"`)));
      expect(named).toEqual([]);
      const wrong = gone.filter((one) => {
        const object = before.objects.get(one);
        const isForAll = object?.nickname !== undefined || object?.isShared === true;
        const isOther = object?.session !== undefined && !chosen.includes(object.session);
        return isForAll || isOther || ["note", "thing"].includes(object?.type ?? "");
      });
      expect(wrong).toEqual([]);
      // A reason is an object that stays, and a session goes with every part that has no reason.
      const unreasonable = [...kept.values()].filter(
        (reason) => "by" in reason && !after.objects.has(reason.by),
      );
      expect(unreasonable).toEqual([]);
      const going = new Set(sessions.map(({ session: one }) => one.id));
      const forgotten = [...before.objects.values()].filter(
        ({ id: one, session: of }) =>
          of !== undefined && going.has(of) && !isGone.has(one) && !kept.has(one),
      );
      expect(forgotten).toEqual([]);
      for (const name of chosen)
        expect(going.has(id(name)) || spared.some((one) => one.session.id === name)).toBe(true);
    }),
    { numRuns: 150 },
  );
});

type Objects = readonly (readonly [name: string, fields: JsonObject])[];

const byNote = { why: "reference", by: "note" };

function note(path: string, content: string): JsonObject {
  return { type: "file", file_type: "markdown", presence: "present", path, content };
}

function id(name: string): ObjectId {
  return objectId(name);
}

function to(name: string): JsonObject {
  return { ref: "dynamic", id: name };
}

interface SessionFields {
  readonly fields?: JsonObject;
  readonly call?: JsonObject | undefined;
  readonly pool?: readonly string[];
  readonly workspace?: string;
  readonly hasView?: boolean;
}

/** A session with its chat, its view and a call. */
function session(
  name: string,
  { fields = {}, pool = [], workspace = `/w/${name}`, hasView = true, ...rest }: SessionFields = {},
): Objects {
  const call = "call" in rest ? rest.call : {};
  const known = [...(call === undefined ? [] : [`${name}-call`]), ...pool];
  const view = { view_ref: to(`${name}-view`) };
  const body: JsonObject = {
    type: "session",
    harness: "test",
    session_id: name,
    chat_ref: to(`${name}-chat`),
    ...(hasView ? view : {}),
    pool: known.map((one, index) => ({ id: one, handle: `t${index}` })),
    pinned_set: [],
    ...fields,
  };
  const calls = call === undefined ? [] : [to(`${name}-call`)];
  return [
    [name, body],
    [`${name}-chat`, { type: "chat", session_ref: to(name), toolcall_refs: calls }],
    ...(hasView
      ? ([
          [
            `${name}-view`,
            { type: "view", session_ref: to(name), chat_ref: to(`${name}-chat`), workspace },
          ],
        ] as const)
      : []),
    ...(call === undefined
      ? []
      : ([[`${name}-call`, { type: "toolcall", chat_ref: to(`${name}-chat`), ...call }]] as const)),
  ];
}

async function storeOf(objects: Objects): Promise<ObjectStore> {
  const store = memoryStore();
  await fill(store, objects);
  return store;
}

async function fill(store: ObjectStore, objects: Objects): Promise<void> {
  const sealed = objects.map(([name, { type, nickname, ...fields }]) =>
    sealObject({
      content: null,
      provenance: { origin: name, generator: "system" },
      ...fields,
      id: id(name),
      type: type as string,
      locked: false,
      ...defined({ nickname: nickname as string | undefined }),
    }),
  );
  await store.commit(sealed.map((object) => ({ object })));
  await documentUpkeep({
    store,
    parser: markdownParser,
    logger: silentLogger,
    later: (run, milliseconds) => void setTimeout(run, milliseconds),
  }).upToDate();
}

/** Plans the removal of sessions. The others count as open. Default: none is open. */
async function plan(
  store: ObjectStore,
  rule: RemovalRule = {},
  closed?: readonly string[],
  bytes?: StoredBytes & { readonly used: number },
): Promise<RemovalPlan> {
  const contents = await storeContents(store);
  const isOpen = async (one: { readonly id: string }): Promise<boolean> =>
    await Promise.resolve(closed !== undefined && !closed.includes(one.id));
  const links = { parser: markdownParser };
  return await planRemoval({ store, contents, isOpen, links, ...defined({ bytes }) }, rule);
}

function bytesOf(
  rows: readonly (readonly [name: string, bytes: number])[],
): StoredBytes & { readonly used: number } {
  return {
    objects: new Map(rows.map(([name, bytes]) => [id(name), { bytes }])),
    texts: [],
    used: rows.reduce((all, [, bytes]) => all + bytes, 0),
  };
}

const names = ["s0", "s1", "s2"] as const;

/** Any object of the store, by its name. */
const arbitraryName = fc.constantFrom(
  ...names.flatMap((name) => [name, `${name}-chat`, `${name}-view`, `${name}-call`]),
  ...[0, 1, 2, 3, 4, 5].map((index) => `o${index}`),
);

/** Objects with any references, some of which are parts of sessions, and the sessions that may be removed. */
const arbitraryStore: fc.Arbitrary<{ objects: Objects; removed: readonly number[] }> = fc
  .record({
    sessions: fc.tuple(...names.map(() => arbitrarySession())),
    others: fc.array(arbitraryObject(), { maxLength: 6 }),
    removed: fc.uniqueArray(fc.nat({ max: 2 })),
  })
  .map(({ sessions, others, removed }) => ({
    objects: [
      ...sessions.flatMap((fields, index) => session(`s${index}`, fields)),
      ...others.map((fields, index) => [`o${index}`, fields] as const),
    ],
    removed,
  }));

function arbitrarySession(): fc.Arbitrary<SessionFields> {
  return fc.record(
    {
      pool: fc.array(arbitraryName, { maxLength: 2 }),
      call: fc.record({ file_refs: arbitraryReferences() }),
      workspace: fc.constantFrom("/w", "/w/a", "/v"),
      hasView: fc.boolean(),
    },
    { requiredKeys: [] },
  );
}

function arbitraryReferences(): fc.Arbitrary<readonly JsonObject[]> {
  return fc.array(arbitraryName.map(to), { maxLength: 2 });
}

function arbitraryObject(): fc.Arbitrary<JsonObject> {
  return fc
    .record(
      {
        type: fc.constantFrom("file", "file", "user", "summary", "chat", "note", "thing"),
        about: arbitraryReferences(),
        chat_ref: fc.constantFrom(...names).map((name) => to(`${name}-chat`)),
        session_ref: fc.constantFrom(...names).map(to),
        path: fc.constantFrom("/w/a/x.txt", "/v/x.txt", "/else/x.txt"),
        shared: fc.boolean(),
      },
      { requiredKeys: ["type"] },
    )
    .map((fields): JsonObject => ({ ...fields }));
}
