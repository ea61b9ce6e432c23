import { markdownParser } from "@self-context-manager/documents";
import { documentUpkeep } from "@self-context-manager/links";
import { objectId, sealObject, silentLogger } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { expect, it } from "vitest";

import { readList } from "../../src/host/read-list.ts";
import { viewHistory } from "../../src/inspect/view-history.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import type { View } from "../../src/session/view-options.ts";
import { openTestSession, plainCodec, type TestSession } from "./test-session.ts";

async function openSession(): Promise<TestSession> {
  const store = memoryStore();
  const documents = documentUpkeep({
    store,
    parser: markdownParser,
    logger: silentLogger,
    later: (run, milliseconds) => void setTimeout(run, milliseconds),
  });
  const note = {
    type: "note",
    locked: false,
    shared: true,
    provenance: { origin: "a test", generator: "agent" },
  } as const;
  const noteId = objectId("0190aaaa-0000-7000-8000-00000000aaaa");
  const goalId = objectId("0190aaaa-0000-7000-8000-00000000bbbb");
  await store.commit([
    { object: sealObject({ ...note, id: noteId, nickname: "note", content: "[[goal]]" }) },
    { object: sealObject({ ...note, id: goalId, nickname: "goal", content: "the goal" }) },
  ]);
  await documents.upToDate();
  return await openTestSession({ store, documents, layout: epochLayout() });
}

function textOf({ messages }: View): string {
  return JSON.stringify(messages);
}

const first = { role: "user", content: "first", timestamp: 1 } as const;
const said = {
  role: "assistant",
  content: [{ type: "text", text: "done" }],
  timestamp: 2,
} as const;
const second = { role: "user", content: "second", timestamp: 3 } as const;
const other = { role: "user", content: "another second", timestamp: 4 } as const;

it("follows the links of a document again after the user went back to before it was active", async () => {
  const { session } = await openSession();
  await session.ingestAndView(readList([first], plainCodec));
  await session.ingest(readList([first, said, second], plainCodec));
  await session.activate("note");
  expect(textOf(await session.nextView())).toMatch(/\[n\d+ links to /u);
  const back = await session.ingestAndView(readList([first, said, other], plainCodec));
  expect(textOf(back)).not.toMatch(/\[n\d+ links to /u);

  await session.activate("note");

  expect(textOf(await session.nextView())).toMatch(/\[n\d+ links to /u);
});

it("names a link with a very long name by its beginning", async () => {
  const { session, files } = await openSession();
  files.set("/work/a.md", `[[${"long ".repeat(100)}]]`);
  await session.ingest(readList([first], plainCodec));
  await session.recordWrite("a.md");
  await session.find({ words: "any" });

  const text = textOf(await session.nextView());

  expect(text).toMatch(/\[links of f\d+ a\.md: \[\[(?:long ){15}long…\]\] has no target yet\]/u);
});

it("rebuilds a view with a line of linked objects", async () => {
  const { session, store } = await openSession();
  await session.ingest(readList([first], plainCodec));
  await session.activate("note");
  const view = await session.nextView();
  const { sessionId } = await session.status();

  const history = await viewHistory(store, [epochLayout()], sessionId);

  expect((await history?.rebuild(view.call))?.messages).toEqual(view.messages);
});
