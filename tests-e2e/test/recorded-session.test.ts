import { everyLayout } from "@self-context-manager/compose";
import { type ListedCall, viewHistory } from "@self-context-manager/core/inspect";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { afterAll, describe, expect, it } from "vitest";

import { damagedCopy } from "../src/inspector/damaged-copy.ts";
import { droppedAt, openRecordedSession } from "../src/inspector/recorded-session.ts";
import { bodyOf, misses, reportedCalls } from "../src/inspector/reported-calls.ts";
import { models, work, workCalls } from "../src/inspector/session-work.ts";

const recorded = openRecordedSession();
afterAll(async () => await (await recorded)[Symbol.asyncDispose]());

/** Returns the first calls of the turns that begin with an event of a kind. */
function beginsWith(type: string): readonly number[] {
  return work.flatMap(({ before }, index) =>
    before?.type === type
      ? [1 + work.slice(0, index).reduce((sum, { answers }) => sum + answers.length, 0)]
      : [],
  );
}

async function readSession() {
  const { storePath, sessionId } = await recorded;
  await using store = await openSqliteStore({ path: storePath });
  const history = await viewHistory(store, everyLayout(), sessionId);
  const calls: ListedCall[] = [];
  for await (const call of history?.list() ?? []) calls.push(call);
  const account = (await bodyOf(store, sessionId))["cost_account"];
  return { calls, account, reported: await reportedCalls(store, sessionId) };
}

describe("the recorded session of the inspector's tests", () => {
  it("has at least 300 calls, and each but the last has the provider's usage", async () => {
    const { calls, account, reported } = await readSession();

    expect(calls.length).toBe(workCalls);
    expect(workCalls).toBeGreaterThanOrEqual(300);
    expect(calls.flatMap(({ problems }) => problems)).toEqual([]);
    expect(reported.length).toBeGreaterThanOrEqual(workCalls - 1);
    expect(account).toHaveProperty("0", workCalls - 1);
    expect(reported.every((one) => one.input + one.cacheRead + one.cacheWrite > 1000)).toBe(true);
  });

  it("has epochs that ended by their cost and by a cold cache", async () => {
    const { calls } = await readSession();

    const ends = calls.filter(({ epoch }) => epoch?.call === 1).map(({ epoch }) => epoch?.endedBy);
    expect(ends.length).toBeGreaterThanOrEqual(6);
    expect(new Set(ends)).toEqual(new Set([undefined, "carried", "cold"]));
  });

  it("has misses by a pause, another model, another system prompt and the provider", async () => {
    const { calls, reported } = await readSession();

    const missed = misses(reported);
    const epochs = calls.filter(({ epoch }) => epoch?.call === 1).map(({ call }) => call);
    const others = missed.filter((call) => call > 1 && !epochs.includes(call));
    const paused = beginsWith("pause").filter((call) => missed.includes(call));
    const ended = calls.filter(
      ({ call, epoch }) => epoch?.endedBy === "cold" && epochs.includes(call),
    );
    expect(paused).toHaveLength(1);
    expect(ended.map(({ call }) => call)).toEqual([...paused, ...beginsWith("model")]);
    expect(others).toEqual([droppedAt]);
    const changed = [...beginsWith("model"), ...beginsWith("instructions")];
    expect(missed).toEqual(expect.arrayContaining(changed));
    expect(new Set(reported.map(({ model }) => model))).toEqual(new Set(Object.values(models)));
  });

  it("has one view that cannot be verified in its damaged copy", async () => {
    const { storePath, sessionId } = await recorded;
    const damaged = await damagedCopy(storePath);

    await using store = await openSqliteStore({ path: damaged.storePath });
    const history = await viewHistory(store, everyLayout(), sessionId);
    const verified: boolean[] = [];
    for (const call of [damaged.call - 1, damaged.call])
      verified.push((await history?.rebuild(call))?.isVerified ?? false);
    expect(verified).toEqual([true, false]);
  });
});
