import { objectId, sealObject } from "@self-context-manager/objects";
import { describe, expect, it } from "vitest";
import { scriptHistory } from "./script-history.ts";
import { openTestSession } from "./test-session.ts";

describe("repeats", () => {
  it("makes no new version of the session for a second deactivate (D42)", async () => {
    const { session, store } = await openTestSession({ files: { "/work/a.ts": "one\n" } });
    await session.read({ path: "a.ts" });
    await session.deactivate("f1", { callId: "call_1" });
    const { sessionId } = await session.status();
    const before = await store.get(sessionId);

    const answer = await session.deactivate("f1", { callId: "call_2" });

    expect(answer).toEqual({ ok: true, text: "f1 a.ts is inactive already.", effects: [] });
    expect((await store.get(sessionId))?.version).toBe(before?.version);
  });

  it("does not apply a repeated call again when its result arrives after another change", async () => {
    const { session } = await openTestSession({ files: { "/work/a.ts": "one\n" } });
    const history = scriptHistory();
    history.user("go");
    await session.read({ path: "a.ts" });
    await session.deactivate("f1");
    await history.ask("deactivate", { id: "f1" }, (callId) => session.deactivate("f1", { callId }));
    await session.activate("f1");

    await history.ingest(session);

    expect((await session.status()).activeCount).toBe(1);
  });

  it("finds the note at a path, and makes no second object for it (D16)", async () => {
    const { session, store } = await openTestSession({ files: { "/work/n.md": "# n\n" } });
    const note = {
      id: objectId("note-1"),
      type: "note",
      locked: false,
      content: "# n\n",
      path: "/work/n.md",
      presence: "present",
      provenance: { origin: "/work/n.md", generator: "human" as const },
    };
    await store.commit([{ object: sealObject(note) }]);

    const answer = await session.read({ path: "n.md" });

    expect(answer.text).toContain("n1 n.md: unchanged since version 1");
    expect((await store.find({ where: { path: "/work/n.md" } })).items).toHaveLength(1);
  });
});

describe("a budget", () => {
  it("is used for pinned content before the list of all known objects (D54)", async () => {
    const files: Record<string, string> = { "/work/pinned.ts": "the pinned line\n" };
    for (let count = 0; count < 400; count += 1) files[`/work/some/longer/name-${count}.ts`] = "x";
    const { session } = await openTestSession({ files });
    await session.recordNamed(Object.keys(files).slice(1));
    await session.read({ path: "pinned.ts" });
    await session.pin("pinned.ts");

    const view = await session.view({ contextWindow: 1_000, reserve: 0 });

    const text = JSON.stringify(view.messages);
    expect(text).toContain("the pinned line");
    expect(text).toContain("earlier objects are not listed");
  });
});
