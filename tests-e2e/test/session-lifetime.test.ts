import {
  type Message,
  type ObjectStore,
  sealObject,
  StoreError,
  type ViewMessage,
} from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import { sequenceFaults } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import { scriptHistory } from "../src/session/script-history.ts";
import { openTestSession, plainCodec } from "../src/session/test-session.ts";
import {
  handlesIn,
  latest,
  storedSession,
  storedTurns,
  textOfMessage,
  versionCount,
  viewParts,
} from "../src/session/view-parts.ts";

describe("a session that is resumed", () => {
  it("has the same pools and sets, and sends the same bytes", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n", "/work/b.ts": "y\n" } });
    const { session } = opened;
    const history = scriptHistory();
    history.user("go");
    for (let call = 0; call < 7; call += 1) history.call("bash", { call }, `out ${call}`);
    await history.ingest(session);
    await session.read({ path: "a.ts" });
    await session.pin("t1");
    await session.deactivate("t7");
    await session.activate("t2");
    await session.recordNamed(["b.ts"]);
    const view = await session.view();
    const status = await session.status();
    const before = await versionCount(opened.store);

    const again = await opened.reopen();
    await history.ingest(again);

    expect(JSON.stringify((await again.view()).messages)).toBe(JSON.stringify(view.messages));
    expect(await again.status()).toEqual(status);
    expect(await versionCount(opened.store)).toBe(before);
  });

  it("does not forget what was deactivated, and activates what was inactive", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(opened.session);
    await opened.session.read({ path: "a.ts" });
    await opened.session.deactivate("t1");
    await opened.session.deactivate("f1");

    const again = await opened.reopen();
    await history.ingest(again);

    expect(await handlesIn(again, "active")).toEqual([]);
    expect((await again.activate("t1")).ok).toBe(true);
    expect((await again.activate("f1")).ok).toBe(true);
    expect((await viewParts(again)).activeTexts).toEqual([
      't1 bash "a"\n~~~\nA\n~~~',
      "f1 a.ts v1\n~~~\nx\n~~~",
      "Active: t1 f1.",
    ]);
  });

  it("shows lines of the chat as the running session does, in their place", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    const history = scriptHistory();
    history.user("one");
    history.say("two");
    await history.ingest(opened.session);
    await opened.session.read({ path: "a.ts" });
    await opened.session.activate("chat", { from: 1, to: 2 });
    history.user("three");
    await history.ingest(opened.session);
    const view = await opened.session.view();

    const again = await opened.reopen();

    expect(JSON.stringify((await again.view()).messages)).toBe(JSON.stringify(view.messages));
    expect((await again.deactivate("chat")).ok).toBe(true);
    expect((await viewParts(again)).activeTexts.join()).not.toContain("lines 1-2");
  });

  it("is the host's own: another of the same store shows nothing of it (D50)", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(opened.session);
    await opened.session.read({ path: "a.ts" });

    const other = await opened.reopen({ harness: "test", sessionId: "session-2" });
    const elsewhere = await opened.reopen({ harness: "other", sessionId: "session-1" });

    expect((await other.view()).messages).toEqual([]);
    expect((await elsewhere.view()).messages).toEqual([]);
    expect((await storedSession(opened.store, other))["pool"]).toEqual([]);
    expect((await other.activate("f1")).ok).toBe(false);
  });

  it("replays what the model did in a history that a fork tells for the first time", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(opened.session);
    await history.ask(
      "read",
      { path: "a.ts" },
      async (callId) => await opened.session.read({ path: "a.ts" }, { callId }),
    );
    await history.ask(
      "deactivate",
      { id: "t1" },
      async (callId) => await opened.session.deactivate("t1", { callId }),
    );
    await history.ingest(opened.session);

    const fork = await opened.reopen({ harness: "test", sessionId: "fork" });
    await history.ingest(fork);

    const names = (await fork.status()).objects.map(({ stored, state }) => [
      stored.body["tool"] ?? stored.body["path"],
      state,
    ]);
    expect(names).toEqual([
      ["bash", "inactive"],
      ["read", "inactive"],
      ["/work/a.ts", "active"],
      ["deactivate", "inactive"],
    ]);
  });
});

describe("a host that replaces its messages", () => {
  it("never makes the newest user message disappear", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.say("two");
    await history.ingest(session);
    const replaced: Message[] = [
      { role: "summary", kind: "summary", raw: "ours", ours: true, timestamp: 90 },
      { role: "user", content: "the newest", timestamp: 91 },
    ];

    const report = await session.ingest(replaced, plainCodec);

    expect(report).toMatchObject({ type: "replaced", added: 2 });
    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
      "one",
      "two",
      "the newest",
    ]);
  });

  it("does not change the view by its own compaction, which we answered (D53)", async () => {
    const { session, store } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);
    const view = await session.view();
    const before = await versionCount(store);

    await session.ingest(
      [{ role: "summary", kind: "summary", raw: "ours", ours: true, timestamp: 90 }],
      plainCodec,
    );

    expect((await session.view()).messages).toEqual(view.messages);
    expect(await versionCount(store)).toBe(before);
  });

  it("honours a user's compaction: the summary stands for what it replaced (D53)", async () => {
    const opened = await openTestSession();
    const { session } = opened;
    const { history, compacted } = compaction();
    await history.ingest(session);

    await session.ingest(compacted, plainCodec);

    const { chat } = await viewParts(session);
    expect(chat.map(textOfMessage)).toEqual(['"the summary"', "kept", "kept answer", "new"]);
    expect(await storedTurns(opened.store, session)).toHaveLength(3);
    expect((await session.activate("t1")).ok).toBe(true);
    expect((await viewParts(session)).activeTexts.join()).toContain("OLD OUTPUT");
  });

  it("honours it after a resume as before, and takes the summary in once (D53)", async () => {
    const opened = await openTestSession();
    const { history, compacted } = compaction();
    await history.ingest(opened.session);
    await opened.session.ingest(compacted, plainCodec);
    const view = await opened.session.view();
    const before = await versionCount(opened.store);

    const again = await opened.reopen();
    await again.ingest(compacted, plainCodec);

    expect(JSON.stringify((await again.view()).messages)).toBe(JSON.stringify(view.messages));
    expect(await versionCount(opened.store)).toBe(before);
  });

  it("takes a user's compaction back when the user goes back before it (D52, D53)", async () => {
    const { session } = await openTestSession();
    const { history, compacted } = compaction();
    await history.ingest(session);
    await session.ingest(compacted, plainCodec);
    const back: Message[] = [
      ...history.messages.slice(0, 3),
      { role: "user", content: "another way", timestamp: 1_900_000_000_000 },
    ];

    await session.ingest(back, plainCodec, { rewound: true });

    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
      "old",
      "",
      "[t1 ok, 10 chars]",
      "another way",
    ]);
  });

  it("with a summary that stands for everything shows what comes after it", async () => {
    const opened = await openTestSession();
    const { history } = compaction();
    await history.ingest(opened.session);
    const summary: Message = { ...summaryMessage, timestamp: 1_890_000_000_000 };
    await opened.session.ingest([summary], plainCodec);
    expect((await viewParts(opened.session)).chat.map(textOfMessage)).toEqual(['"the summary"']);

    const next: Message[] = [
      summary,
      { role: "user", content: "next", timestamp: 1_895_000_000_000 },
    ];
    await opened.session.ingest(next, plainCodec);

    expect((await viewParts(opened.session)).chat.map(textOfMessage)).toEqual([
      '"the summary"',
      "next",
    ]);
  });
});

describe("a user who goes back (D52)", () => {
  it("finds the sets as they were, as a new version of the session", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n", "/work/b.ts": "y\n" } });
    const { session, store } = opened;
    const history = scriptHistory();
    history.user("one");
    history.call("bash", { command: "a" }, "A");
    history.say("answer one");
    await history.ingest(session);
    await session.read({ path: "a.ts" });
    await session.pin("t1");
    const point = history.messages.length;
    const sets = await session.status();
    const { sessionId } = sets;
    history.user("two");
    await history.ingest(session);
    await session.deactivate("t1");
    await session.read({ path: "b.ts" });
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    const versions = (await store.history(sessionId)).length;

    const report = await session.ingest(
      [
        ...history.messages.slice(0, point),
        { role: "user", content: "two, again", timestamp: 1_900_000_000_000 },
      ],
      plainCodec,
    );
    const versionsAfter = (await store.history(sessionId)).length;

    expect(report.type).toBe("rewound");
    expect((await session.status()).objects).toEqual(sets.objects);
    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
      "one",
      "",
      "[t1 ok, 1 chars]",
      "answer one",
      "two, again",
    ]);
    expect(versionsAfter).toBe(versions + 1);
    expect((await latest(store, "call_2")).body.content).toBe("B");
  });

  it("by a host's word alone, to the very beginning too", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.say("two");
    await history.ingest(session);

    const report = await session.ingest(
      [{ role: "user", content: "from scratch", timestamp: 1_900_000_000_000 }],
      plainCodec,
      { rewound: true },
    );

    expect(report.type).toBe("rewound");
    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual(["from scratch"]);
  });

  it("is not meant by a shorter array, which comes back whole", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.say("two");
    history.user("three");
    await history.ingest(session);
    const view = await session.view();

    await session.ingest(history.messages.slice(0, 1), plainCodec);
    expect((await session.view()).messages).toEqual(view.messages);

    await history.ingest(session);
    expect((await session.view()).messages).toEqual(view.messages);
  });

  it("is meant by a new message after a shorter array, in the running session as after a resume", async () => {
    const opened = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.say("two");
    history.user("three");
    await history.ingest(opened.session);
    const shorter = history.messages.slice(0, 2);
    await opened.session.ingest(shorter, plainCodec);
    const branch: Message[] = [
      ...shorter,
      { role: "user", content: "four", timestamp: 1_900_000_000_000 },
    ];
    const again = await opened.reopen();
    await again.ingest(shorter, plainCodec);

    const report = await again.ingest(branch, plainCodec);
    await (await opened.reopen()).ingest(branch, plainCodec);

    expect(report.type).toBe("rewound");
    expect((await viewParts(again)).chat.map(textOfMessage)).toEqual(["one", "two", "four"]);
  });

  it("is not meant by the host's own retry of a failed answer", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.say("", { stopReason: "error" });
    await history.ingest(session);
    const retried = history.messages.slice(0, 1);

    const report = await session.ingest(
      [
        ...retried,
        {
          role: "assistant",
          content: [{ type: "text", text: "now" }],
          meta: {},
          timestamp: 1_900_000_000_000,
        },
      ],
      plainCodec,
    );

    expect(report.type).toBe("replaced");
    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual(["one", "now"]);
  });
});

describe("system prompts (D55)", () => {
  it("are two locked objects, linked from the session, with a version for each change", async () => {
    const { session, store } = await openTestSession();
    await session.recordSystemPrompt("host", "You are a coding agent.");
    await session.recordSystemPrompt("own", "# Context objects");
    await session.recordSystemPrompt("host", "You are a coding agent.");
    await session.recordSystemPrompt("host", "You are a coding agent. Be brief.");

    const body = await storedSession(store, session);
    const prompts = body["system_prompt_refs"] as Readonly<
      Record<string, { readonly ref: string; readonly id: string }>
    >;
    const host = await latest(store, prompts["host"]?.id ?? "");

    expect(Object.keys(prompts)).toEqual(["host", "own"]);
    expect(host).toMatchObject({
      version: 2,
      body: { type: "system_prompt", locked: true, content: "You are a coding agent. Be brief." },
    });
    expect(body["active_set"]).toEqual([
      (await session.status()).chatId,
      prompts["host"]?.id,
      prompts["own"]?.id,
    ]);
    expect((await session.view()).messages).toEqual([]);
  });

  it("are kept as well-formed text whatever the host sends", async () => {
    const { session, store } = await openTestSession();

    await session.recordSystemPrompt("host", "Be \ud800 good.");

    const prompts = (await storedSession(store, session))["system_prompt_refs"] as {
      readonly host: { readonly id: string };
    };
    expect((await latest(store, prompts.host.id)).body.content).toBe("Be \ufffd good.");
  });

  it("keep a nickname that a person gave them", async () => {
    const { session, store } = await openTestSession();
    await session.recordSystemPrompt("host", "Be good.");
    const prompts = (await storedSession(store, session))["system_prompt_refs"] as {
      readonly host: { readonly id: string };
    };
    const { body } = await latest(store, prompts.host.id);
    await store.commit([{ object: sealObject({ ...body, nickname: "the prompt" }) }]);

    await session.recordSystemPrompt("host", "Be better.");

    expect((await latest(store, prompts.host.id)).body.nickname).toBe("the prompt");
  });
});

describe("a store that fails in between", () => {
  it("makes every operation reject, leaves nothing half kept, and the next call catches up", async () => {
    const wanted = await runAll(memoryStore({ clock }), 0);
    for (let failing = 1; failing <= wanted.commits; failing += 1) {
      const got = await runAll(memoryStore({ clock }), failing);

      expect(got.failures).toBe(1);
      expect(got.shown).toEqual(wanted.shown);
      expect(got.faults).toEqual([]);
    }
    expect(wanted.commits).toBeGreaterThan(5);
  });

  it("does not do later what it rejected", async () => {
    const store = memoryStore({ clock });
    const flaky = failingStore(store);
    const { session } = await openTestSession({ store: flaky.store });
    const history = scriptHistory();
    history.user("go");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);
    flaky.failAt(flaky.commits() + 1);

    await expect(session.deactivate("t1", { callId: "call_2" })).rejects.toThrow(StoreError);
    history.call("deactivate", { id: "t1" }, "the store is not there", { isError: true });
    await history.ingest(session);

    expect(await handlesIn(session, "active")).toContain("t1");
    expect((await latest(store, "call_2")).body.content).toBe("the store is not there");
  });
});

const clock = { now: () => 1_700_000_000_000 };

const summaryMessage: Message = {
  role: "summary",
  kind: "compactionSummary",
  raw: "the summary",
  ours: false,
  timestamp: 1_800_000_000_000,
};

/** A history, and what a host sends after the user compacted it: a summary, the last turn, and a new message. */
function compaction(): { history: ReturnType<typeof scriptHistory>; compacted: Message[] } {
  const history = scriptHistory();
  history.user("old");
  history.call("bash", { command: "a" }, "OLD OUTPUT");
  history.user("kept");
  history.say("kept answer");
  return {
    history,
    compacted: [
      summaryMessage,
      ...history.messages.slice(3),
      { role: "user", content: "new", timestamp: 1_850_000_000_000 },
    ],
  };
}

interface FailingStore {
  readonly store: ObjectStore;
  readonly commits: () => number;
  readonly failAt: (commit: number) => void;
}

/** A store whose nth commit is refused, as when its disk is full. */
function failingStore(inner: ObjectStore): FailingStore {
  let commits = 0;
  let failing = 0;
  const store: ObjectStore = Object.assign(Object.create(inner) as ObjectStore, {
    commit: async (...args: Parameters<ObjectStore["commit"]>) => {
      commits += 1;
      if (commits === failing) throw new StoreError("STORE_FULL", "the disk is full");
      return await inner.commit(...args);
    },
  });
  return { store, commits: () => commits, failAt: (commit) => void (failing = commit) };
}

/** Runs a session whose nth commit fails, trying each operation again once. */
async function runAll(
  inner: ObjectStore,
  failing: number,
): Promise<{
  readonly commits: number;
  readonly failures: number;
  readonly shown: readonly string[];
  readonly faults: readonly string[];
}> {
  const flaky = failingStore(inner);
  let failures = 0;
  const opened = await openTestSession({
    store: flaky.store,
    files: { "/work/a.ts": "x\n", "/work/b.ts": "y\n" },
  });
  const { session } = opened;
  const start = flaky.commits();
  flaky.failAt(failing === 0 ? 0 : start + failing);
  const attempt = async (operation: () => Promise<unknown>): Promise<void> => {
    try {
      await operation();
    } catch (error) {
      if (!StoreError.is(error, "STORE_FULL")) throw error;
      failures += 1;
      await operation();
    }
  };
  const history = scriptHistory();
  history.user("go");
  await attempt(async () => await history.ingest(session));
  history.call("bash", { command: "a" }, "A");
  history.call("bash", { command: "b" }, "B");
  await attempt(async () => await history.ingest(session));
  await attempt(async () => await session.read({ path: "a.ts" }));
  await attempt(async () => await session.recordNamed(["b.ts"]));
  await attempt(async () => await session.activate("b.ts"));
  await attempt(async () => await session.deactivate("t1"));
  await attempt(async () => await session.pin("t2"));
  await attempt(async () => await session.recordSystemPrompt("host", "Be good."));
  history.say("done");
  history.user("more");
  history.call("bash", { command: "c" }, "C");
  await attempt(async () => await history.ingest(session));
  const messages: ViewMessage[] = [];
  await attempt(async () => void messages.push(...(await session.view()).messages));
  const again = await opened.reopen();
  const looked = { isSent: false };
  const same = JSON.stringify((await again.view(looked)).messages) === JSON.stringify(messages);
  return {
    commits: flaky.commits() - start,
    failures,
    shown: messages.map(textOfMessage),
    faults: [...sequenceFaults(messages), ...(same ? [] : ["a resume shows something else"])],
  };
}
