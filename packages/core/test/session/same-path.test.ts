import type { ObjectStore } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";
import type { ContextSession } from "../../src/session/context-session.ts";
import { openTestSession, type TestSession } from "./test-session.ts";

/** A store that delays the first query for a path until two have arrived. */
function meetingAt(path: string): ObjectStore {
  const store = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
  const meeting = Promise.withResolvers<void>();
  let asked = 0;
  return {
    ...store,
    async find(query) {
      const page = await store.find(query);
      if (query.where?.["path"] !== path) return page;
      asked += 1;
      if (asked >= 2) meeting.resolve();
      await meeting.promise;
      return page;
    },
  };
}

async function twoSessions(): Promise<
  TestSession & { readonly sessions: readonly ContextSession[] }
> {
  const opened = await openTestSession({
    files: { "/work/a.ts": "x\n" },
    store: meetingAt("/work/a.ts"),
  });
  const other = await opened.reopen({ harness: "test", sessionId: "another" });
  return { ...opened, sessions: [opened.session, other] };
}

describe("two sessions that find a new file at the same time", () => {
  it.each<readonly [string, (session: ContextSession) => Promise<unknown>]>([
    ["they read it", async (session) => await session.read({ path: "a.ts" })],
    ["it is named", async (session) => await session.recordNamed(["a.ts"])],
  ])("have one object for it when %s, and the other one is missing", async (_, find) => {
    const { sessions, store } = await twoSessions();

    await Promise.all(sessions.map(find));

    const [kept, ...more] = (await store.find({ where: { path: "/work/a.ts" } })).items;
    const id = kept?.body.id;
    expect(more).toEqual([]);
    for (const session of sessions) {
      const { objects } = await session.status();
      expect(objects.map(({ stored }) => stored.body.id)).toEqual([id]);
    }
    const missing = await store.find({ where: { type: "file", presence: "missing" } });
    expect(missing.items.map(({ body }) => body.provenance)).toEqual([
      { origin: id, generator: "system", parent_refs: [{ ref: "dynamic", id }] },
    ]);
  });

  it("leave no object that is mistaken for a later file at the path", async () => {
    const { sessions, store, files } = await twoSessions();
    await Promise.all(sessions.map(async (session) => await session.read({ path: "a.ts" })));
    const { items } = await store.find({ where: { path: "/work/a.ts" } });
    files.delete("/work/a.ts");
    await sessions[0]?.read({ path: "a.ts" });
    files.set("/work/a.ts", "back\n");

    await sessions[1]?.read({ path: "a.ts" });

    const again = await store.find({ where: { path: "/work/a.ts" } });
    expect(again.items.map(({ body }) => body.id)).toEqual([items[0]?.body.id]);
  });
});
