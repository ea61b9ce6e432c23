import { markdownParser } from "@self-context-manager/documents";
import { documentUpkeep } from "@self-context-manager/links";
import {
  objectId,
  type ObjectStore,
  sealObject,
  type SearchIndex,
  silentLogger,
  StoreError,
} from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, it } from "vitest";

import { readList } from "../../src/host/read-list.ts";
import { openTestSession, plainCodec, type TestSession } from "./test-session.ts";

const damaged = async (): Promise<never> =>
  await Promise.reject(new StoreError("STORE_CORRUPT", "the index is damaged"));

const failingSearch: SearchIndex = {
  position: damaged,
  add: damaged,
  search: damaged,
  clear: damaged,
  [Symbol.asyncDispose]: async () => {},
};

async function openSession(store: ObjectStore): Promise<TestSession> {
  const documents = documentUpkeep({
    store,
    parser: markdownParser,
    search: failingSearch,
    logger: silentLogger,
    later: (run, milliseconds) => void setTimeout(run, milliseconds),
  });
  return await openTestSession({ store, documents, files: { "/work/a.md": "[[nobody]]" } });
}

it("makes a view although the index of documents cannot be read", async () => {
  const inner = memoryStore();
  const store: ObjectStore = Object.assign(Object.create(inner) as ObjectStore, {
    documents: { ...inner.documents, entries: damaged },
  });
  const { session } = await openSession(store);
  const provenance = { origin: "a test", generator: "agent" } as const;
  const note = { id: objectId("n"), type: "note", locked: false, provenance, content: "[[a]]" };
  await store.commit([{ object: sealObject(note) }]);
  await session.activate("n");
  await session.recordWrite("a.md");

  const view = await session.ingestAndView(
    readList([{ role: "user", content: "go on" }], plainCodec),
  );

  expect(JSON.stringify(view.messages)).toContain("go on");
});

it("answers, names links and makes views without a full-text index that can be read", async () => {
  const { session } = await openSession(memoryStore());
  await session.recordWrite("a.md");

  expect(await session.find({ words: "nobody" })).toMatchObject({
    ok: false,
    text: "the full-text index cannot be read now; give a tag or a relation.",
  });
  const view = await session.ingestAndView(
    readList([{ role: "user", content: "go on" }], plainCodec),
  );

  expect(JSON.stringify(view.messages)).toContain("[links of f1 a.md: [[nobody]] has no target");
});

it("refuses a session that is not known", async () => {
  const { session } = await openSession(memoryStore());

  expect(await session.find({ tag: "a", session: "another" })).toMatchObject({
    ok: false,
    text: 'no session is known as "another"; give "this", or the id of a session.',
  });
});
