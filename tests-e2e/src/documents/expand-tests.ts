import { expand, updateIndex } from "@self-context-manager/links";
import { markdownParser } from "@self-context-manager/documents";
import {
  type JsonObject,
  objectId,
  type ObjectStore,
  sealObject,
  select,
  staticReference,
} from "@self-context-manager/objects";
import type { StorePlace } from "@self-context-manager/store-contract";
import { expect, it } from "vitest";

async function put(store: ObjectStore, id: string, fields: JsonObject) {
  await store.commit([
    {
      object: sealObject({
        locked: false,
        provenance: { origin: "a test", generator: "tool" },
        content: null,
        type: "note",
        ...fields,
        id: objectId(id),
      }),
    },
  ]);
  const stored = await store.get(objectId(id));
  if (stored === undefined) throw new Error(`${id} is not stored`);
  return stored;
}

/** A chat with two tool calls at their own versions, one of which has a later version. */
async function chat(store: ObjectStore) {
  const first = await put(store, "call-1", { type: "toolcall", content: "one", tool: "bash" });
  const second = await put(store, "call-2", { type: "toolcall", content: "two", tool: "read" });
  const stored = await put(store, "chat", {
    type: "chat",
    content: "--- user\nhello",
    turns: [
      { user: "hello", steps: [{ toolcall_ids: ["call-1", "call-2"] }] },
      { user: "more", steps: [] },
    ],
    toolcall_refs: [staticReference(first), staticReference(second)],
    session_ref: { ref: "dynamic", id: "session" },
  });
  await put(store, "call-1", { type: "toolcall", content: "one, later", tool: "bash" });
  await put(store, "session", { type: "session", chat_ref: { ref: "dynamic", id: "chat" } });
  return stored;
}

/** Declares the tests of expanding references: the operations of §9, on any store. */
export function expandTests(
  createPlace: () => Promise<Pick<StorePlace, "open"> & AsyncDisposable>,
): void {
  it("expands the content of references, each at its own version", async () => {
    await using place = await createPlace();
    await using store = await place.open();
    const { body } = await chat(store);
    const references = select(body, "toolcall_refs[*]").flatMap(({ reference }) => reference ?? []);

    const { items } = await expand(
      store,
      [...references, { ref: "dynamic", id: objectId("call-1") }],
      {
        fields: ["content"],
      },
    );

    expect(items.map(({ version, object }) => [version, object?.["content"]])).toEqual([
      [1, "one"],
      [1, "two"],
      [2, "one, later"],
    ]);
  });

  it("expands all tool calls inside a chat", async () => {
    await using place = await createPlace();
    await using store = await place.open();
    const stored = await chat(store);

    const { items, isCut } = await expand(store, [staticReference(stored)], {
      depth: 1,
      pattern: "toolcall_refs[*]",
      fields: ["tool", "content"],
    });

    expect(
      items.map(({ path, parent, depth, object }) => ({ path, parent, depth, ...object })),
    ).toEqual([
      {
        path: undefined,
        parent: undefined,
        depth: 0,
        id: "chat",
        type: "chat",
        content: "--- user\nhello",
      },
      {
        path: "/toolcall_refs/0",
        parent: 0,
        depth: 1,
        id: "call-1",
        type: "toolcall",
        tool: "bash",
        content: "one",
      },
      {
        path: "/toolcall_refs/1",
        parent: 0,
        depth: 1,
        id: "call-2",
        type: "toolcall",
        tool: "read",
        content: "two",
      },
    ]);
    expect(isCut).toBe(false);
  });

  it("expands only metadata, once for each version, and marks circles", async () => {
    await using place = await createPlace();
    await using store = await place.open();
    await chat(store);

    const { items } = await expand(store, [{ ref: "dynamic", id: objectId("session") }], {
      depth: 9,
    });

    expect(items.map(({ reference, path, sameAs }) => [reference.id, path, sameAs])).toEqual([
      ["session", undefined, undefined],
      ["chat", "/chat_ref", undefined],
      ["session", "/session_ref", 0],
      ["call-1", "/toolcall_refs/0", undefined],
      ["call-2", "/toolcall_refs/1", undefined],
    ]);
    for (const { object } of items) {
      expect(object?.["content"]).toBeUndefined();
      expect(object?.["turns"]).toBeUndefined();
    }
  });

  it("reads dynamic references as of the transaction that it returns", async () => {
    await using place = await createPlace();
    await using store = await place.open();
    await chat(store);
    const session = { ref: "dynamic", id: objectId("session") } as const;
    const before = await expand(store, [session], { depth: 2 });

    await put(store, "chat", {
      type: "chat",
      content: "other",
      session_ref: { ref: "dynamic", id: "session" },
    });
    const now = await expand(store, [session], { depth: 2 });
    const then = await expand(store, [session], { depth: 2, txId: before.txId });

    expect(then).toEqual(before);
    expect(now.items).toHaveLength(3);
    expect(now.txId).toBeGreaterThan(before.txId);
  });

  it("names what cannot be resolved, and stops at its limit", async () => {
    await using place = await createPlace();
    await using store = await place.open();
    await chat(store);

    const missing = await expand(store, [{ ref: "dynamic", id: objectId("nobody") }]);
    const cut = await expand(store, [{ ref: "dynamic", id: objectId("chat") }], {
      depth: 1,
      limit: 2,
    });

    expect(missing.items[0]?.problem?.text).toContain("nobody");
    expect(cut.items).toHaveLength(2);
    expect(cut.isCut).toBe(true);
    await expect(expand(store, [], { pattern: "turns[" })).rejects.toThrow(TypeError);
  });

  it("walks the links of documents", async () => {
    await using place = await createPlace();
    await using store = await place.open();
    await put(store, "a", { content: "# A\n- part_of [[b]]\n\n[[c]] [[nowhere]]\n" });
    await put(store, "b", { content: "[[a]]" });
    await put(store, "c", { content: "" });
    await updateIndex(store, markdownParser);

    const { items } = await expand(store, [{ ref: "dynamic", id: objectId("a") }], {
      depth: 2,
      links: { store, parser: markdownParser, workspace: "/work" },
    });

    expect(
      items.map(({ reference, link, sameAs }) => [reference.id, link?.relation, sameAs]),
    ).toEqual([
      ["a", undefined, undefined],
      ["b", "part_of", undefined],
      ["c", undefined, undefined],
      ["a", undefined, 0],
    ]);
  });
}
