import type { ObjectId, ObjectStore } from "@self-context-manager/objects";
import { describe, expect, test } from "vitest";
import type { ListedCall } from "../../src/inspect/rebuilt-view.ts";
import { rebuildView, type ViewHistory, viewHistory } from "../../src/inspect/view-history.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession, testHost } from "../session/test-session.ts";
import { changedStore, storeWithout } from "./changed-store.ts";

const layouts = [epochLayout(), pooledLayout];
const hash = "ab".repeat(32);

interface Recorded {
  readonly store: ObjectStore;
  readonly sessionId: ObjectId;
}

/** Opens a session of three calls. The first has its payload. */
async function recorded(): Promise<Recorded> {
  const { session, store } = await openTestSession({ layout: epochLayout() });
  const history = scriptHistory();
  for (const turn of [1, 2, 3]) {
    history.user(`question ${turn}`);
    await history.ingest(session);
    await session.nextView();
    if (turn === 1) await session.recordPayload(1, hash);
    history.say(`answer ${turn}`);
  }
  await history.ingest(session);
  return { store, sessionId: (await session.status()).sessionId };
}

async function historyOf(store: ObjectStore): Promise<ViewHistory> {
  const found = await viewHistory(store, layouts, testHost);
  if (found === undefined) throw new Error("there is no such session");
  return found;
}

async function listed(history: ViewHistory, from?: number, to?: number): Promise<ListedCall[]> {
  const calls: ListedCall[] = [];
  for await (const call of history.list(from, to)) calls.push(call);
  return calls;
}

describe("the calls of a session", () => {
  test("are listed in order, each with its messages, its epoch and its payload", async () => {
    const { store } = await recorded();

    const calls = await listed(await historyOf(store));

    expect(calls).toMatchObject([
      { call: 1, layout: "epoch", messages: 1, epoch: { number: 1, call: 1 }, payloadHash: hash },
      { call: 2, layout: "epoch", messages: 3, epoch: { number: 1, call: 2 }, problems: [] },
      { call: 3, layout: "epoch", messages: 5, epoch: { number: 1, call: 3 }, problems: [] },
    ]);
    expect(calls[1]).not.toHaveProperty("payloadHash");
  });

  test("are listed within a range, which can exceed the first and the last call", async () => {
    const { store } = await recorded();
    const history = await historyOf(store);

    const numbers = async (from?: number, to?: number): Promise<readonly number[]> =>
      (await listed(history, from, to)).map(({ call }) => call);

    expect(await numbers(2, 2)).toEqual([2]);
    expect(await numbers(2)).toEqual([2, 3]);
    expect(await numbers(-4, 99)).toEqual([1, 2, 3]);
  });

  test.each([0, 4, 1.5, -1])("have no call %d", async (call) => {
    const { store } = await recorded();

    expect(await (await historyOf(store)).rebuild(call)).toBeUndefined();
  });

  test("are found by the id of the session too, but not by that of another object", async () => {
    const { store, sessionId } = await recorded();

    expect((await viewHistory(store, layouts, sessionId))?.count).toBe(3);
    const chat = (await store.find({ where: { type: "chat" } })).items[0]?.body.id;
    expect(await viewHistory(store, layouts, chat as ObjectId)).toBeUndefined();
  });

  test("are an empty list for a session without calls", async () => {
    const { store, session } = await openTestSession();
    await session.recordSystemPrompt("host", "Be good.");
    const history = await historyOf(store);

    expect([history.count, await listed(history), await history.rebuild(1)]).toEqual([
      0,
      [],
      undefined,
    ]);
  });

  test("are listed with a problem if a view is missing", async () => {
    const { store } = await recorded();
    const lacking = changedStore(store, (stored) =>
      stored.body.type === "view" && stored.version === 2 ? undefined : stored,
    );

    const calls = await listed(await historyOf(lacking));

    expect(calls.map(({ problems }) => problems.map(({ type }) => type))).toEqual([
      [],
      ["missing"],
      [],
    ]);
    expect(calls[1]).toMatchObject({ call: 2, layout: "", tokens: 0 });
  });
});

describe("a rebuilt call", () => {
  test("has the payload of its own answer", async () => {
    const { store } = await recorded();

    expect((await rebuildView(store, layouts, testHost, 1))?.payloadHash).toBe(hash);
    expect(await rebuildView(store, layouts, testHost, 2)).not.toHaveProperty("payloadHash");
  });

  test("has no messages and reports why if its layout is not available", async () => {
    const { store } = await recorded();

    const view = await rebuildView(store, [pooledLayout], testHost, 1);

    expect(view).toMatchObject({ messages: [], isVerified: false });
    expect(view?.problems.map(({ text }) => text).join()).toMatch(
      /^version 1 of object .* was made by the layout epoch, which this program does not have$/u,
    );
  });

  test("reports that its chat is missing, and each message that cannot be rebuilt", async () => {
    const { store } = await recorded();

    const view = await rebuildView(storeWithout(store, "chat"), layouts, testHost, 2);

    expect(view?.isVerified).toBe(false);
    expect(view?.problems[0]).toMatchObject({ type: "missing" });
    expect(view?.entries.length).toBe(3);
    expect(view?.messages).toEqual([undefined, undefined, undefined]);
    expect(view?.problems.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^call 2: message 1 cannot be rebuilt: /u),
    );
  });

  test("reports that its session is missing", async () => {
    const { store } = await recorded();

    const view = await rebuildView(storeWithout(store, "session"), layouts, testHost, 2);

    expect(view?.problems[0]).toMatchObject({ type: "missing" });
    expect(view?.ids.size).toBe(0);
    expect(view?.messages).toHaveLength(3);
  });

  test("is empty if the view itself is missing", async () => {
    const { store } = await recorded();

    const view = await rebuildView(storeWithout(store, "view"), layouts, testHost, 2);

    expect(view).toMatchObject({ call: 2, messages: [], entries: [], isVerified: false });
    expect(view?.problems.map(({ type }) => type)).toEqual(["missing"]);
  });

  test("reports that the chat object contains no chat", async () => {
    const { store } = await recorded();
    const broken = changedStore(store, (stored) => {
      if (stored.body.type !== "chat") return stored;
      const { session_ref: _, ...body } = stored.body;
      return { ...stored, body };
    });

    const view = await rebuildView(broken, layouts, testHost, 2);

    expect(view?.problems.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^version \d+ of object .* contains no chat \(/u),
    );
  });
});
