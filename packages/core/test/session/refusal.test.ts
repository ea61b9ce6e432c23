import { objectId } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { budgetOf } from "../../src/session/budget.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import type { ViewOptions } from "../../src/session/view-options.ts";
import { newSessionState } from "../../src/state/session-state.ts";
import { type ScriptedHistory, scriptHistory } from "./script-history.ts";
import { openTestSession, type TestSession } from "./test-session.ts";
import { storedSession } from "./view-parts.ts";

const options: ViewOptions = { contextWindow: 1_000_000, model: "maker/m-1" };

describe("a prompt that the provider refused as too long", () => {
  test.each([
    ["prompt is too long: 22000 tokens > 8000 maximum", 8_000],
    ["the request exceeds the available context size (8000 tokens), try increasing it", 8_000],
  ])("limits the next view to what the error names: %s", async (error, limit) => {
    const { session } = await longSession();
    const { call, tokens } = await viewed(session);

    expect(tokens).toBeGreaterThan(limit);
    expect(await session.recordRefusal({ error, call, model: "maker/m-1" })).toBe(true);
    expect((await viewed(session)).tokens).toBeLessThan(limit);
  });

  test("limits the next views to 0.7 of it, and less each time, if the error names nothing", async () => {
    const { session } = await longSession();
    const first = await viewed(session);

    await session.recordRefusal({ error: "413 too large", call: first.call, model: "maker/m-1" });
    const second = await viewed(session);
    await session.recordRefusal({ error: "413 too large", call: second.call, model: "maker/m-1" });
    const third = await viewed(session);

    expect(second.tokens).toBeLessThanOrEqual(first.tokens * 0.7);
    expect(third.tokens).toBeLessThanOrEqual(second.tokens * 0.7);
  });

  test("limits the view below it if the error names a limit above the estimate", async () => {
    const { session } = await longSession();
    const { call, tokens } = await viewed(session);

    await session.recordRefusal({
      error: "the request exceeds the available context size (900000 tokens)",
      call,
      model: "maker/m-1",
    });

    expect((await viewed(session)).tokens).toBeLessThanOrEqual(tokens * 0.7);
  });

  test("fits the estimates to the count that the error names", async () => {
    const { session, store } = await longSession();
    const { call, tokens } = await viewed(session);

    await session.recordRefusal({
      error: `prompt is too long: ${tokens * 2} tokens > ${tokens} maximum`,
      call,
      model: "maker/m-1",
    });

    expect((await viewed(session)).tokens).toBeLessThanOrEqual(tokens / 2);
    const body = await storedSession(store, session);
    expect(body["usage_points"]).toMatchObject([{ reported: tokens * 2 }]);
  });

  test("keeps the limit on later calls and after a resume", async () => {
    const opened = await longSession();
    const { call } = await viewed(opened.session);
    const error = "prompt is too long: 22000 tokens > 8000 maximum";
    await opened.session.recordRefusal({ error, call, model: "maker/m-1" });
    opened.history.user("once more");
    await opened.history.ingest(opened.session);

    for (const session of [opened.session, await opened.reopen()])
      expect((await viewed(session)).tokens).toBeLessThan(8_000);
  });

  test("keeps the limit if the session is resumed before the next call", async () => {
    const opened = await longSession();
    const { call } = await viewed(opened.session);
    const error = "prompt is too long: 22000 tokens > 8000 maximum";
    await opened.session.recordRefusal({ error, call, model: "maker/m-1" });

    expect((await viewed(await opened.reopen())).tokens).toBeLessThan(8_000);
  });

  test("does not limit another model", async () => {
    const { session } = await longSession();
    const { call, tokens } = await viewed(session);

    await session.recordRefusal({ error: "prompt is too long", call, model: "maker/m-2" });

    expect((await viewed(session)).tokens).toBe(tokens);
  });

  test("is none if the provider failed otherwise", async () => {
    const { session } = await longSession();
    const { call, tokens } = await viewed(session);

    expect(await session.recordRefusal({ error: "429 rate limit", call })).toBe(false);
    expect((await viewed(session)).tokens).toBe(tokens);
  });

  test("is one if the host knows it", async () => {
    const { session } = await longSession();
    const { call, tokens } = await viewed(session);

    const refusal = { error: "", call, model: "maker/m-1", isTooLong: true };

    expect(await session.recordRefusal(refusal)).toBe(true);
    expect((await viewed(session)).tokens).toBeLessThanOrEqual(tokens * 0.7);
  });
});

describe("the budget of a view", () => {
  test("leaves space for the overhead and for added messages", () => {
    const ids = { session: objectId("session-1"), chat: objectId("chat-1") };
    const state = newSessionState(ids, { harness: "pi", sessionId: "session-1" });

    expect(budgetOf(state, { contextWindow: 40_000, reserve: 0 }, 10_000)).toEqual({
      budget: 28_500,
    });
    expect(budgetOf(state, {}, 10_000)).toEqual({});
  });
});

/** Opens a session with five outputs of about 4,000 tokens, as sent to a large window. */
async function longSession(): Promise<TestSession & { readonly history: ScriptedHistory }> {
  const opened = await openTestSession({ layout: epochLayout() });
  const history = scriptHistory();
  history.user("go");
  for (let index = 1; index <= 5; index += 1)
    history.call("bash", { command: `cat ${index}` }, `word${index} and words `.repeat(1_000));
  await history.ingest(opened.session);
  return { ...opened, history };
}

async function viewed(
  session: ContextSession,
): Promise<{ readonly call: number; readonly tokens: number }> {
  const { call, tokens } = await session.nextView(options);
  return { call, tokens: tokens.metadata + tokens.chat + tokens.active };
}
