import { describe, expect, it } from "vitest";
import { readList } from "../../src/host/read-list.ts";
import { chatAbout, scriptHistory } from "../session/script-history.ts";
import { openTestSession, plainCodec } from "../session/test-session.ts";
import { chatTexts, latest } from "../session/view-parts.ts";
import { answer, late, prompt } from "./host-messages.ts";

describe("a user who goes back (D52)", () => {
  it("finds the earlier sets in a new version of the session", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n", "/work/b.ts": "y\n" } });
    const { session, store } = opened;
    const history = scriptHistory();
    history.user("one");
    history.call("bash", { command: "a" }, "A");
    history.say("answer one");
    await history.ingest(session);
    await session.read({ path: "a.ts" });
    await session.pin("t1");
    const point = history.messages.length;
    const sets = await session.status();
    const { sessionId } = sets;
    history.user("two");
    await history.ingest(session);
    await session.deactivate("t1");
    await session.read({ path: "b.ts" });
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    const versions = (await store.history(sessionId)).length;

    const report = await session.ingest(
      readList([...history.messages.slice(0, point), prompt("two, again")], plainCodec),
    );
    const versionsAfter = (await store.history(sessionId)).length;

    expect(report.type).toBe("rewound");
    expect((await session.status()).objects).toEqual(sets.objects);
    expect(await chatTexts(session)).toEqual([
      "one",
      "",
      "[t1 ok, 1 chars]",
      "answer one",
      "two, again",
    ]);
    expect(versionsAfter).toBe(versions + 1);
    expect((await latest(store, "call_2")).body.content).toBe("B");
  });

  it("is not assumed after a shorter list, which later returns complete", async () => {
    const { session } = await openTestSession();
    const history = chatAbout("one");
    history.user("two");
    await history.ingest(session);
    const view = await session.nextView();

    await session.ingest(readList(history.messages.slice(0, 1), plainCodec));
    expect((await session.nextView()).messages).toEqual(view.messages);

    await history.ingest(session);
    expect((await session.nextView()).messages).toEqual(view.messages);
  });

  it("is recognised by a new message after a shorter list, in the running session and after a resume", async () => {
    const opened = await openTestSession();
    const history = chatAbout("one");
    history.user("two");
    await history.ingest(opened.session);
    const shorter = history.messages.slice(0, 2);
    await opened.session.ingest(readList(shorter, plainCodec));
    const branch = [...shorter, prompt("three")];
    const again = await opened.reopen();
    await again.ingest(readList(shorter, plainCodec));

    const report = await again.ingest(readList(branch, plainCodec));
    await (await opened.reopen()).ingest(readList(branch, plainCodec));

    expect(report.type).toBe("rewound");
    expect(await chatTexts(again)).toEqual(["one", "answer one", "three"]);
  });

  it("is not assumed when the host tries a failed answer again", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.say("", { stopReason: "error" });
    await history.ingest(session);
    const retried = history.messages.slice(0, 1);

    const report = await session.ingest(readList([...retried, answer("now", late)], plainCodec));

    expect(report.type).toBe("replaced");
    expect(await chatTexts(session)).toEqual(["one", "now"]);
  });
});
