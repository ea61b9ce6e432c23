import type { JsonObject, ObjectStore, StoredVersion } from "@self-context-manager/objects";
import { StoreError } from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
// @boundaries-ignore The tests of all packages are configured in the same way.
import { propertyRuns } from "../../../../tools/property-runs.ts";
import type { RebuiltView } from "../../src/inspect/rebuilt-view.ts";
import { type ViewHistory, viewHistory } from "../../src/inspect/view-history.ts";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { Layout } from "../../src/view/layout.ts";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession, testHost } from "../session/test-session.ts";
import { changedStore } from "./changed-store.ts";

const layouts: readonly Layout[] = [epochLayout({ share: 0.1 }), pooledLayout];

/** What happens before a call. */
const event = fc.constantFrom("ask", "answer", "command", "read", "write", "prompt", "payload");

/** A damage: the object that it changes by its type, the part of its versions, and what happens to them. */
const damage = fc.record({
  type: fc.constantFrom("view", "session", "chat", "toolcall", "file", "system_prompt"),
  version: fc.integer({ min: 1, max: 9 }),
  way: fc.constantFrom("missing", "unreadable", "content", "fields", "words"),
});

async function recorded(layout: Layout, events: readonly string[]): Promise<ObjectStore> {
  const path = "/work/a.ts";
  const { session, store, files } = await openTestSession({
    layout,
    files: { [path]: "export const answer = 1;\n".repeat(30) },
  });
  const history = scriptHistory();
  history.user("please begin");
  for (const [index, happened] of events.entries()) {
    if (happened === "ask") history.user(`question ${index}`);
    else if (happened === "answer") history.say(`answer ${index}`);
    else if (happened === "command")
      history.call("bash", { command: `make ${index}` }, `line ${index}\n`.repeat(80));
    else if (happened === "read") await history.read(session, "a.ts");
    else if (happened === "write") {
      files.set(path, `export const answer = ${index};\n`.repeat(30));
      await session.recordWrite("a.ts");
    } else if (happened === "prompt") await session.recordSystemPrompt("host", `Rule ${index}.`);
    await history.ingest(session);
    const { call } = await session.nextView();
    if (happened === "payload") await session.recordPayload(call, "ab".repeat(32));
  }
  return store;
}

/** A store in which a version is damaged, for every way of reading it. */
function damaged(
  store: ObjectStore,
  { type, version, way }: { readonly type: string; readonly version: number; readonly way: string },
): ObjectStore {
  const isMeant = (stored: StoredVersion): boolean =>
    stored.body.type === type && stored.version === version;
  if (way === "missing") return storeLacking(store, isMeant);
  return changedStore(store, (stored) => {
    if (!isMeant(stored)) return stored;
    if (way === "unreadable") throw new StoreError("STORE_CORRUPT", "a text cannot be unpacked");
    if (way === "words") {
      const [first, ...turns] = (stored.body["turns"] ?? []) as readonly JsonObject[];
      return first === undefined
        ? stored
        : { ...stored, body: { ...stored.body, turns: [{ ...first, user: "no" }, ...turns] } };
    }
    const body =
      way === "content"
        ? { ...stored.body, content: `${stored.body.content ?? ""} changed` }
        : { ...stored.body, turns: [], entries: [7], pool: "none", content: null };
    return { ...stored, body };
  });
}

/** A store that lacks versions. Then the one before is the latest as of their transaction. */
function storeLacking(
  store: ObjectStore,
  isLacking: (stored: StoredVersion) => boolean,
): ObjectStore {
  const lacking = changedStore(store, (stored) => (isLacking(stored) ? undefined : stored));
  return {
    ...lacking,
    async get(id, at) {
      const found = await store.get(id, at);
      if (at === undefined || !("txId" in at) || found === undefined || !isLacking(found))
        return await lacking.get(id, at);
      return found.version === 1
        ? undefined
        : await lacking.get(id, { version: found.version - 1 });
    },
  };
}

async function historyOf(store: ObjectStore): Promise<ViewHistory> {
  const history = await viewHistory(store, layouts, testHost);
  if (history === undefined) throw new Error("there is no session");
  return history;
}

async function verified(
  history: ViewHistory,
  from?: number,
  to?: number,
): Promise<readonly RebuiltView[]> {
  const views: RebuiltView[] = [];
  for await (const view of history.verify(from, to)) views.push(view);
  return views;
}

async function oneByOne(history: ViewHistory): Promise<readonly (RebuiltView | undefined)[]> {
  const views: (RebuiltView | undefined)[] = [];
  for (let call = 1; call <= history.count; call += 1) views.push(await history.rebuild(call));
  return views;
}

describe("the verification of all calls in order", () => {
  it("gives the views that are rebuilt one by one, also in damaged stores", async () => {
    let withProblems = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...layouts),
        fc.array(event, { minLength: 1, maxLength: 12 }),
        fc.array(damage, { maxLength: 2 }),
        async (layout, events, damages) => {
          const whole = await recorded(layout, events);
          const store = damages.reduce(damaged, whole);

          const inTurn = await verified(await historyOf(store));

          const single = await oneByOne(await historyOf(store));
          expect(inTurn).toEqual(single);
          if (single.some((view) => view?.isVerified === false)) withProblems += 1;
        },
      ),
      { numRuns: propertyRuns(120) },
    );
    expect(withProblems).toBeGreaterThan(5);
  });

  it("notices each version of the chat that is damaged, although its messages were shown before", async () => {
    const events = ["answer", "ask", "answer", "command", "answer"];
    const whole = await recorded(epochLayout(), events);
    let harmed = 0;
    for (let version = 1; version <= 6; version += 1) {
      const store = damaged(whole, { type: "chat", version, way: "words" });

      const inTurn = await verified(await historyOf(store));

      expect(inTurn).toEqual(await oneByOne(await historyOf(store)));
      harmed += inTurn.filter(({ problems }) =>
        problems.some(({ type }) => type === "messages"),
      ).length;
    }
    expect(harmed).toBeGreaterThan(4);
  });

  it("can begin and end at any call", async () => {
    const store = await recorded(layouts[0] as Layout, ["ask", "command", "read", "write", "read"]);
    const history = await historyOf(store);
    const all = await oneByOne(history);

    expect(await verified(history, 3)).toEqual(all.slice(2));
    expect(await verified(history, 2, 4)).toEqual(all.slice(1, 4));
    expect(await verified(history, -1, 1)).toEqual(all.slice(0, 1));
    expect(await verified(history, 9)).toEqual([]);
  });

  it("reads each version of the session, the chat and the view once", async () => {
    const inner = await recorded(
      layouts[0] as Layout,
      Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? "ask" : "command")),
    );
    let reads = 0;
    const store: ObjectStore = {
      ...inner,
      get: async (...args) => {
        reads += 1;
        return await inner.get(...args);
      },
    };
    const history = await historyOf(store);
    reads = 0;

    const views = await verified(history);

    expect(views.every(({ isVerified }) => isVerified)).toBe(true);
    // Each tool call once, and a few at the beginning and at the end.
    expect(reads).toBeLessThan(30);
  });
});
