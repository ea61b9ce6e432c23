import { type ObjectStore, StoreError } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import { scriptHistory } from "../session/script-history.ts";
import { openTestSession, plainCodec } from "../session/test-session.ts";
import { textOfMessage, viewParts } from "../session/view-parts.ts";

const late = 1_900_000_000_000;

describe("a user who goes back on the tree (D52)", () => {
  it("can do so after a summary by the context manager, in the running session and after a resume (D53)", async () => {
    const history = scriptHistory();
    for (const word of ["one", "two", "three"]) {
      history.user(word);
      history.say(`answer ${word}`);
    }
    const summary: Message = {
      role: "summary",
      kind: "summary",
      raw: "a summary",
      isFromManager: true,
      timestamp: 90,
    };
    const branch: Message[] = [
      summary,
      ...history.messages.slice(2, 4),
      { role: "user", content: "four", timestamp: late },
    ];

    for (const isResumed of [false, true]) {
      const opened = await openTestSession();
      await history.ingest(opened.session);
      await opened.session.ingest([summary, ...history.messages.slice(2)], plainCodec);
      const session = isResumed ? await opened.reopen() : opened.session;

      const report = await session.ingest(branch, plainCodec, { rewound: true });

      expect(report.type).toBe("rewound");
      expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
        "one",
        "answer one",
        "two",
        "answer two",
        "four",
      ]);
    }
  });

  it("finds every result again on an abandoned branch that was ingested at once", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.call("bash", { command: "a" }, "A");
    history.user("two");
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    const other: Message[] = [
      ...history.messages.slice(0, 3),
      { role: "user", content: "another way", timestamp: late },
    ];
    await session.ingest(other, plainCodec, { rewound: true });
    history.push({ role: "user", content: "back again", timestamp: late + 1 });

    await session.ingest(history.messages, plainCodec, { rewound: true });

    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
      "one",
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
    const branch: Message[] = [
      ...history.messages.slice(0, point),
      { role: "user", content: "another way", timestamp: late },
    ];

    for (const one of [session, await opened.reopen()]) {
      await one.ingest(branch, plainCodec, { rewound: true });

      expect((await one.status()).objects).toEqual(before.objects);
    }
  });

  it("finds the sets of an abandoned branch when the user goes back to its end", async () => {
    const opened = await openTestSession({ files: { "/work/a.ts": "x\n" } });
    const { session } = opened;
    const history = scriptHistory();
    history.user("one");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);
    history.user("two");
    history.call("bash", { command: "b" }, "B");
    await history.ingest(session);
    await session.deactivate("t1");
    await session.pin("t2");
    await session.read({ path: "a.ts" });
    const { objects } = await session.status();
    const other: Message[] = [
      ...history.messages.slice(0, 3),
      { role: "user", content: "another way", timestamp: late },
    ];
    await session.ingest(other, plainCodec, { rewound: true });
    await session.deactivate("t1");
    history.push({ role: "user", content: "back again", timestamp: late + 1 });

    await session.ingest(history.messages, plainCodec, { rewound: true });

    expect((await session.status()).objects).toEqual(objects);
    const again = await opened.reopen();
    await again.ingest(history.messages, plainCodec);
    expect((await again.status()).objects).toEqual(objects);
  });

  it.each([true, undefined])(
    "can write another prompt in the same millisecond, reported by the host: %s",
    async (rewound) => {
      const { session } = await openTestSession();
      const history = scriptHistory();
      history.user("one");
      history.say("answer one");
      history.user("two");
      await history.ingest(session);
      const { timestamp = 0 } = history.messages.at(-1) ?? {};
      history.say("answer two");
      await history.ingest(session);
      const branch: Message[] = [
        ...history.messages.slice(0, 2),
        { role: "user", content: "another way", timestamp },
      ];

      await session.ingest(branch, plainCodec, rewound === undefined ? {} : { rewound });
      await session.ingest(branch, plainCodec);

      expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
        "one",
        "answer one",
        "another way",
      ]);
    },
  );

  it("finds that branch again from the beginning of the chat too", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.call("bash", { command: "a" }, "A");
    await history.ingest(session);
    await session.deactivate("t1");
    const { objects } = await session.status();
    await session.ingest([], plainCodec, { rewound: true });
    history.user("two");

    await session.ingest(history.messages, plainCodec, { rewound: true });

    expect((await session.status()).objects).toEqual(objects);
  });

  it("is recognised by a prompt after an opaque message", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.say("answer one");
    history.user("two");
    await history.ingest(session);
    const note: Message = { role: "opaque", kind: "note", raw: "a note", timestamp: late };
    const branch: Message[] = [
      ...history.messages.slice(0, 2),
      note,
      { role: "user", content: "three", timestamp: late + 1 },
    ];

    await session.ingest(branch, plainCodec);

    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
      "one",
      "answer one",
      '"a note"',
      "three",
    ]);
  });

  it.each([false, true])(
    "is recognised after the host lost its newest messages and got a summary, sent again first: %s",
    async (isSentAgain) => {
      const opened = await openTestSession();
      const history = scriptHistory();
      history.user("one");
      history.say("answer one");
      history.user("lost");
      await history.ingest(opened.session);
      const session = await opened.reopen();
      const summary: Message = {
        role: "summary",
        kind: "summary",
        raw: "",
        isFromManager: true,
        timestamp: 1,
      };
      const kept: Message[] = [summary, ...history.messages.slice(0, 2)];
      if (isSentAgain) await session.ingest(kept, plainCodec);

      await session.ingest(
        [...kept, { role: "user", content: "two", timestamp: late }],
        plainCodec,
      );

      expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
        "one",
        "answer one",
        "two",
      ]);
    },
  );

  it("keeps a user's summary that follows a summary by the context manager (D53)", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.say("answer one");
    history.user("two");
    await history.ingest(session);
    const summary = (raw: string, isFromManager: boolean, timestamp: number): Message => {
      return { role: "summary", kind: "summary", raw, isFromManager, timestamp };
    };
    const [, , two] = history.messages;
    if (two === undefined) throw new Error("there is no second prompt");
    history.say("answer two");
    await session.ingest([summary("the user's", false, 90), two], plainCodec);
    await session.ingest([summary("the manager's", true, 91), two], plainCodec);
    const three: Message = { role: "user", content: "three", timestamp: late };
    await session.ingest([summary("the manager's", true, 91), two, three], plainCodec);

    await session.ingest(
      [
        summary("the manager's", true, 91),
        two,
        { role: "user", content: "four", timestamp: late + 1 },
      ],
      plainCodec,
      { rewound: true },
    );

    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
      `"the user's"`,
      "two",
      "four",
    ]);
  });

  it("shows the messages after a user's summary, even if they were unknown when the summary arrived (D53)", async () => {
    const { session } = await openTestSession();
    const history = scriptHistory();
    history.user("one");
    history.say("answer one");
    const [one, answer] = history.messages;
    if (one === undefined || answer === undefined) throw new Error("there are two messages");
    await history.ingest(session);
    const summary: Message = {
      role: "summary",
      kind: "summary",
      raw: "S",
      isFromManager: false,
      timestamp: 1,
    };
    const user = (content: string, timestamp: number): Message => {
      return { role: "user", content, timestamp };
    };
    await session.ingest([summary, user("another way", late)], plainCodec, { rewound: true });

    await session.ingest([summary, one, answer, user("back", late + 1)], plainCodec, {
      rewound: true,
    });

    expect((await viewParts(session)).chat.map(textOfMessage)).toEqual([
      '"S"',
      "one",
      "answer one",
      "back",
    ]);
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
  const inner = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
  let left = 0;
  const store: ObjectStore = Object.assign(Object.create(inner) as ObjectStore, {
    commit: async (...args: Parameters<ObjectStore["commit"]>) => {
      left -= 1;
      if (left === 0) throw new StoreError("STORE_FULL", "the disk is full");
      return await inner.commit(...args);
    },
  });
  const { session } = await openTestSession({ store, files: { "/work/b.ts": "y\n" } });
  const history = scriptHistory();
  history.user("one");
  history.say("answer one");
  await history.ingest(session);
  history.user("two");
  await history.ingest(session);
  await session.read({ path: "b.ts" });
  const branch = scriptHistory(late);
  branch.user("another way");
  branch.call("bash", { command: "c" }, "C");
  const messages = [...history.messages.slice(0, 2), ...branch.messages];
  const ingest = async (): Promise<unknown> =>
    await session.ingest(messages, plainCodec, { rewound: true });
  left = failing;

  await ingest().catch(ingest);

  return (await viewParts(session)).activeTexts;
}
