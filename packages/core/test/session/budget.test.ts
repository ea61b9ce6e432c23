import { describe, expect, it } from "vitest";
import { calibratedEstimator } from "../../src/cost/calibrated-estimator.ts";
import { messageTokens } from "../../src/render/message-tokens.ts";
import type { ViewMessage } from "../../src/view/layout.ts";
import { crowdedSession, paragraph } from "./crowded-session.ts";
import { scriptHistory } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";
import { storedSession, textOfMessage, viewParts } from "./view-parts.ts";

describe("a budget (D54)", () => {
  it("shows active contents in part if they do not fit: the pinned first, then the newest", async () => {
    const { session } = await openTestSession({
      files: { "/work/a.txt": paragraph, "/work/b.txt": paragraph, "/work/c.txt": paragraph },
    });
    await session.read({ path: "a.txt" });
    await session.read({ path: "b.txt" });
    await session.read({ path: "c.txt" });
    await session.pin("f1");

    const { shown } = await session.nextView({ contextWindow: 640, reserve: 0 });
    const { activeTexts } = await viewParts(session, { contextWindow: 640, reserve: 0 });

    expect(shown.map(({ form }) => form)).toEqual(["whole", "part", "whole"]);
    expect(activeTexts.join("\n")).toMatch(
      /characters not shown; no room for more, activate f2 with from and to shows a part\]/u,
    );
  });

  it("shows a part of the requested lines, not of other lines", async () => {
    const text = Array.from({ length: 400 }, (_, index) => `line ${index + 1} of many\n`).join("");
    const { session } = await openTestSession({ files: { "/work/long.txt": text } });
    await session.read({ path: "long.txt", offset: 200, limit: 150 });

    const { activeTexts } = await viewParts(session, { contextWindow: 400, reserve: 0 });

    expect(activeTexts[0]).toMatch(
      /^f1 long\.txt v1 lines 200-349 of 400\n~~~\nline 200 of many\n[\s\S]*not shown;[\s\S]*line 349 of many\n~~~$/u,
    );
  });

  it("replaces the oldest whole turns by one line, which explains how to read them", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    for (let turn = 1; turn <= 5; turn += 1) {
      history.user(`question ${turn}: ${paragraph}`);
      history.say(`answer ${turn}: ${paragraph}`);
    }
    await history.ingest(session);

    const { chat } = await viewParts(session, { contextWindow: 1_200, reserve: 0 });

    expect(textOfMessage(chat[0] as never)).toBe(
      "[turns 1 to 4 are not shown; activate chat with from and to reads their lines]",
    );
    expect(chat.slice(1).map((message) => textOfMessage(message).slice(0, 10))).toEqual([
      "question 5",
      "answer 5: ",
    ]);
    const lines = await session.activate("chat", { from: 1, to: 2 });
    expect(lines.ok).toBe(true);
    expect((await viewParts(session)).activeTexts[0]).toContain("question 1: All work");
  });

  it("keeps the newest user message whole if it fits, before anything else", async () => {
    const opened = await crowdedSession();
    const newest = `the newest: ${paragraph}`;
    opened.history.user(newest);
    await opened.history.ingest(opened.session);

    const { chat } = await viewParts(opened.session, { contextWindow: 420, reserve: 0 });

    expect(chat.map(textOfMessage)).toContain(newest);
  });

  it("shows the newest user message in part if it does not fit", async () => {
    const opened = await crowdedSession();
    opened.history.user(`the newest: ${paragraph.repeat(10)}`);
    await opened.history.ingest(opened.session);

    const { messages } = await opened.session.nextView({ contextWindow: 300, reserve: 0 });

    const texts = messages.map(textOfMessage);
    expect(
      texts.some((text) => /^the newest: All work[\s\S]*characters not shown;/u.test(text)),
    ).toBe(true);
  });

  it("is kept for every context window", async () => {
    const { session } = await crowdedSession();
    const estimator = calibratedEstimator();

    for (let contextWindow = 100; contextWindow <= 3_000; contextWindow += 100) {
      const { messages } = await session.nextView({ contextWindow, reserve: 0 });
      const tokens = messages.reduce((sum, one) => sum + messageTokens(one, estimator), 0);

      expect([contextWindow, tokens <= contextWindow]).toEqual([contextWindow, true]);
    }
  });

  it("reports that the first steps of the turn left the view, and that images did not fit", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    history.call("shot", {}, [
      { type: "text", text: "taken" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ]);
    await history.ingest(session);
    const { activeTexts } = await viewParts(session, { contextWindow: 600, reserve: 0 });
    for (let step = 1; step <= 9; step += 1) history.say(`step ${step}: ${paragraph}`);
    await history.ingest(session);

    const { chat } = await viewParts(session, { contextWindow: 900, reserve: 0 });

    expect(activeTexts[0]).toBe("t1 shot {}: no room for its files (1)\n~~~\ntaken\n~~~");
    expect(chat.map((message) => textOfMessage(message).slice(0, 60))).toEqual([
      "go",
      "[the first 7 steps of this turn are not shown; activate chat",
      expect.stringMatching(/^step 7/u),
      expect.stringMatching(/^step 8/u),
      expect.stringMatching(/^step 9/u),
    ]);
  });

  it("learns from the usage that the provider reports", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("go");
    await history.ingest(session);
    const before = (await session.nextView()).tokens.chat;
    for (let turn = 1; turn <= 12; turn += 1) {
      const reported = Math.round(plainTokens((await session.nextView()).messages) * 1.5) + 2_000;
      history.say(paragraph.repeat(turn), { usage: { input: 100, cacheRead: reported - 100 } });
      history.user("more");
      await history.ingest(session);
    }

    const { messages, tokens } = await session.nextView();

    const calibrated = tokens.metadata + tokens.chat + tokens.active;
    expect(before).toBeLessThan(10);
    expect(calibrated / plainTokens(messages)).toBeCloseTo(1.5, 1);
  });

  it("is used for pinned content before the list of all known objects (D54)", async () => {
    const files: Record<string, string> = { "/work/pinned.ts": "the pinned line\n" };
    for (let count = 0; count < 400; count += 1) files[`/work/some/longer/name-${count}.ts`] = "x";
    const { session } = await openTestSession({ files });
    await session.recordNamed(Object.keys(files).slice(1));
    await session.read({ path: "pinned.ts" });
    await session.pin("pinned.ts");

    const view = await session.nextView({ contextWindow: 1_000, reserve: 0 });

    const text = JSON.stringify(view.messages);
    expect(text).toContain("the pinned line");
    expect(text).toContain("earlier lines are not listed");
  });

  it("is kept in the same way in a session that is resumed before every call", async () => {
    const live = await underUsage(false);

    expect(await underUsage(true)).toEqual(live);
    expect(new Set(live.map(({ length }) => length)).size).toBeGreaterThan(1);
  });

  it("learns nothing from answers to requests that it did not send", async () => {
    const { session, store } = await openTestSession();
    const history = scriptHistory();
    history.user(paragraph);
    await history.ingest(session);
    const sent = plainTokens((await session.nextView()).messages);
    history.say("first", { usage: { input: sent } });
    for (let turn = 1; turn <= 5; turn += 1) {
      history.user("without the context manager");
      history.say("answer", { usage: { input: 90_000 } });
    }
    await history.ingest(session);
    history.say("once more without it", { usage: { input: 90_000 } });
    await history.ingest(session);
    await session.nextView();

    expect((await storedSession(store, session))["calibration"]).toMatchObject({
      factor: 1,
      overhead: 0,
    });
  });

  it("learns for each model from the usage that this model reports", async () => {
    const clock = { now: () => 1_800_000_000_000 };
    const { session, store } = await openTestSession({ clock });
    const history = scriptHistory();
    const ask = async (model: string, counts: (tokens: number) => number): Promise<void> => {
      history.user(paragraph.repeat((history.messages.length % 7) + 1));
      await history.ingest(session);
      const { messages } = await session.nextView({ model });
      history.say("answer", { usage: { input: counts(plainTokens(messages)) } });
    };
    for (let call = 0; call < 20; call += 1)
      await ask("a/one", (tokens) => Math.round(tokens * 0.8) + 4_000);
    for (let call = 0; call < 6; call += 1)
      await ask("b/other", (tokens) => Math.round(tokens * 1.4) + 1_000);
    await history.ingest(session);
    await session.nextView();

    const stored = await storedSession(store, session);
    expect(stored["usage_model"]).toBe("b/other");
    expect(stored["usage_points"]).toHaveLength(6);
    expect(stored["calibration"]).toMatchObject({ factor: expect.closeTo(1.4, 0) });
    expect(Number(Object(stored["calibration"])["overhead"])).toBeLessThan(1_500);
  });

  it("learns nothing about a view that was not sent", async () => {
    const { session, store } = await openTestSession();
    const history = scriptHistory();
    for (let turn = 1; turn <= 6; turn += 1) {
      history.user(paragraph.repeat(turn));
      await history.ingest(session);
      await session.peekView();
      history.say("answer", { usage: { input: 90_000 } });
    }
    await history.ingest(session);
    await session.nextView();

    expect((await storedSession(store, session))["calibration"]).toMatchObject({
      factor: 1,
      overhead: 0,
    });
  });
});

/** Returns the views of a session with a tight budget, whose provider counts more tokens than the estimate. */
async function underUsage(isResumed: boolean): Promise<readonly (readonly ViewMessage[])[]> {
  const opened = await openTestSession();
  let { session } = opened;
  const history = scriptHistory();
  const views: (readonly ViewMessage[])[] = [];
  for (let turn = 1; turn <= 12; turn += 1) {
    history.user(`question ${turn}`);
    if (isResumed) session = await opened.reopen();
    await history.ingest(session);
    if (isResumed) session = await opened.reopen();
    const { messages } = await session.nextView({ contextWindow: 4_000 });
    views.push(messages);
    const reported = Math.round(plainTokens(messages) * 1.4) + 700;
    history.say(paragraph.repeat(turn % 5), { usage: { input: reported } });
  }
  return views;
}

/** Returns the tokens of messages by the uncalibrated estimate. */
function plainTokens(messages: readonly ViewMessage[]): number {
  const estimator = calibratedEstimator();
  return messages.reduce((sum, message) => sum + messageTokens(message, estimator), 0);
}
