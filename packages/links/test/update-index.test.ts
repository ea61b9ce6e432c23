import {
  type DocumentParser,
  type JsonObject,
  objectId,
  sealObject,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, it } from "vitest";

import { addedText } from "../src/added-text.ts";
import { updateIndex } from "../src/update-index.ts";

/** Reads the whole text as one tag. */
function parserOfTags(): DocumentParser & { readonly parsed: string[] } {
  const parsed: string[] = [];
  return {
    name: "tags",
    parsed,
    parse(text) {
      parsed.push(text);
      return {
        parser: "tags",
        front_matter: { state: "absent" },
        aliases: [],
        headings: [],
        links: [],
        tags: [{ path: "content", range: [0, text.length], tag: text }],
      };
    },
  };
}

function note(content: string, fields: JsonObject = {}) {
  return sealObject({
    id: objectId("note"),
    type: "note",
    locked: false,
    provenance: { origin: "a test", generator: "agent" },
    content,
    ...fields,
  });
}

it("parses a content once, and again when it changes", async () => {
  await using store = memoryStore();
  const parser = parserOfTags();
  await store.commit([{ object: note("Plan") }]);
  await updateIndex(store, parser);
  await store.commit([{ object: note("Plan", { nickname: "plan" }) }]);

  expect(await updateIndex(store, parser)).toMatchObject({ isBehind: false, added: 1 });

  expect(parser.parsed).toEqual(["Plan"]);
  expect(await store.documents.tagged("tags", "plan")).toEqual(["note"]);
  expect(await store.documents.named("tags", ["plan"])).toMatchObject([{ nickname: "plan" }]);

  await store.commit([{ object: note("Costs") }]);
  await updateIndex(store, parser);

  expect(await store.documents.tagged("tags", "costs")).toEqual(["note"]);
  expect(await store.documents.tagged("tags", "plan")).toEqual([]);
});

it("keeps the position after many versions without a document, also over many updates", async () => {
  await using store = memoryStore();
  const parser = parserOfTags();
  let from: string | undefined;
  let unkept = 0;
  for (let call = 0; call < 1_000; call += 1) {
    await store.commit([{ object: note("", { type: "view", call }) }]);
    ({ position: from, unkept } = await updateIndex(store, parser, { from, unkept }));
  }
  expect(await store.documents.position("tags")).toBe(from);
});

it("stops between two steps, and continues there", async () => {
  await using store = memoryStore();
  const parser = parserOfTags();
  await store.commit([{ object: note("Plan") }]);

  const stopped = await updateIndex(store, parser, { mayContinue: () => false });
  expect(stopped).toMatchObject({ isBehind: true, added: 0, position: undefined });
  expect(parser.parsed).toEqual([]);
  expect(await updateIndex(store, parser)).toMatchObject({ isBehind: false, added: 1 });
});

it.each([
  ["", "a\nb", "a\nb"],
  ["a\n", "a\nb", "b"],
  ["a\nb", "b\nc\na", "c"],
  ["x\na", "a\na\nx", "a"],
  ["a", "", ""],
])("adds to a search what the text before had not: %j to %j", (before, after, added) => {
  const comparison = addedText(before, after);

  expect(comparison.next()).toEqual({ done: true, value: added });
});

it("compares long texts in slices", () => {
  const before = "line of a text\n".repeat(20_000);
  const comparison = addedText(before, `new\n${before}`);

  let slices = 0;
  let step = comparison.next();
  for (; step.done !== true; step = comparison.next()) slices += 1;

  expect(step.value).toBe("new");
  // A slice ends with a line, so each has a little more than 100,000 characters.
  expect(slices).toBe((2 * before.length) / 100_000 - 1);
});

it("makes the index again if a program with another parser has replaced it since", async () => {
  await using store = memoryStore();
  const parser = parserOfTags();
  await store.commit([{ object: note("Plan") }]);
  const { position } = await updateIndex(store, parser);
  await updateIndex(store, { ...parser, name: "other" });
  await store.commit([{ object: note("Costs", { id: objectId("another") }) }]);

  await updateIndex(store, parser, { from: position });

  expect(await store.documents.tagged("tags", "plan")).toEqual(["note"]);
  expect(await store.documents.tagged("tags", "costs")).toEqual(["another"]);
});

it("keeps the position of an interrupted update that found no documents", async () => {
  await using store = memoryStore();
  const parser = parserOfTags();
  const calls = Array.from({ length: 501 }, (_, index) => ({
    object: note("text", { id: objectId(`call ${index}`), type: "toolcall" }),
  }));
  await store.commit(calls);
  let steps = 0;

  const stopped = await updateIndex(store, parser, { mayContinue: () => (steps += 1) === 1 });

  expect(stopped).toMatchObject({ isBehind: true, unkept: 0 });
  expect(await store.documents.position("tags")).toBe(stopped.position);
  expect(stopped.position).toBe("500");
});
