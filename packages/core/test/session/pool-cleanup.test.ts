import {
  type JsonObject,
  metadataVersion,
  missingFileBody,
  objectId,
  type ObjectId,
  sealObject,
  type StoredMetadata,
} from "@self-context-manager/objects";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epochLayout } from "../../src/layouts/epoch/epoch-layout.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { newSessionState } from "../../src/state/session-state.ts";
import { retireGone } from "../../src/state/retire-gone.ts";
import type { PoolRow } from "../../src/view/pool-entry.ts";
import type { Layout } from "../../src/view/layout.ts";
import { type FakeTracker, fakeTracker } from "./fake-tracker.ts";
import { scriptHistory, type ScriptedHistory } from "./script-history.ts";
import { openTestSession, otherHost, type TestSession } from "./test-session.ts";
import { textOfMessage } from "./view-parts.ts";

describe("a deleted file that nothing in view refers to", () => {
  it("leaves the pool when an epoch ends, and not before", async () => {
    const opened = await openNamed(["a.txt", "b.txt"]);
    await vanish(opened, "a.txt");
    await opened.session.nextView();

    expect(await handlesOf(opened.session)).toEqual(["f1", "f2"]);
    await endEpoch(opened);
    expect(await handlesOf(opened.session)).toEqual(["f2", "t1"]);
  });

  it("is not in the stored pool, and not there after a restart", async () => {
    const opened = await openNamed(["a.txt", "b.txt"]);
    const id = await vanish(opened, "a.txt");
    await endEpoch(opened);

    const [{ body } = { body: { id } }] = (await opened.store.find({ where: { type: "session" } }))
      .items;
    const stored = await opened.store.get(body.id);
    expect(stored?.body["inactive_set"]).not.toContain(id);
    expect(await handlesOf(await opened.reopen())).toEqual(["f2", "t1"]);
  });

  it("is still named by its handle, which no other object gets", async () => {
    const opened = await openNamed(["a.txt", "b.txt"]);
    await vanish(opened, "a.txt");
    await endEpoch(opened);
    for (const session of [opened.session, await opened.reopen()]) {
      opened.files.set("/work/c.txt", "new\n");
      await session.recordNamed(["c.txt"]);

      expect((await session.activate("f1")).text).toMatch(/^f1: the file is missing/u);
      expect((await session.activate("c.txt")).text).toMatch(/^f3 /u);
    }
  });

  it("has its handle again when it is there again", async () => {
    const opened = await openNamed(["a.txt"]);
    await vanish(opened, "a.txt");
    await endEpoch(opened);
    opened.files.set("/work/a.txt", "again\n");

    await (await opened.reopen()).recordNamed(["a.txt"]);
    await opened.session.recordNamed(["a.txt"]);

    expect(await handlesOf(opened.session)).toEqual(["t1", "f1"]);
  });

  it("stays in the pooled layout, whose list of known objects only grows", async () => {
    const opened = await openNamed(["a.txt"], pooledLayout);
    await vanish(opened, "a.txt");
    await endEpoch(opened);
    await endEpoch(opened);

    expect(await handlesOf(opened.session)).toContain("f1");
  });
});

describe("a deleted file stays in the pool", () => {
  it("as long as the view names it", async () => {
    const opened = await openNamed(["a.txt"]);
    await opened.history.read(opened.session, "a.txt");
    await opened.history.ingest(opened.session);
    await opened.session.nextView();
    await vanish(opened, "a.txt");
    await endEpoch(opened);

    const { messages } = await opened.session.nextView();
    expect(messages.map(textOfMessage).join("\n")).toContain("f1 a.txt deleted");
    expect(await handlesOf(opened.session)).toContain("f1");
  });

  it("as long as a line of the view names it, although no call does", async () => {
    const opened = await openNamed(["a.txt"]);
    const session = await opened.reopen(otherHost);
    const other = { ...opened, session, history: scriptHistory() };
    await session.load("a.txt");
    other.history.user("hello");
    await endEpoch(other);
    await vanish(other, "a.txt");
    await endEpoch(other);

    expect(await handlesOf(session)).toContain("f1");
  });

  it("if it joined because of a document that is in view", async () => {
    const state = newSessionState(
      { session: objectId("session"), chat: objectId("chat") },
      { harness: "test", sessionId: "one" },
    );
    const document = state.pool.join(stored("plan", { path: "/work/plan.md" }));
    const linked = stored("gone", { path: null, presence: "missing" });
    state.pool.join(linked, { linked: document.handle });
    const shows = [{ of: document.handle, version: 1, form: "whole" }] as const;

    retireGone(state, [{ type: "object", shows, tokens: 1 }]);
    expect(state.pool.has(linked.body.id)).toBe(true);
    retireGone(state, []);
    expect(state.pool.has(linked.body.id)).toBe(false);
  });

  it("if a call in view refers to it", async () => {
    const opened = await openNamed(["a.txt"]);
    const callId = opened.history.call("ls", {}, "a.txt\n");
    await opened.session.recordNamed(["a.txt"], { callId });
    await opened.history.ingest(opened.session);
    await vanish(opened, "a.txt");
    await endEpoch(opened);

    expect(await handlesOf(opened.session)).toContain("f1");
  });

  it("if the user gave it a nickname", async () => {
    const opened = await openNamed(["a.txt"]);
    await opened.session.name("f1", "the plan");
    await vanish(opened, "a.txt");
    await endEpoch(opened);

    expect(await handlesOf(opened.session)).toContain("f1");
  });
});

it("whatever happens, each handle names one object, and what the view names is known", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryMove, { minLength: 4, maxLength: 24 }), async (moves) => {
      const opened = await openNamed(["a.txt"]);
      const given = new Map<string, string>();
      for (const move of moves) {
        await make(opened, move);
        await checkHandles(opened, given);
        // A session that is opened again knows the same.
        expect(await setsOf(await opened.reopen())).toEqual(await setsOf(opened.session));
        expect(await messagesOf(await opened.reopen())).toEqual(await messagesOf(opened.session));
      }
    }),
    { numRuns: 40 },
  );
});

function stored(id: string, fields: JsonObject): StoredMetadata {
  const body = {
    ...fields,
    id: objectId(id),
    type: "file",
    locked: false,
    content: null,
    provenance: { origin: id, generator: "human" },
  } as const;
  const at = { tx_id: 1, tx_time: "2026-01-01T00:00:00.000Z" };
  return metadataVersion({ ...sealObject(body), version: 1, at });
}

const names = ["a.txt", "b.txt", "c.txt"] as const;

type Move = Readonly<{
  type: "name" | "read" | "vanish" | "return" | "pin" | "deactivate" | "end";
  name: (typeof names)[number];
}>;

const arbitraryMove: fc.Arbitrary<Move> = fc.record({
  type: fc.constantFrom("name", "read", "vanish", "return", "pin", "deactivate", "end", "end"),
  name: fc.constantFrom(...names),
});

async function make(opened: OpenedNamed, { type, name }: Move): Promise<void> {
  const { session, files, history } = opened;
  const isThere = (await files.stat(`/work/${name}`)) !== undefined;
  if (type === "name" && isThere) await session.recordNamed([name]);
  if (type === "read") {
    await history.read(session, name);
    await history.ingest(session);
    await session.nextView();
  }
  if (type === "vanish" && isThere) await vanish(opened, name);
  if (type === "return") files.set(`/work/${name}`, `${name} again\n`);
  if (type === "pin") await session.pin(name);
  if (type === "deactivate") await session.deactivate(name);
  if (type === "end") await endEpoch(opened);
}

/** Checks that each handle that was ever given means the same object, and that the newest view names known objects. */
async function checkHandles(
  { session, store }: OpenedNamed,
  given: Map<string, string>,
): Promise<void> {
  const [found] = (await store.find({ where: { type: "session" } })).items;
  const body = found && (await store.get(found.body.id))?.body;
  const rows = (body?.["pool"] ?? []) as readonly PoolRow[];
  for (const { handle, id } of rows) {
    expect(given.get(handle) ?? id).toBe(id);
    given.set(handle, id);
  }
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  const known = new Set((await session.status()).objects.map(({ handle }) => handle));
  const text = JSON.stringify(await messagesOf(session));
  for (const [handle] of text.matchAll(/\bf\d+\b/gu)) expect(known).toContain(handle);
}

async function handlesOf(session: ContextSession): Promise<readonly string[]> {
  return (await session.status()).objects.map(({ handle }) => handle);
}

async function setsOf(session: ContextSession): Promise<unknown> {
  const { objects } = await session.status();
  return objects.map(({ handle, state, stored: { body } }) => ({ handle, state, id: body.id }));
}

async function messagesOf(session: ContextSession): Promise<readonly unknown[]> {
  return (await session.peekView()).messages;
}

interface OpenedNamed extends TestSession {
  readonly tracker: FakeTracker;
  readonly history: ScriptedHistory;
  readonly ended: { count: number };
}

/** A session in which a command has named files. Each deactivation ends an epoch. */
async function openNamed(
  paths: readonly string[],
  layout: Layout = epochLayout({ deactivate: "immediate", small: 0 }),
): Promise<OpenedNamed> {
  const tracker = fakeTracker();
  const files = Object.fromEntries(paths.map((path) => [`/work/${path}`, "text\n".repeat(40)]));
  const opened = await openTestSession({ files, layout, tracker });
  const history = scriptHistory();
  history.user("list them");
  await opened.session.recordNamed(paths);
  await history.ingest(opened.session);
  await opened.session.nextView();
  return { ...opened, tracker, history, ended: { count: 0 } };
}

/** Deletes a file, of which the tracker reports it. Returns its object. */
async function vanish({ files, store, tracker }: OpenedNamed, name: string): Promise<ObjectId> {
  const path = `/work/${name}`;
  files.delete(path);
  const [previous] = (await store.find({ where: { path } })).items;
  if (previous === undefined) return "" as ObjectId;
  const { id } = previous.body;
  await store.commit([{ object: sealObject(missingFileBody(previous.body)) }]);
  const stored = await store.get(id);
  if (stored === undefined) throw new Error("the version is not stored");
  tracker.tell([{ id, type: "vanished", stored, previous }]);
  return id;
}

/** Ends an epoch: the output of a call arrives, is in view, and is deactivated. */
async function endEpoch({ session, history, ended }: OpenedNamed): Promise<void> {
  ended.count += 1;
  const id = history.call("bash", { command: "make" }, `output ${ended.count}\n`.repeat(60));
  await history.ingest(session);
  await session.nextView();
  history.say("done");
  history.user("and now");
  await history.ingest(session);
  await session.deactivate(id);
  await session.nextView();
}
