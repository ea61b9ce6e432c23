import {
  objectId,
  type ObjectId,
  type ObjectStore,
  type SearchIndex,
  type SearchText,
  StoreError,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, it } from "vitest";

import { updateIndex } from "../src/update-index.ts";
import { searchedText, updateSearch } from "../src/update-search.ts";
import { linkParser, put } from "./written-notes.ts";

/** Keeps what it gets. */
function keptTexts(): SearchIndex & { readonly texts: SearchText[] } {
  const texts: SearchText[] = [];
  let position: string | undefined;
  return {
    texts,
    position: async () => position,
    async add(added, reached) {
      texts.push(...added);
      position = reached;
    },
    search: async () => [],
    async clear() {},
    async [Symbol.asyncDispose]() {},
  };
}

function written(texts: readonly SearchText[]): readonly string[] {
  return texts.map(({ id, version, text }) => `${id}@${version} ${text}`);
}

it("adds of each version what the one before it did not have", async () => {
  await using store = memoryStore();
  const index = keptTexts();
  await put(store, "a", "one\ntwo");
  await put(store, "a", "zero\none\nthree");
  await updateSearch(store, index);
  await put(store, "a", "zero\none\nthree\nfour");
  // A version without new text, and one without any.
  await put(store, "a", "one");
  await put(store, "a", null);

  const outcome = await updateSearch(store, index);

  expect(written(index.texts)).toEqual(["a@1 one\ntwo", "a@2 zero\nthree", "a@3 \nfour"]);
  expect(outcome).toMatchObject({ isBehind: false, added: 1 });
});

it("adds the names of an object and the arguments of a call with its first text", async () => {
  await using store = memoryStore();
  const index = keptTexts();
  await put(store, "f", "text", { type: "file", path: "/work/a.ts", nickname: "main-file" });
  await put(store, "f", "text, more", { type: "file", path: "/work/a.ts", nickname: "main-file" });
  await put(store, "t", "done", {
    type: "toolcall",
    tool: "bash",
    args: { command: `npm test ${"x".repeat(3_000)}` },
  });

  await updateSearch(store, index);

  expect(written(index.texts).slice(0, 2)).toEqual([
    "f@1 main-file /work/a.ts\ntext",
    "f@2 , more",
  ]);
  const [, , call] = index.texts;
  expect(call?.text).toMatch(/^bash \{"command":"npm test x+\ndone$/u);
  expect(call?.text.length).toBe("bash ".length + 2_000 + "\ndone".length);
});

it("adds a note with the version that has it first, also of an object without text", async () => {
  await using store = memoryStore();
  const index = keptTexts();
  const noted = { short_summary: "about limits" };
  await put(store, "a", "one", {});
  await put(store, "a", "one", noted);
  await updateSearch(store, index);
  await put(store, "a", "one\ntwo", noted);
  await put(store, "a", "one\ntwo", { short_summary: "about costs" });
  await put(store, "a", "one\ntwo");
  await put(store, "picture", null);
  await put(store, "picture", null, noted);
  const finding = { type: "toolcall", tool: "activate" };
  await put(store, "finding", "text", finding);
  await put(store, "finding", "text", { ...finding, ...noted });

  await updateSearch(store, index);

  expect(written(index.texts)).toEqual([
    "a@1 one",
    "a@2 about limits\n",
    "a@3 \ntwo",
    "a@4 about costs\n",
    "picture@2 about limits\n",
    "finding@2 about limits\n",
  ]);
});

it("adds a chat once in a step, with what it has more than in the step before", async () => {
  await using store = memoryStore();
  const index = keptTexts();
  const chat = { type: "chat" };
  await put(store, "c", "one", chat);
  await put(store, "c", "one two", chat);
  await updateSearch(store, index);
  await put(store, "c", "one two three", chat);
  await put(store, "c", "one two three four", chat);

  await updateSearch(store, index);

  expect(written(index.texts)).toEqual(["c@2 one two", "c@4  three four"]);
});

it("adds nothing of objects that only say what others say, and nothing of blank texts", async () => {
  await using store = memoryStore();
  const index = keptTexts();
  for (const type of ["view", "session", "system_prompt"]) await put(store, type, "text", { type });
  await put(store, "blank", " \n ");
  for (const tool of ["find_objects", "context_activate"])
    await put(store, `call of ${tool}`, "text", { type: "toolcall", tool });

  expect(await updateSearch(store, index)).toMatchObject({ isBehind: false, added: 0 });

  expect(index.texts).toEqual([]);
  expect(await index.position()).toBe((await store.changesSince()).position);
});

it("names the session of a chat and of what was made in it", async () => {
  await using store = memoryStore();
  const index = keptTexts();
  await put(store, "chat", "text", { type: "chat" });
  await put(store, "call", "text", {
    type: "toolcall",
    chat_ref: { ref: "dynamic", id: objectId("chat") },
  });
  await put(store, "note", "text");

  await updateSearch(store, index);

  expect(index.texts.map(({ id, type, session }) => [id, type, session])).toEqual([
    ["chat", "chat", "chat"],
    ["call", "toolcall", "chat"],
    ["note", "note", undefined],
  ]);
});

it("continues after its last step, and says if it is behind", async () => {
  await using store = memoryStore();
  const index = keptTexts();
  for (let note = 0; note < 250; note += 1) await put(store, `n${note}`, `text ${note}`);
  let steps = 0;
  const oneStep = (): boolean => {
    steps += 1;
    return steps === 1;
  };

  const first = await updateSearch(store, index, { mayContinue: oneStep });
  const second = await updateSearch(store, index);

  expect(first).toMatchObject({ isBehind: true, added: 200 });
  expect(second).toMatchObject({ isBehind: false, added: 50 });
  expect(new Set(index.texts.map(({ id }) => id)).size).toBe(250);
  expect(index.texts).toHaveLength(250);
});

it("reads long texts in several steps, and a growing one only once in each", async () => {
  await using store = memoryStore();
  const index = keptTexts();
  const steps: number[] = [];
  const counted: SearchIndex = {
    ...index,
    async add(texts, position) {
      steps.push(texts.length);
      await index.add(texts, position);
    },
  };
  for (const id of ["a", "b", "c"])
    await put(store, id, "long", { type: "chat", char_count: 3_000_000 });
  for (let turn = 1; turn <= 5; turn += 1)
    await put(store, "chat", "said".repeat(turn), { type: "chat", char_count: 900_000 + turn });

  await updateSearch(store, counted);

  expect(steps).toEqual([1, 1, 2]);
  expect(index.texts.map(({ id, version }) => `${id}@${version}`)).toEqual([
    "a@1",
    "b@1",
    "c@1",
    "chat@5",
  ]);
});

it("adds the beginning of a content that is not a chat, however it changes behind it", async () => {
  await using store = memoryStore();
  const index = keptTexts();
  const line = "a line of a log\n";
  const long = line.repeat(1_500_000 / line.length);
  await put(store, "log", long);
  await put(store, "log", `${long}behind\n`);
  await put(store, "log", `before\n${long}`);
  await put(store, "chat", long, { type: "chat" });

  await updateSearch(store, index);

  expect(index.texts.map(({ id, version, text }) => [id, version, text.length])).toEqual([
    ["log", 1, 1_000_000],
    ["log", 3, expect.any(Number)],
    ["chat", 1, long.length],
  ]);
  expect(index.texts[1]?.text.length).toBeLessThan(2 * line.length);
});

it("lets other work come in between after some contents of a step", async () => {
  await using store = memoryStore();
  const index = keptTexts();
  for (let note = 0; note < 100; note += 1) await put(store, `n${note}`, "x".repeat(10_000));
  const added: number[] = [];

  await updateSearch(store, index, {
    breathe: async () => void added.push(index.texts.length),
  });

  expect(added).toEqual(Array.from({ length: 10 }, () => 0));
  expect(index.texts).toHaveLength(100);
});

it("returns the text of a version that is searched: its names, its note and its whole content", async () => {
  await using store = memoryStore();
  const fields = { type: "file", path: "/work/a.ts", short_summary: "a file" };
  await put(store, "f", "one", fields);
  await put(store, "f", "one\ntwo", fields);

  expect(await searchedText(store, objectId("f"), 2)).toBe("/work/a.ts\na file\none\ntwo");
  expect(await searchedText(store, objectId("f"), 3)).toBeUndefined();
});

it("leaves a damaged version out, and adds the others", async () => {
  const inner = memoryStore();
  const damaged = new StoreError("STORE_CORRUPT", "the content is damaged");
  const store: ObjectStore = Object.assign(Object.create(inner) as ObjectStore, {
    get: async (...args: Parameters<ObjectStore["get"]>) =>
      args[0] === "a" ? await Promise.reject(damaged) : await inner.get(...args),
    getMany: async (ids: readonly ObjectId[]) =>
      ids.includes(objectId("a")) ? await Promise.reject(damaged) : await inner.getMany(ids),
  });
  for (const id of ["a", "b"]) await put(inner, id, "[[c]]");
  const index = keptTexts();
  const parser = linkParser();

  expect(await updateSearch(store, index)).toMatchObject({ isBehind: false, added: 1 });
  expect(await updateIndex(store, parser)).toMatchObject({ isBehind: false, added: 1 });

  expect(written(index.texts)).toEqual(["b@1 [[c]]"]);
  expect(await store.documents.links(parser.name)).toMatchObject([{ from: { id: "b" } }]);
});
