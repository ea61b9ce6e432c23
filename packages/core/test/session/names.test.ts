import { isReference, type ObjectId } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { openTestSession, otherHost } from "./test-session.ts";
import { latest, storedSession } from "./view-parts.ts";

const files = { "/work/a.ts": "one\n", "/work/b.ts": "two\n" };

describe("inspecting and naming objects of a session", () => {
  it("returns a whole object by handle, path and nickname", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.name("f1", "greeting");

    const found = await Promise.all(
      ["f1", "a.ts", "greeting"].map(async (name) => await session.inspect(name)),
    );

    expect(found).toMatchObject(found.map(() => ({ version: 2, body: { content: "one\n" } })));
  });

  it("refuses an unknown name", async () => {
    const { session } = await openTestSession({ files });

    expect(await session.inspect("nothing")).toMatchObject({ ok: false, effects: [] });
    expect(await session.name("nothing", "greeting")).toMatchObject({ ok: false });
  });

  it("refuses to name a view, and the chat of another session: their versions are those of calls (D42)", async () => {
    const opened = await openTestSession({ files });
    const { session, store } = opened;
    await session.nextView();
    const { view_ref: view } = await storedSession(store, session);
    const other = await opened.reopen(otherHost);
    const { chatId } = await session.status();
    const targets = [isReference(view) ? view.id : "", chatId];

    for (const target of targets) {
      expect(await other.name(target, "mine")).toMatchObject({ ok: false });
      expect((await latest(store, target as ObjectId)).body.nickname).toBeUndefined();
    }
    expect(await other.activate(String(targets[0]))).toMatchObject({ ok: false });
    expect(await session.name(String(targets[0]), "mine")).toMatchObject({ ok: false });
    expect((await latest(store, targets[0] as ObjectId)).version).toBe(1);
  });

  it("refuses a nickname that another object has, or that would hide a handle", async () => {
    const { session } = await openTestSession({ files });
    await session.read({ path: "a.ts" });
    await session.read({ path: "b.ts" });
    await session.name("f1", "greeting");

    const answers = [await session.name("f2", "greeting"), await session.name("f2", "f1")];

    expect(answers.map(({ ok }) => ok)).toEqual([false, false]);
    const { objects } = await session.status();
    expect(objects.map(({ stored }) => stored.body.nickname)).toEqual(["greeting", undefined]);
  });

  it("keeps a nickname after a reopening, and removes it with an empty one", async () => {
    const at = await openTestSession({ files });
    await at.session.read({ path: "a.ts" });
    await at.session.name("f1", "greeting");
    const again = await at.reopen();

    const answer = await again.pin("greeting");
    await again.name("greeting", "");

    expect(answer.text).toContain("f1 a.ts is pinned");
    expect(await again.inspect("greeting")).toMatchObject({ ok: false });
  });
});
