import type { ObjectStore } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { neutralCodec } from "../../src/host/neutral-codec.ts";
import { readList } from "../../src/host/read-list.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { testConnection } from "../adapters/test-connection.ts";
import { scriptHistory } from "./script-history.ts";
import { testMask } from "./test-mask.ts";
import { openTestSession, type TestSession } from "./test-session.ts";

const file = "name = 1\nTOKEN=s3cret-1\nlast = 2\n";

/** Plays a session in which secrets are in every part of messages, and returns all views. */
async function play({ session, files }: TestSession): Promise<readonly string[]> {
  const history = scriptHistory();
  const views: string[] = [];
  const see = async (): Promise<void> => {
    const { messages } = await session.ingestAndView(readList(history.messages, neutralCodec));
    views.push(JSON.stringify(messages));
  };
  history.user("log in with s3cret-2");
  await see();
  await history.read(session, "a.env");
  await see();
  history.call(
    "bash",
    { command: "connect-to-the-server-of-the-team s3cret-2", nested: { "s3cret-9": ["s3cret-3"] } },
    "ok s3cret-4",
    {
      details: { line: "s3cret-5" },
    },
  );
  history.push({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "s3cret-6 it is", thinkingSignature: "s3cret-7" },
      { type: "text", text: "the key is s3cret-8" },
    ],
    meta: { note: "s3cret-10" },
    timestamp: 1_700_000_009_000,
  });
  history.push({
    role: "opaque",
    kind: "own",
    raw: { text: "s3cret-11" },
    timestamp: 1_700_000_009_001,
  });
  history.user([
    { type: "text", text: "and s3cret-12" },
    { type: "image", data: "s3cret-13", mimeType: "image/png" },
  ]);
  await see();
  files.set("/work/a.env", file.replace("s3cret-1", "s3cret-14"));
  await session.recordSystemPrompt("host", "you know s3cret-15");
  await session.note("f1", "has s3cret-1");
  await history.ask(
    "read",
    { path: "a.env" },
    async (callId) => await session.read({ path: "a.env" }, { callId }),
  );
  await see();
  return views;
}

/** Returns every version of a store as JSON. */
async function stored(store: ObjectStore): Promise<string> {
  const { versions } = await store.changesSince(undefined, { limit: 1_000 });
  const whole = await Promise.all(
    versions.map(async ({ body, version }) => await store.get(body.id, { version })),
  );
  return JSON.stringify(whole);
}

describe.each([
  ["epoch", epochLayout()],
  ["pooled", pooledLayout],
] as const)("a session with a mask and the layout %s", (_, layout) => {
  it("sends what it sends without one, and stores none of the secrets", async () => {
    const options = { files: { "/work/a.env": file }, layout };
    const masked = await openTestSession({ ...options, mask: testMask() });

    const views = await play(masked);
    const plain = await play(await openTestSession(options));

    expect(views).toEqual(plain);
    const texts = await stored(masked.store);
    // A signature and an image are data of the provider.
    expect([...new Set(texts.match(/s3cret-\d+/gu))].toSorted()).toEqual(["s3cret-13", "s3cret-7"]);
    expect(texts).toContain("[mark-1]");
    expect(Object.fromEntries(masked.session.secrets?.found ?? [])).toEqual({ test: 13 });
  });

  it("sends the same after a resume", async () => {
    const opened = await openTestSession({
      files: { "/work/a.env": file },
      layout,
      mask: testMask(),
    });
    const before = (await play(opened)).at(-1);

    const resumed = await opened.reopen();

    expect(JSON.stringify((await resumed.nextView()).messages)).toBe(before);
  });
});

describe("a session with a mask", () => {
  it("recognises the messages of its host after its marks have changed", async () => {
    const mask = testMask();
    const opened = await openTestSession({ mask });
    const messages = [
      { role: "user", content: "use s3cret-1" },
      { role: "assistant", content: [{ type: "text", text: "s3cret-1 it is" }] },
    ] as const;
    await opened.session.ingest(readList(messages, neutralCodec));
    const other = { ...mask, hide: (text: string) => text.replaceAll("s3cret-", "other-") };

    Object.assign(opened.dependencies, { mask: other });
    const report = await (
      await opened.reopen()
    ).ingest(readList([...messages, { role: "user", content: "go on" }], neutralCodec));

    expect(report).toMatchObject({ type: "appended", added: 1 });
  });

  it("takes an edit whose arguments have only the secret as the model's own", async () => {
    const { session, files } = await openTestSession({
      files: { "/work/a.env": file },
      mask: testMask(),
    });
    await session.read({ path: "a.env" });
    files.set("/work/a.env", file.replace("s3cret-1", "s3cret-2"));
    const args = { path: "a.env", edits: [{ oldText: "cret-1", newText: "cret-2" }] };

    await session.recordWrite("a.env", { callId: "call_1", args });

    const { messages } = await session.nextView();
    expect(JSON.stringify(messages)).not.toContain(" changed, v");
    expect((await session.status()).objects[0]?.stored).toMatchObject({
      version: 2,
      body: { provenance: { generator: "agent" } },
    });
  });

  it("shows marks after their bytes are gone, and lets no call write them", async () => {
    const mask = testMask();
    const { session } = await openTestSession({ mask, files: { "/work/a.env": file } });
    await session.read({ path: "a.env" });
    const args = { path: "b.env", content: "TOKEN=[mark-1]\n" };
    const before = await session.checkArguments("write", args);
    mask.isLost = true;

    const { messages } = await session.nextView();
    const after = await session.checkArguments("write", args);

    expect(JSON.stringify(messages)).toContain("TOKEN=[mark-1]");
    expect(session.secrets?.hasLost).toBe(true);
    expect(before).toBeUndefined();
    expect(after).toMatch(/^The call did not run, because an argument contains a mark/u);
    expect(await session.checkArguments("read", { path: "[mark-1]" })).toBeUndefined();
  });

  it("shows the user an object with its secrets", async () => {
    const { session } = await openTestSession({ files: { "/work/a.env": file }, mask: testMask() });
    await session.read({ path: "a.env" });

    expect(await session.inspect("f1")).toMatchObject({ body: { content: file } });
  });

  it("recognises the result of its own tool that has a secret", async () => {
    const opened = await openTestSession({ files: { "/work/a.env": file }, mask: testMask() });
    const history = scriptHistory();
    history.user("read it");
    const answer = await history.ask(
      "read",
      { path: "a.env" },
      async (callId) => await opened.session.read({ path: "a.env" }, { callId }),
    );
    const resumed = await opened.reopen({ harness: "test", sessionId: "other" });
    await history.ingest(resumed);

    expect(answer.hostText).toContain("TOKEN=s3cret-1");
    const { objects } = await resumed.status();
    expect(objects.map(({ stored: { body } }) => body["context_tool"])).toContain(true);
  });
});

describe("a connection with a mask", () => {
  it("notifies the user once, with the rules and without the secrets", async () => {
    const mask = testMask();
    const { connection, notices } = await testConnection({ mask, layout: epochLayout() });
    const user = { role: "user", content: "s3cret-1 and s3cret-2", timestamp: 1 } as const;

    const call = await connection.modelCall({ messages: [user] });
    await connection.modelCall({
      messages: [user, { ...user, content: "s3cret-3", timestamp: 2 }],
    });
    mask.isLost = true;
    await connection.modelCall({
      messages: [user, { ...user, content: "s3cret-4", timestamp: 3 }],
    });
    await connection.modelCall({
      messages: [user, { ...user, content: "s3cret-5", timestamp: 4 }],
    });

    expect(JSON.stringify(call?.messages)).toContain("s3cret-1 and s3cret-2");
    expect(notices).toEqual([
      expect.stringContaining("2 secrets (test 2×) came in. The store has marks instead"),
      expect.stringContaining("the file with the bytes of secrets is gone or damaged"),
    ]);
  });

  it("says that secrets are stored as they are where nothing is masked", async () => {
    const mask = testMask();
    const kept = {
      ...mask,
      isHiding: false,
      hide: (text: string, onFound?: Parameters<typeof mask.hide>[1]) => (
        mask.hide(text, onFound),
        text
      ),
    };
    const { connection, notices } = await testConnection({ mask: kept });

    await connection.modelCall({ messages: [{ role: "user", content: "s3cret-1", timestamp: 1 }] });

    expect(notices).toEqual([
      expect.stringContaining("1 secret (test) came in, and the store has the text as it is"),
    ]);
  });
});
