import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import { failingStore } from "../session/failing-store.ts";
import { chatAbout, oneCall, scriptHistory } from "../session/script-history.ts";
import { openTestSession, plainCodec } from "../session/test-session.ts";
import { chatTexts, viewParts } from "../session/view-parts.ts";
import { late, ownSummary, prompt, userSummary } from "./host-messages.ts";

describe("a user who goes back on the tree (D52)", () => {
  it("can do so after a summary by the context manager, in the running session and after a resume (D53)", async () => {
    const history = chatAbout("one", "two", "three");
    const summary = ownSummary(90);
    const branch = [summary, ...history.messages.slice(2, 4), prompt("four")];

    for (const isResumed of [false, true]) {
      const opened = await openTestSession();
      await history.ingest(opened.session);
      await opened.session.ingest(readList([summary, ...history.messages.slice(2)], plainCodec));
      const session = isResumed ? await opened.reopen() : opened.session;

      const report = await session.ingest(readList(branch, plainCodec), { rewound: true });

      expect(report.type).toBe("rewound");
      expect(await chatTexts(session)).toEqual(["one", "answer one", "two", "answer two", "four"]);
    }
  });

  it("finds every result again on an abandoned branch that was ingested at once", async () => {
    const { session } = await openTestSession();
    const history = oneCall();
    history.user("two");
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    const other = [...history.messages.slice(0, 3), prompt("another way")];
    await session.ingest(readList(other, plainCodec), { rewound: true });
    history.push(prompt("back again", late + 1));

    await session.ingest(readList(history.messages, plainCodec), { rewound: true });

    expect(await chatTexts(session)).toEqual([
      "go",
      "",
      "[t1 ok, 1 chars]",
      "two",
      "",
      "[t2 ok, 1 chars]",
      "back again",
    ]);
  });

  it("finds the sets of that time if a host sends the answer and the next prompt together, as Pi does", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n", "/work/b.ts": "y\n" } });
    const { session } = opened;
    const history = scriptHistory();
    history.user("one");
    await history.ingest(session);
    history.call("bash", { command: "a" }, "A");
    await session.read({ path: "a.ts" });
    await history.ingest(session);
    await session.pin("t1");
    history.say("answer one");
    const point = history.messages.length;
    const before = await session.status();
    history.user("two");
    await history.ingest(session);
    await session.unpin("t1");
    await session.deactivate("t1");
    await session.deactivate("a.ts");
    await session.read({ path: "b.ts" });
    history.call("bash", { command: "b" }, "B");
    history.say("answer two");
    history.user("three");
    await history.ingest(session);
    const branch = [...history.messages.slice(0, point), prompt("another way")];

    for (const one of [session, await opened.reopen()]) {
      await one.ingest(readList(branch, plainCodec), { rewound: true });

      expect((await one.status()).objects).toEqual(before.objects);
    }
  });

  it("finds the sets of an abandoned branch when the user goes back to its end", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    const { session } = opened;
    const history = oneCall();
    await history.ingest(session);
    history.user("two");
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    await session.deactivate("t1");
    await session.pin("t2");
    await session.read({ path: "a.ts" });
    const { objects } = await session.status();
    const other = [...history.messages.slice(0, 3), prompt("another way")];
    await session.ingest(readList(other, plainCodec), { rewound: true });
    await session.deactivate("t1");
    history.push(prompt("back again", late + 1));

    await session.ingest(readList(history.messages, plainCodec), { rewound: true });

    expect((await session.status()).objects).toEqual(objects);
    const again = await opened.reopen();
    await again.ingest(readList(history.messages, plainCodec));
    expect((await again.status()).objects).toEqual(objects);
  });

  it.each([true, undefined])(
    "can write another prompt in the same millisecond, reported by the host: %s",
    async (rewound) => {
      const { session } = await openTestSession();
      const history = chatAbout("one");
      history.user("two");
      await history.ingest(session);
      const { timestamp = 0 } = history.messages.at(-1) ?? {};
      history.say("answer two");
      await history.ingest(session);
      const branch = [...history.messages.slice(0, 2), prompt("another way", timestamp)];

      await session.ingest(readList(branch, plainCodec), rewound === undefined ? {} : { rewound });
      await session.ingest(readList(branch, plainCodec));

      expect(await chatTexts(session)).toEqual(["one", "answer one", "another way"]);
    },
  );

  it("finds that branch again from the beginning of the chat too", async () => {
    const { session } = await openTestSession();
    const history = oneCall();
    await history.ingest(session);
    await session.deactivate("t1");
    const { objects } = await session.status();
    await session.ingest(readList([], plainCodec), { rewound: true });
    history.user("two");

    await session.ingest(readList(history.messages, plainCodec), { rewound: true });

    expect((await session.status()).objects).toEqual(objects);
  });

  it("is recognised by a prompt after an opaque message", async () => {
    const { session } = await openTestSession();
    const history = chatAbout("one");
    history.user("two");
    await history.ingest(session);
    const note: Message = { role: "opaque", kind: "note", raw: "a note", timestamp: late };
    const branch: Message[] = [...history.messages.slice(0, 2), note, prompt("three", late + 1)];

    await session.ingest(readList(branch, plainCodec));

    expect(await chatTexts(session)).toEqual(["one", "answer one", '"a note"', "three"]);
  });

  it.each([false, true])(
    "is recognised after the host lost its newest messages and got a summary, sent again first: %s",
    async (isSentAgain) => {
      const opened = await openTestSession();
      const history = chatAbout("one");
      history.user("lost");
      await history.ingest(opened.session);
      const session = await opened.reopen();
      const kept = [ownSummary(1), ...history.messages.slice(0, 2)];
      if (isSentAgain) await session.ingest(readList(kept, plainCodec));

      await session.ingest(readList([...kept, prompt("two")], plainCodec));

      expect(await chatTexts(session)).toEqual(["one", "answer one", "two"]);
    },
  );

  it("keeps a user's summary that follows a summary by the context manager (D53)", async () => {
    const { session } = await openTestSession();
    const history = chatAbout("one");
    history.user("two");
    await history.ingest(session);
    const two = history.messages.slice(2);
    await session.ingest(readList([userSummary("the user's", 90), ...two], plainCodec));
    const kept = [ownSummary(91), ...two];
    await session.ingest(readList(kept, plainCodec));
    await session.ingest(readList([...kept, prompt("three")], plainCodec));

    const branch = [...kept, prompt("four", late + 1)];
    await session.ingest(readList(branch, plainCodec), { rewound: true });

    expect(await chatTexts(session)).toEqual([`"the user's"`, "two", "four"]);
  });

  it("shows the messages after a user's summary, even if they were unknown when the summary arrived (D53)", async () => {
    const { session } = await openTestSession();
    const history = chatAbout("one");
    await history.ingest(session);
    const summary = userSummary("S", 1);
    await session.ingest(readList([summary, prompt("another way")], plainCodec), { rewound: true });

    const back = [summary, ...history.messages, prompt("back", late + 1)];
    await session.ingest(readList(back, plainCodec), { rewound: true });

    expect(await chatTexts(session)).toEqual(['"S"', "one", "answer one", "back"]);
  });

  it("finds the sets of that time when the store fails during the rewind", async () => {
    const wanted = await branched(0);

    expect(await branched(1)).toEqual(wanted);
    expect(await branched(2)).toEqual(wanted);
    expect(wanted.join("\n")).toContain("C");
    expect(wanted.join("\n")).not.toContain("b.ts");
  });
});

/** Returns the active contents after a user went back to another branch. The nth commit fails at first. */
async function branched(failing: number): Promise<readonly string[]> {
  const flaky = failingStore(memoryStore({ clock: { now: () => 1_700_000_000_000 } }));
  const { session } = await openTestSession({
    store: flaky.store,
    files: { "/work/b.ts": "y\n" },
  });
  const history = chatAbout("one");
  await history.ingest(session);
  history.user("two");
  await history.ingest(session);
  await session.read({ path: "b.ts" });
  const branch = scriptHistory(late);
  branch.user("another way");
  branch.call("bash", { command: "c" }, "C");
  const messages = [...history.messages.slice(0, 2), ...branch.messages];
  const ingest = async (): Promise<unknown> =>
    await session.ingest(readList(messages, plainCodec), { rewound: true });
  flaky.failAt(failing === 0 ? 0 : flaky.commits() + failing);

  await ingest().catch(ingest);

  return (await viewParts(session)).activeTexts;
}
