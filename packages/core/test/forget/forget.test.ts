import {
  exportObjects,
  type ObjectStore,
  objectId,
  resolveReference,
  type StaticReference,
} from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";

import { contextCommand, type ContextSwitch } from "../../src/adapters/context-command.ts";
import { planForget } from "../../src/forget/plan-forget.ts";
import { removableObjects } from "../../src/inspect/removable-objects.ts";
import { storeContents } from "../../src/inspect/store-contents.ts";
import { rebuildView } from "../../src/inspect/view-history.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { recentlyUsedPolicy } from "../../src/policy/recently-used-policy.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { Layout } from "../../src/view/layout.ts";
import { type ScriptedHistory, scriptHistory } from "../session/script-history.ts";
import { openTestSession, otherHost, type TestSession } from "../session/test-session.ts";

const secret = ["sk", "live", "Zq83kLmN02xYvT7u"].join("-");
const note = { at: "2026-11-30T10:00:00.000Z", reason: "a test" };
const mark = "[forgotten: 2026-11-30, a test]";

const layouts: readonly (readonly [string, Layout])[] = [
  ["epoch", epochLayout()],
  ["pooled", pooledLayout],
];

interface Leaked extends TestSession {
  readonly history: ScriptedHistory;
}

/** A session in which a key was pasted, printed, written into a file and passed to commands. */
async function leaked(layout: Layout): Promise<Leaked> {
  const opened = await openTestSession({
    layout,
    policy: recentlyUsedPolicy(),
    files: { "/work/.env": `KEY=${secret}\nPORT=1\n`, "/work/a.ts": "export const a = 1;\n" },
  });
  const { session } = opened;
  const history = scriptHistory();
  history.user(`Please deploy with ${secret}, and tell me when it is done.`);
  history.call(
    "bash",
    {
      command: `curl -H "Authorization: Bearer ${secret}" https://example.org/deploy/of/the/whole/service/with/a/long/name`,
    },
    "accepted",
  );
  history.call("bash", { command: "env" }, `HOME=/root\nKEY=${secret}\nTERM=xterm\n`);
  await history.read(session, ".env");
  await history.read(session, "a.ts");
  history.call(
    "write",
    { path: "deploy.sh", content: `#!/bin/sh\nexport KEY="${secret}"\n` },
    "ok",
  );
  history.say(`It is deployed with ${secret}.`);
  history.user("Thank you. Is there a log?");
  await history.ingest(session);
  await session.nextView();
  history.say("There is none.");
  history.user("Then write one.");
  await history.ingest(session);
  await session.nextView();
  return { ...opened, history };
}

async function stored(store: ObjectStore): Promise<string> {
  const lines: string[] = [];
  for await (const line of exportObjects(store)) lines.push(line);
  return lines.join("\n");
}

async function forget(
  store: ObjectStore,
  text: string,
): Promise<Awaited<ReturnType<typeof planForget>>> {
  const { key } = await store.privacy();
  const plan = await planForget(store, { matches: (one) => placesOf(one, text) }, { ...note, key });
  await store.rewrite(plan.request);
  return plan;
}

function* placesOf(text: string, part: string): Iterable<{ start: number; end: number }> {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1))
    yield { start: at, end: at + part.length };
}

describe.each(layouts)("forgetting a text with the %s layout", (_, layout) => {
  it("leaves it in no field of any version, and leaves everything else as it was", async () => {
    const { store } = await leaked(layout);
    expect(await stored(store)).toContain(secret);

    const plan = await forget(store, secret);

    const text = await stored(store);
    expect(text).not.toContain(secret);
    // A line that was cut has no beginning of it either.
    expect(text).not.toContain(secret.slice(0, 8));
    expect(text).toContain(mark);
    expect(text).toContain("export const a = 1;");
    expect(plan.texts).toEqual([secret]);
    expect(plan.sessions).toHaveLength(1);
  });

  it("leaves the view of a running session with its next call", async () => {
    const { session, store, history } = await leaked(layout);
    history.say("Done.");
    history.user("And now?");
    await forget(store, secret);

    await history.ingest(session);
    const view = await session.nextView();

    const text = JSON.stringify(view.messages);
    expect(text).not.toContain(secret);
    expect(text).toContain(mark);
    expect(text).toContain("And now?");
  });

  it("resumes with the view that the running session has", async () => {
    const opened = await leaked(layout);
    await forget(opened.store, secret);
    const { messages } = await opened.session.nextView();

    const resumed = await opened.reopen();

    expect((await resumed.peekView()).messages).toEqual(messages);
  });

  it("rebuilds earlier views with the mark, and says so", async () => {
    const { store } = await leaked(layout);
    const { items } = await store.find({ where: { type: "session" } });
    await forget(store, secret);

    const view = await rebuildView(store, [layout], items[0]?.body.id ?? objectId("none"), 1);

    expect(JSON.stringify(view?.messages)).not.toContain(secret);
    expect(JSON.stringify(view?.messages)).toContain(mark);
    expect(view?.problems.map(({ type }) => type)).toEqual(["forgotten"]);
    expect(view?.problems[0]?.text).toContain("2026-11-30");
  });
});

it("ends the epoch of a running session once, and names the reason", async () => {
  const { session, store, history } = await leaked(epochLayout());
  await forget(store, secret);

  const ends: unknown[] = [];
  for (const text of ["And now?", "Good.", "Bye."]) {
    history.say("Done.");
    history.user(text);
    await history.ingest(session);
    const { epoch } = await session.nextView();
    ends.push(epoch?.isNew === true ? epoch.endedBy : undefined);
  }

  expect(ends).toEqual(["forgotten", undefined, undefined]);
});

describe("a forgotten text that comes again", () => {
  it("is stored as the mark, also with the first call after it was forgotten", async () => {
    const { session, store, history } = await leaked(epochLayout());
    await forget(store, secret);
    history.say(`The key was ${secret}.`);
    history.user(`Use ${secret} again.`);

    await history.ingest(session);
    const view = await session.nextView();
    history.call("bash", { command: `echo ${secret}` }, `${secret}\n`);
    await history.ingest(session);

    expect(await stored(store)).not.toContain(secret);
    expect(JSON.stringify(view.messages)).toContain(`The key was ${mark}.`);
  });

  it.each([
    ["a note", async ({ session }: Leaked) => await session.note("f2", `key ${secret}`)],
    [
      "a note of a deactivation",
      async ({ session }: Leaked) => await session.deactivate("f2", { note: `key ${secret}` }),
    ],
    ["a name", async ({ session }: Leaked) => await session.name("f2", `key-${secret}`)],
    [
      "a system prompt",
      async ({ session }: Leaked) => await session.recordSystemPrompt("own", `Use ${secret}.`),
    ],
  ])("is stored as the mark in %s right after it was forgotten", async (_, again) => {
    const opened = await leaked(epochLayout());
    await forget(opened.store, secret);

    await again(opened);

    expect(await stored(opened.store)).not.toContain(secret);
  });

  it("is not in a view that is looked at right after it was forgotten", async () => {
    const { session, store } = await leaked(pooledLayout);
    await forget(store, secret);

    expect(JSON.stringify((await session.peekView()).messages)).not.toContain(secret);
  });

  it("is not written into a file by a call with the mark", async () => {
    const { session, store } = await leaked(epochLayout());
    await forget(store, secret);
    await session.nextView();

    const reason = await session.checkArguments("write", {
      path: ".env",
      content: `KEY=${mark}\n`,
    });

    expect(reason).toContain("it stands for a text that the user had removed");
    expect(await session.checkArguments("write", { path: ".env", content: "KEY=1\n" })).toBe(
      undefined,
    );
  });

  it("is stored as the mark from a file, and from another session's list", async () => {
    const opened = await leaked(epochLayout());
    const { session, store, files } = opened;
    await forget(store, secret);
    files.set("/work/other.txt", `again ${secret}\n`);

    await session.nextView();
    await session.read({ path: "other.txt" });
    await opened.history.ingest(await opened.reopen(otherHost));

    const text = await stored(store);
    expect(text).not.toContain(secret);
    expect(text).toContain(`again ${mark}`);
  });

  it("as a whole output of a forgotten call is the mark too", async () => {
    const { session, store, history } = await leaked(epochLayout());
    const calls = (await store.find({ where: { type: "toolcall", tool: "bash" } })).items;
    const { key } = await store.privacy();
    const objects = calls.map(({ body }) => body.id);
    await store.rewrite((await planForget(store, { objects }, { ...note, key })).request);

    history.call("bash", { command: "env" }, `HOME=/root\nKEY=${secret}\nTERM=xterm\n`);
    await history.ingest(session);

    expect(await stored(store)).not.toContain("TERM=xterm");
  });
});

describe("forgetting whole objects", () => {
  it("leaves a tombstone, and no copy of the content", async () => {
    const { store, session } = await leaked(epochLayout());
    const [file] = (await store.find({ where: { path: "/work/a.ts" } })).items;
    const id = file?.body.id ?? objectId("none");
    const { key } = await store.privacy();
    const plan = await planForget(store, { objects: [id] }, { ...note, key });

    await store.rewrite(plan.request);

    const tombstone = await store.get(id);
    expect(tombstone?.body).toMatchObject({
      type: "file",
      content: mark,
      path: null,
      forgotten: note,
    });
    expect(await stored(store)).not.toContain("export const a = 1;");
    expect(await stored(store)).not.toContain("/work/a.ts");
    expect(JSON.stringify((await session.nextView()).messages)).not.toContain("export const a");
    expect((await planForget(store, { objects: [id] }, { ...note, key })).objects).toEqual([]);
  });

  it("makes references to it say when it was forgotten", async () => {
    const { store } = await leaked(epochLayout());
    const calls = (await store.find({ where: { type: "toolcall", tool: "read" } })).items;
    const call = await store.get(calls[0]?.body.id ?? objectId("none"));
    const references = (call?.body["file_refs"] ?? []) as unknown as readonly StaticReference[];
    const [reference] = references;
    const { key } = await store.privacy();
    const target = { objects: [reference?.id ?? objectId("none")] };
    await store.rewrite((await planForget(store, target, { ...note, key })).request);

    const resolved = await resolveReference(store, reference ?? { ref: "static", id: "none" });

    expect(resolved).toMatchObject({ isVerified: false, problem: { type: "forgotten" } });
    expect(resolved.problem?.text).toContain("was forgotten at 2026-11-30T10:00:00.000Z: a test");
  });

  it("takes the arguments of a tool call out of the chat", async () => {
    const { store } = await leaked(epochLayout());
    const calls = (await store.find({ where: { type: "toolcall", tool: "bash" } })).items;
    const { key } = await store.privacy();
    const ids = calls.map(({ body }) => body.id);

    await store.rewrite((await planForget(store, { objects: ids }, { ...note, key })).request);

    expect(await stored(store)).not.toContain("example.org/deploy");
    expect(await stored(store)).not.toContain("TERM=xterm");
  });

  it("forgets a session with what only it has, and leaves another one whole", async () => {
    const opened = await leaked(epochLayout());
    const { store, session } = opened;
    const other = await opened.reopen(otherHost);
    const history = scriptHistory(9_000);
    history.user("What is in a.ts?");
    await history.read(other, "a.ts");
    await history.ingest(other);
    const before = (await other.nextView()).messages;
    const { items } = await store.find({ where: { type: "session", session_id: "session-1" } });
    const contents = await storeContents(store);
    const chosen = new Set(items.map(({ body }) => body.id));
    const { removed, kept } = await removableObjects({ store, contents }, chosen);
    const inFolder = [...kept].filter(([, { why }]) => why === "workspace").map(([id]) => id);
    const objects = [...removed, ...inFolder];
    const { key } = await store.privacy();

    const plan = await planForget(store, { parts: objects }, { ...note, key });
    await store.rewrite(plan.request);

    expect(await stored(store)).not.toContain(secret);
    expect((await store.find({ where: { type: "session" } })).items).toHaveLength(1);
    expect((await (await opened.reopen(otherHost)).peekView()).messages).toEqual(before);
    expect((await store.privacy()).forgotten).toEqual([]);
    const again = scriptHistory();
    again.user("Hello again.");
    await again.ingest(session);
    expect(JSON.stringify((await session.nextView()).messages)).toContain("Hello again.");
  });
});

describe("what a text is a part of", () => {
  it.each([
    "whole",
    "epoch",
    "toolCall",
    "session",
    "present",
    "t2@1",
    "test",
    "2026",
    "by the user",
    "bash",
  ])("stays usable after %s was forgotten", async (text) => {
    const { session, store, history } = await leaked(epochLayout());
    await forget(store, text);
    const length = (await stored(store)).length;
    history.say("Done.");
    history.user("And now?");

    await history.ingest(session);
    const view = await session.nextView();
    await forget(store, text);

    expect(JSON.stringify(view.messages)).toContain("And now?");
    expect((await stored(store)).length).toBeLessThan(2 * length);
    const { items } = await store.find({ where: { type: "session" } });
    for (const call of [1, 2, 3]) {
      const rebuilt = await rebuildView(
        store,
        [epochLayout()],
        items[0]?.body.id ?? objectId("none"),
        call,
      );
      expect(rebuilt?.problems.filter(({ type }) => type !== "forgotten")).toEqual([]);
    }
  });

  it.each(["    ", "\n\n\n\n"])("ends for the blanks %j", async (text) => {
    const { session, store } = await leaked(epochLayout());
    const answer = await session.forget({ text, isConfirmed: true });

    expect(answer.text).toContain("less than 4");
    await forget(store, text);
  });

  it("is found within the JSON of an output only, and in arguments of any name", async () => {
    const opened = await openTestSession({ layout: epochLayout(), policy: recentlyUsedPolicy() });
    const history = scriptHistory();
    const text = 'pass"word\nof the server';
    history.user("Look.");
    history.call(
      "http",
      { data: `key ${text}`, signature: text },
      JSON.stringify({ password: text }),
    );
    await history.ingest(opened.session);
    const { key } = await opened.store.privacy();
    const target = { matches: (one: string) => placesOf(one, text), texts: [text] };
    await opened.store.rewrite((await planForget(opened.store, target, { ...note, key })).request);
    await history.ingest(await opened.reopen(otherHost));

    expect(await stored(opened.store)).not.toContain("of the server");
  });
});

describe("/context forget", () => {
  const hostOf = (session: ContextSession): ContextSwitch => ({
    host: "Pi",
    command: "context",
    isOn: () => true,
    turn: async () => await Promise.resolve(""),
    session: async () => await Promise.resolve(session),
    figures: async () => await Promise.resolve(undefined),
    sendsOwn: () => undefined,
    isCompacted: () => false,
    inspect: async () => await Promise.resolve(""),
  });

  it("lists what goes, and forgets it with yes", async () => {
    const { session, store } = await leaked(epochLayout());

    const listed = await contextCommand(`forget text ${secret}`, hostOf(session));
    const before = await stored(store);
    const done = await contextCommand(`forget text ${secret} yes`, hostOf(session));

    expect(listed).toContain("Will be forgotten for good:");
    expect(listed).toMatch(/t2 bash "env", in part, 1 of 1 versions/u);
    expect(listed).not.toContain(secret);
    expect(before).toContain(secret);
    expect(done).toMatch(/^Forgotten: \d+ versions\./u);
    expect(await stored(store)).not.toContain(secret);
    expect(JSON.stringify((await session.nextView()).messages)).not.toContain(secret);
  });

  it("forgets an object by its handle, and says what it does not know", async () => {
    const { session, store } = await leaked(epochLayout());

    await contextCommand("forget f2 yes", hostOf(session));

    expect(await stored(store)).not.toContain("export const a");
    expect(await contextCommand("forget f99 yes", hostOf(session))).toContain("f99");
    expect(await contextCommand("forget text abc yes", hostOf(session))).toContain("less than 4");
    expect(await contextCommand("forget text nowhere", hostOf(session))).toBe(
      "Nothing of it is in the store.",
    );
  });
});
