import {
  type ObjectId,
  type ObjectStore,
  type StoredVersion,
  StoreError,
} from "@self-context-manager/objects";
import * as fc from "fast-check";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import { emptyAccount, sessionBill } from "../../src/cost/cost-account.ts";
import { describe, expect, it } from "vitest";
import type { Message, ReportedUsage } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import type { SessionTimeline, TimelineCall } from "../../src/inspect/timeline.ts";
import { timelineReader, type TimelineReader } from "../../src/inspect/timeline-reader.ts";
import { viewFill } from "../../src/inspect/view-fill.ts";
import { viewHistory } from "../../src/inspect/view-history.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { View } from "../../src/session/view-options.ts";
import type { Layout } from "../../src/view/layout.ts";
import { type ClockedSession, openClockedSession } from "../session/clocked-session.ts";
import { scriptHistory } from "../session/script-history.ts";
import { readMarked } from "../host/read-marked.ts";
import { openTestSession, otherHost, plainCodec, testHost } from "../session/test-session.ts";
import { changedStore } from "./changed-store.ts";

const layouts: readonly Layout[] = [epochLayout(), pooledLayout];
const minute = 60_000;

async function timelineOf(store: ObjectStore): Promise<SessionTimeline> {
  const timeline = await timelineReader(store, layouts).read(testHost);
  if (timeline === undefined) throw new Error("there is no session");
  return timeline;
}

/** Returns the tokens of each part in each call, by the part's handle or kind. */
function filledBy({ parts, calls }: SessionTimeline): readonly ReadonlyMap<string, number>[] {
  const tokens = new Map<string, number>();
  return calls.map(({ changes }) => {
    for (const [part, count] of changes) {
      const { handle, kind } = parts[part] ?? { kind: "unknown" };
      tokens.set(handle ?? kind, count);
    }
    return new Map([...tokens].filter(([, count]) => count !== 0));
  });
}

function sumWithoutSystem(filled: ReadonlyMap<string, number> | undefined): number {
  const { system: _system, ...others } = Object.fromEntries(filled ?? []);
  return Object.values(others).reduce((sum, count) => sum + count, 0);
}

/** The model answers; its provider reports these tokens. */
function answer({ history }: ClockedSession, usage?: ReportedUsage): void {
  history.say("done", usage === undefined ? {} : { usage });
}

const output = (name: string, times = 60): string => `${name} says something. `.repeat(times);

async function missOfLast(opened: ClockedSession): Promise<TimelineCall["miss"]> {
  return (await timelineOf(opened.store)).calls.at(-1)?.miss;
}

/** A session of two calls with long messages; the first one has its usage. */
async function warmSession(): Promise<{ readonly opened: ClockedSession; readonly first: View }> {
  const opened = await openClockedSession();
  await opened.session.recordSystemPrompt("host", "You help people.");
  opened.history.user(output("The user", 300));
  const first = await opened.send();
  answer(opened, { input: 100, cacheRead: 0, cacheWrite: promptOf(first) });
  opened.history.user("and now");
  return { opened, first };
}

function promptOf({ tokens }: View): number {
  return tokens.metadata + tokens.chat + tokens.active;
}

/** What happens before a call. */
const event = fc.constantFrom(
  "ask",
  "answer",
  "command",
  "read",
  "again",
  "write",
  "prompt",
  "long",
  "pause",
  "switch",
  "back",
);

async function play(
  layout: Layout,
  events: readonly string[],
  sent: (store: ObjectStore, call: number) => Promise<void> = async () => {},
): Promise<ObjectStore> {
  const path = "/work/a.ts";
  const { session, store, files } = await openTestSession({
    layout,
    clock: { now: () => time },
    files: { [path]: "export const answer = 1;\n".repeat(60) },
  });
  let time = 1_800_000_000_000;
  let model = "anthropic/claude-sonnet-4-5";
  const history = scriptHistory();
  history.user("please begin");
  const early = [...history.messages];
  for (const [index, happened] of events.entries()) {
    time += happened === "pause" ? 90 * minute : 1_000;
    if (happened === "switch") model = "openai/gpt-5.4";
    if (happened === "ask") history.user(`question ${index}`);
    else if (happened === "long")
      history.user(`${"a long text of the user. ".repeat(420)}${index}`);
    else if (happened === "answer")
      history.say(`answer ${index}`, { usage: { input: 50 * index + 1, cacheRead: 40 * index } });
    else if (happened === "command")
      history.call("bash", { command: `make ${index}` }, output(`line ${index}`));
    else if (happened === "read" || happened === "again") await history.read(session, "a.ts");
    else if (happened === "write") {
      files.set(path, `export const answer = ${index};\n`.repeat(60));
      await session.recordWrite("a.ts");
    } else if (happened === "prompt") await session.recordSystemPrompt("host", `Rule ${index}.`);
    if (happened === "back") {
      history.messages.splice(early.length);
      history.user(`in another way ${index}`);
      await session.ingest(readList(history.messages, plainCodec), { rewound: true });
    } else await history.ingest(session);
    const { call } = await session.nextView({ model });
    await sent(store, call);
  }
  return store;
}

const played = fc.tuple(
  fc.constantFrom(...layouts),
  fc.array(event, { minLength: 1, maxLength: 14 }),
);

describe("a timeline", () => {
  it("has every call, and the tokens of its parts add up to those of the call", async () => {
    await fc.assert(
      fc.asyncProperty(played, async ([layout, events]) => {
        const store = await play(layout, events);

        const timeline = await timelineOf(store);

        const history = await viewHistory(store, layouts, testHost);
        const listed: number[] = [];
        for await (const { call } of history?.list() ?? []) listed.push(call);
        expect(timeline.calls.map(({ call }) => call)).toEqual(listed);
        const filled = filledBy(timeline);
        for (const [index, { tokens, shared, repeated }] of timeline.calls.entries()) {
          expect(sumWithoutSystem(filled[index])).toBe(tokens);
          expect([...(filled[index]?.values() ?? [])].every((count) => count > 0)).toBe(true);
          expect(shared).toBeLessThanOrEqual(tokens);
          expect(repeated).toBeLessThanOrEqual(tokens);
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("is the same whether it is read after each call or at once", async () => {
    await fc.assert(
      fc.asyncProperty(played, async ([layout, events]) => {
        let reader: TimelineReader | undefined;
        let read: SessionTimeline | undefined;
        const store = await play(layout, events, async (live, call) => {
          reader ??= timelineReader(live, layouts);
          const [only] = (await reader.read(testHost, { after: call - 1 }))?.calls ?? [];
          expect(only?.call).toBe(call);
          read = await reader.read(testHost);
        });

        const whole = await timelineOf(store);

        expect(read).toEqual(whole);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("is read again from the new versions only", async () => {
    const inner = await play(
      epochLayout(),
      Array.from({ length: 20 }, () => "command"),
    );
    let read = 0;
    const store: ObjectStore = {
      ...inner,
      async *versions(...args) {
        for await (const stored of inner.versions(...args)) {
          read += 1;
          yield stored;
        }
      },
    };
    const reader = timelineReader(store, layouts);
    await reader.read(testHost);
    const first = read;

    const again = await reader.read(testHost, { after: 18 });

    expect(first).toBeGreaterThan(40);
    expect(read - first).toBeLessThanOrEqual(1);
    expect(again?.calls.map(({ call }) => call)).toEqual([19, 20]);
    expect(again?.parts.length).toBeGreaterThan(20);
  });

  it("is complete after readings at the same time, and after one that failed at any place", async () => {
    const whole = await play(epochLayout(), ["ask", "command", "prompt", "answer", "read", "back"]);
    const expected = await timelineOf(whole);
    for (let failing = 1; failing < 40; failing += 1) {
      let reads = 0;
      const fail = (): void => {
        reads += 1;
        if (reads === failing) throw new StoreError("STORE_BUSY", "it is locked");
      };
      const store: ObjectStore = {
        ...whole,
        get: async (...args) => (fail(), await whole.get(...args)),
        describe: async (...args) => (fail(), await whole.describe(...args)),
        async *versions(...args) {
          for await (const stored of whole.versions(...args)) {
            fail();
            yield stored;
          }
        },
      };
      const reader = timelineReader(store, layouts);

      const first = await Promise.allSettled([reader.read(testHost), reader.read(testHost)]);

      expect(first.some(({ status }) => status === "fulfilled")).toBe(true);
      reads = failing;
      expect(await reader.read(testHost)).toEqual(expected);
    }
  });

  it("of a session without calls has none, and there is none of an unknown session", async () => {
    const { store, session } = await openTestSession({ layout: epochLayout() });
    await session.recordSystemPrompt("host", "You help people.");
    const reader = timelineReader(store, layouts);

    expect(await reader.read(testHost)).toMatchObject({ calls: [], parts: [] });
    expect(await reader.read((await session.status()).sessionId)).toMatchObject({ calls: [] });
    expect(await reader.read(otherHost)).toBeUndefined();
  });

  it("gives each call its own cost and usage if calls are made while it is read", async () => {
    const opened = await openClockedSession();
    const { store: live, history } = opened;
    const calls = async (count: number): Promise<void> => {
      for (let call = 0; call < count; call += 1) {
        history.user("go on");
        await opened.send();
        answer(opened, { input: 10 * history.messages.length, cacheRead: 5, cacheWrite: 0 });
      }
    };
    await calls(2);
    let toMake = 2;
    const store: ObjectStore = {
      ...live,
      async *versions(...args) {
        // The reading has its end before another process writes.
        const found: StoredVersion[] = [];
        for await (const stored of live.versions(...args)) found.push(stored);
        await calls(toMake);
        toMake = 0;
        yield* found;
      },
    };
    const reader = timelineReader(store, layouts);

    await reader.read(testHost);
    await calls(1);
    const read = await reader.read(testHost);

    expect(read).toEqual(await timelineOf(live));
    expect(read?.calls.every(({ cost }) => cost !== undefined)).toBe(true);
  });

  it("knows a message that another extension adds to each request, also if it is read after each call", async () => {
    const { session, store } = await openTestSession({ layout: epochLayout() });
    const history = scriptHistory();
    const reader = timelineReader(store, layouts);
    for (const question of ["begin", "go on", "and now"]) {
      history.user(output(question));
      const [first, ...others] = history.messages as [Message, ...Message[]];
      const reminder: Message = { role: "opaque", kind: "reminder", raw: { text: "be brief" } };
      await session.ingestAndView(
        readMarked([first, reminder, ...others], "added", (one) => one === reminder),
        {},
      );
      await reader.read(testHost);
    }

    const read = await reader.read(testHost);

    expect(read).toEqual(await timelineOf(store));
    const [, second, third] = read?.calls ?? [];
    expect(third?.shared).toBe(second?.tokens);
  });

  it("of many sessions are read again instead of being kept", async () => {
    const opened = await openTestSession({ layout: epochLayout() });
    const reader = timelineReader(opened.store, layouts);
    const hosts = Array.from({ length: 40 }, (_, index) => ({
      ...otherHost,
      sessionId: `${index}`,
    }));
    const ids: ObjectId[] = [];
    for (const [index, host] of hosts.entries()) {
      const session = await opened.reopen(host);
      const history = scriptHistory(1_800_000_000_000 + index);
      history.user("please begin");
      await history.ingest(session);
      await session.nextView();
      ids.push((await session.status()).sessionId);
    }
    for (const id of ids) await reader.read(id);

    const kept = ids.filter((id) => reader.has(id));

    expect(kept.length).toBeLessThan(20);
    expect(kept).toEqual(ids.slice(-kept.length));
    expect((await reader.read(ids[0] as ObjectId))?.calls).toHaveLength(1);
    expect(reader.has(ids[0] as ObjectId)).toBe(true);
    expect(reader.has(kept[0] as ObjectId)).toBe(false);
  });

  it("of two sessions are kept apart", async () => {
    const opened = await openTestSession({ layout: epochLayout() });
    const { store, session } = opened;
    const other = await opened.reopen(otherHost);
    const histories = [scriptHistory(), scriptHistory(1_800_000_000_000)] as const;
    const reader = timelineReader(store, layouts);
    for (const [index, one] of [session, other].entries()) {
      histories[index]?.user(`question of ${index}`);
      await histories[index]?.ingest(one);
      await one.nextView();
      await reader.read(testHost);
    }
    histories[1].say("yes");
    await histories[1].ingest(other);
    await other.nextView();

    expect((await reader.read(testHost))?.calls).toHaveLength(1);
    expect((await reader.read(otherHost))?.calls).toHaveLength(2);
  });

  it("says to which objects, answers, messages and lines the tokens of a view belong", async () => {
    const { session, store } = await openTestSession({
      layout: epochLayout(),
      files: { "/work/src/a.ts": "export const answer = 1;\n".repeat(80) },
    });
    await session.recordSystemPrompt("host", "You help people. ".repeat(20));
    const history = scriptHistory();
    history.user("please build");
    history.call("bash", { command: "make all" }, output("make"));
    await history.read(session, "src/a.ts");
    history.user("a long text of the user. ".repeat(420));
    await history.ingest(session);
    await session.nextView();

    const timeline = await timelineOf(store);

    const [filled] = filledBy(timeline);
    const names = timeline.parts.map(({ kind, handle, name }) => [kind, handle, name]);
    expect(names).toContainEqual(["file", "f1", "src/a.ts"]);
    expect(names).toContainEqual(["toolcall", "t1", 'bash "make all"']);
    expect(names).toContainEqual(["user", "u1", "user message"]);
    expect(names).toContainEqual(["system", undefined, "system prompts"]);
    for (const part of ["f1", "t1", "u1", "system", "messages", "answers"])
      expect(filled?.get(part)).toBeGreaterThan(5);
    expect(filled?.get("u1")).toBeGreaterThan(500);
    expect(filled?.get("messages")).toBeLessThan(20);
    expect(timeline.parts.find(({ handle }) => handle === "f1")?.id).toBe(
      (await store.find({ where: { type: "file" } })).items[0]?.body.id,
    );
  });

  it("names an object under each of its handles, if it left the session and came back", async () => {
    const { session, store } = await openTestSession({ layout: epochLayout() });
    const history = scriptHistory();
    history.user("begin");
    history.user([{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }]);
    const asked = [...history.messages];
    history.call("bash", {}, "done");
    await history.ingest(session);
    await session.nextView();
    await session.ingest(readList(asked, plainCodec), { rewound: true });
    await session.nextView();

    const named = (await timelineOf(store)).parts.filter(({ kind }) => kind === "user");

    expect(named.map(({ handle, name }) => `${handle} ${name}`)).toEqual([
      "u1 user image",
      "u2 user image",
    ]);
  });

  it("counts content that is shown twice as repeated", () => {
    const fill = viewFill();

    fill.next(["u0 10", "r0.0.0 t1@1 [f1@1:whole] 100", "b [f1@1:lines=1-10] 30"]);
    expect(fill.repeated).toBe(30);
    fill.next(["u0 10", "b [f1@1:lines=1-10] 30", "b [f1@1:lines=6-15] 40"]);
    expect(fill.repeated).toBe(20);
    fill.next(["u0 10", "b [f1@1:lines=1-10] 30", "b [f1@2:lines=6-15] 40"]);
    expect(fill.repeated).toBe(0);
    fill.next(["r0.0.0 t1@1 bare 50", "r0.1.0 t2@1 [t1@1:whole] 60"]);
    expect(fill.repeated).toBe(50);
  });

  it("does not take equal rows after a rewind for messages that were sent before", () => {
    const fill = viewFill();
    fill.next(["u0 10", "a0.0 5", "u1 7", "a1.0 3"]);

    const change = fill.next(["u0 10", "a0.0 5", "u1 7", "a1.0 4"], 2);

    expect(change).toEqual({
      sameRows: 2,
      sameTokens: 15,
      resentTokens: 0,
      differsAt: { before: "u1 7" },
    });
    expect(fill.sum).toBe(26);
  });

  it("divides the tokens of an entry with several contents by their lengths", () => {
    const fill = viewFill();

    fill.next(["b [f1@1:lines=1-10 f2@1:lines=1-30 f3@2:above] 101"]);

    expect(fill.tokensOf(":f1")).toBe(25);
    expect(fill.tokensOf(":f2")).toBe(76);
    expect(fill.tokensOf(":f3")).toBe(0);
  });
});

describe("the costs in a timeline", () => {
  it("are those of the calls, and add up to the account of the session", async () => {
    const opened = await openClockedSession();
    opened.history.user("begin");
    let account: View["account"];
    const usages = [undefined, { input: 900, cacheRead: 0, cacheWrite: 800 }, undefined];
    for (const [index, usage] of usages.entries()) {
      account = (await opened.send()).account;
      answer(opened, usage);
      opened.history.user(output(`question ${index}`));
    }
    await opened.history.ingest(opened.session);

    const { calls } = await timelineOf(opened.store);

    expect(calls.map(({ usage }) => usage)).toEqual(usages);
    expect(calls.map(({ reportedUnits }) => reportedUnits)).toEqual([undefined, 1_900, undefined]);
    const sum = (of: (call: TimelineCall) => number | undefined): number =>
      calls.reduce((total, call) => total + (of(call) ?? 0), 0);
    expect(sum(({ cost }) => cost?.units)).toBe(Math.round(account?.estimated.units ?? 0));
    const { plainUnits } = sessionBill(account ?? emptyAccount);
    expect(Math.abs(sum(({ cost }) => cost?.plainUnits) - plainUnits)).toBeLessThanOrEqual(1);
    expect(calls.every(({ model, sentAt }) => model !== undefined && sentAt !== undefined)).toBe(
      true,
    );
  });

  it("are left out for calls whose versions of the session cannot be read", async () => {
    const opened = await openClockedSession();
    opened.history.user("begin");
    for (let index = 0; index < 4; index += 1) {
      await opened.send();
      answer(opened, { input: 100 + index, cacheRead: 0, cacheWrite: 0 });
      opened.history.user(`question ${index}`);
    }
    const whole = await timelineOf(opened.store);
    const [, second, third] = whole.calls.map(({ at }) => at.tx_id);
    const isLost = (tx: number): boolean => tx >= (second ?? 0) && tx < (third ?? 0);
    const store = changedStore(opened.store, (stored) =>
      stored.body.type === "session" && isLost(stored.at.tx_id) ? undefined : stored,
    );

    const { calls } = await timelineOf(store);

    expect(calls[0]?.cost).toEqual(whole.calls[0]?.cost);
    expect(calls[1]?.cost).toBeUndefined();
    expect(calls[2]?.cost).toBeUndefined();
    for (const [index, { cost }] of calls.entries())
      expect([undefined, whole.calls[index]?.cost]).toContainEqual(cost);
    expect(calls.at(-1)?.cost).toEqual(whole.calls.at(-1)?.cost);
  });

  it("have no usage for a call whose answer reports none or never came", async () => {
    const opened = await openClockedSession();
    opened.history.user("begin");
    await opened.send();
    await opened.send();
    answer(opened, { input: 70, cacheRead: 0, cacheWrite: 0 });
    opened.history.user("and now");
    await opened.send();

    const { calls } = await timelineOf(opened.store);

    expect(calls.map(({ usage }) => usage?.input)).toEqual([undefined, 70, undefined]);
  });
});

describe("a miss of the cache", () => {
  it("is not in the first call, nor where the provider read what was sent before", async () => {
    const { opened, first } = await warmSession();
    const second = await opened.send();
    answer(opened, {
      input: promptOf(second) - promptOf(first),
      cacheRead: promptOf(first),
      cacheWrite: 0,
    });
    await opened.history.ingest(opened.session);

    const { calls } = await timelineOf(opened.store);

    expect(calls.map(({ miss }) => miss)).toEqual([undefined, undefined]);
    expect(calls[1]?.shared).toBeGreaterThan(1_000);
  });

  it("is the provider's if it read nothing of the same messages", async () => {
    const { opened, first } = await warmSession();
    await opened.send();
    answer(opened, { input: promptOf(first) + 20, cacheRead: 0, cacheWrite: 0 });
    await opened.history.ingest(opened.session);

    const miss = await missOfLast(opened);

    expect(miss).toMatchObject({ reason: "provider", isReported: true });
    expect(miss?.tokens).toBeGreaterThan(1_000);
    expect(miss?.text).toContain("read only 0 of");
  });

  it("is measured by the report of the call before, which is better than an estimate", async () => {
    const { opened } = await warmSession();
    opened.history.messages.pop();
    opened.history.messages.pop();
    answer(opened, { input: 8_000, cacheRead: 0, cacheWrite: 2_000 });
    opened.history.user("and now");
    await opened.send();
    answer(opened, { input: 30, cacheRead: 6_500, cacheWrite: 3_500 });
    await opened.history.ingest(opened.session);

    expect(await missOfLast(opened)).toMatchObject({ tokens: 3_500, reason: "provider" });
  });

  it("is none if the provider has never cached anything", async () => {
    const opened = await openClockedSession();
    opened.history.user(output("The user", 300));
    const first = await opened.send();
    for (const text of ["one", "two"]) {
      answer(opened, { input: promptOf(first), cacheRead: 0, cacheWrite: 0 });
      opened.history.user(text);
      await opened.session.recordSystemPrompt("host", `You answer ${text}.`);
      await opened.send();
    }
    answer(opened, { input: promptOf(first), cacheRead: 0, cacheWrite: 0 });
    await opened.history.ingest(opened.session);

    const { calls } = await timelineOf(opened.store);

    expect(calls.map(({ miss }) => miss)).toEqual([undefined, undefined, undefined]);
  });

  it("names a pause that is longer than the provider keeps a prompt", async () => {
    const { opened } = await warmSession();
    opened.time += 42 * minute;
    await opened.send();

    const miss = await missOfLast(opened);

    expect(miss).toMatchObject({ reason: "idle", isReported: false });
    expect(miss?.text).toBe(
      "Nothing was sent for 42 minutes, and the provider keeps unused text for 5 minutes.",
    );
  });

  it("names a change of the model before everything else", async () => {
    const { opened } = await warmSession();
    opened.time += 42 * minute;
    await opened.session.recordSystemPrompt("host", "You help nobody.");
    await opened.send({ model: "anthropic/claude-opus-4-5" });

    const miss = await missOfLast(opened);

    expect(miss?.reason).toBe("model-switched");
    expect(miss?.text).toContain("from anthropic/claude-sonnet-4-5 to anthropic/claude-opus-4-5");
    expect(miss?.text).not.toContain("Epoch");
  });

  it("names a change of the system prompt", async () => {
    const { opened, first } = await warmSession();
    await opened.session.recordSystemPrompt("host", "You help nobody.");
    await opened.send();
    answer(opened, { input: promptOf(first), cacheRead: 0, cacheWrite: 0 });
    await opened.history.ingest(opened.session);

    const miss = await missOfLast(opened);

    expect(miss?.reason).toBe("system-prompt");
    expect(miss?.text).toContain("The system prompt changed (host)");
  });

  it("names the objects that left the view when an epoch ended, and counts what followed it", async () => {
    const opened = await openClockedSession(4, 1, epochLayout({ folds: undefined }));
    opened.history.user(output("The user", 30));
    for (let index = 0; index < 40; index += 1) {
      opened.history.call("bash", { command: `run ${index}` }, output(`run ${index}`, 120));
      await opened.send();
    }

    const { calls } = await timelineOf(opened.store);

    const ended = calls.filter(({ miss }) => miss !== undefined);
    expect(ended.length).toBeGreaterThan(0);
    for (const { miss, epoch, tokens } of ended) {
      expect(epoch).toMatchObject({ call: 1 });
      expect(miss).toMatchObject({ reason: "epoch-ended", isReported: false });
      expect(miss?.text).toMatch(
        /^Epoch \d+ ended because the cost of sending inactive content again had reached the set share of the cost of a rewrite\. Removed from the view: t\d+ \(bash "run \d+"\),? .* more\. What follows/u,
      );
      expect(miss?.tokens).toBeLessThanOrEqual(tokens);
    }
  });

  it("names the pause first if an epoch ended because of it", async () => {
    const opened = await openClockedSession(4, 1, epochLayout({ folds: undefined }));
    opened.history.user(output("The user", 30));
    for (let index = 0; index < 10; index += 1) {
      opened.history.call("bash", { command: `run ${index}` }, output(`run ${index}`, 120));
      await opened.send();
    }
    opened.time += 42 * minute;
    opened.history.user("and now");
    await opened.send();

    const { calls } = await timelineOf(opened.store);

    expect(calls.at(-1)).toMatchObject({
      epoch: { call: 1, endedBy: "cold" },
      miss: { reason: "idle", isReported: false },
    });
    expect(calls.at(-1)?.miss?.text).toMatch(
      /^Nothing was sent for 42 minutes, .* Epoch \d+ ended because the provider's cache was cold, so a rewrite cost nothing extra\. Removed/u,
    );
  });

  it("names the first message that differs after the user went back", async () => {
    const { opened } = await warmSession();
    const early = opened.history.messages.slice(0, 1);
    await opened.send();
    answer(opened, { input: 10, cacheRead: 2_000, cacheWrite: 0 });
    opened.history.user(output("A second question", 200));
    const third = await opened.send();
    answer(opened, { input: 10, cacheRead: promptOf(third), cacheWrite: 0 });
    await opened.history.ingest(opened.session);
    const back = [
      ...early,
      { role: "user", content: output("In another way", 200), timestamp: opened.time } as const,
    ];
    await opened.session.ingest(readList(back, plainCodec), { rewound: true });
    await opened.session.nextView({ model: "anthropic/claude-sonnet-4-5" });

    const { calls } = await timelineOf(opened.store);
    await opened.session.ingest(
      readList(
        [
          ...back,
          {
            role: "assistant",
            content: [{ type: "text", text: "done" }],
            usage: { input: 5_000, cacheRead: 0, cacheWrite: 0 },
            timestamp: opened.time + 1,
          },
        ],
        plainCodec,
      ),
    );

    const last = calls.at(-1);
    expect(last?.shared).toBe(calls[0]?.tokens);
    expect(last?.miss).toBeUndefined();
    expect(await missOfLast(opened)).toMatchObject({
      reason: "messages-changed",
      text: "The user went back, and the session continued from call 1. The messages are others from message 2 on.",
      isReported: true,
    });
  });
});

describe("a timeline of a damaged store", () => {
  const damage = fc.record({
    type: fc.constantFrom("view", "session", "chat", "toolcall", "file", "system_prompt"),
    version: fc.nat(14),
    way: fc.constantFrom("missing", "unreadable", "fields", "rows"),
  });

  it("reports the views that cannot be read, and reads the others", async () => {
    let problems = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 3, maxLength: 12 }),
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        async (events, damages) => {
          const whole = await play(epochLayout(), events);
          const store = damages.reduce(
            (inner, { type, version, way }) =>
              changedStore(inner, (stored) => {
                if (stored.body.type !== type || stored.version !== version) return stored;
                if (way === "missing") return undefined;
                if (way === "unreadable") throw new StoreError("STORE_CORRUPT", "it is damaged");
                const body =
                  way === "rows"
                    ? { ...stored.body, entries: ["x 1"], pool: [1], cost_account: ["no"] }
                    : { ...stored.body, memory: 7, view_branch: 3, calibration: null };
                return { ...stored, body };
              }),
            whole,
          );

          const { calls } = await timelineOf(store);

          const harmed = damages.filter(
            ({ type, version }) => type === "view" && version >= 1 && version <= calls.length,
          );
          for (const call of calls)
            expect(call.problem !== undefined).toBe(
              harmed.some(({ version }) => version === call.call),
            );
          expect(calls.map(({ call }) => call)).toEqual(calls.map((_, index) => index + 1));
          expect(calls.length).toBeGreaterThanOrEqual(events.length - 1);
          problems += harmed.length;
        },
      ),
      { numRuns: 100 },
    );
    expect(problems).toBeGreaterThan(5);
  });
});
