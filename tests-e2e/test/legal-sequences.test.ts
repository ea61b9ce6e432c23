import { type ObjectStore, StoreError, type ViewMessage } from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import { sequenceFaults } from "@self-context-manager/testkit";
import { describe, expect, it } from "vitest";

import {
  failingStore,
  openTestSession,
  scriptHistory,
  textOfMessage,
} from "../src/session/core-sessions.ts";

it("makes messages that a provider accepts from a call id that another session has as well", async () => {
  const opened = await openTestSession();
  const other = scriptHistory(1);
  other.user("the other session");
  other.call("bash", { command: "a" }, "A");
  await other.ingest(opened.session);
  const session = await opened.reopen({ harness: "test", sessionId: "session-2" });
  const history = scriptHistory(2_000);
  history.user("this session");
  history.call("bash", { command: "b" }, "B");

  await history.ingest(session);

  expect(sequenceFaults((await session.nextView()).messages)).toEqual([]);
});

describe("a store that fails in between", () => {
  it("rejects every operation, stores no part of it, and lets the next call catch up", async () => {
    const wanted = await runAll(memoryStore({ clock }), 0);
    for (let failing = 1; failing <= wanted.commits; failing += 1) {
      const got = await runAll(memoryStore({ clock }), failing);

      expect(got.failures).toBe(1);
      expect(got.shown).toEqual(wanted.shown);
      expect(got.faults).toEqual([]);
    }
    expect(wanted.commits).toBeGreaterThan(5);
  });
});

const clock = { now: () => 1_700_000_000_000 };

/** Runs a session whose nth commit fails. Repeats the failed operation once. */
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
  await attempt(async () => void messages.push(...(await session.nextView()).messages));
  const again = await opened.reopen();
  const same = JSON.stringify((await again.peekView()).messages) === JSON.stringify(messages);
  return {
    commits: flaky.commits() - start,
    failures,
    shown: messages.map(textOfMessage),
    faults: [...sequenceFaults(messages), ...(same ? [] : ["a resumed session has another view"])],
  };
}
