import { describe, expect, it } from "vitest";
import type { Message } from "../../src/chat/message.ts";
import type { MessageCodec } from "../../src/host/message-codec.ts";
import { readList } from "../../src/host/read-list.ts";
import { pooledLayout } from "../../src/layouts/pooled/pooled-layout.ts";
import type { Layout } from "../../src/view/layout.ts";
import { openTestSession, plainCodec, type TestSession } from "../session/test-session.ts";
import { chatTexts } from "../session/view-parts.ts";
import { answer, ownSummary, prompt } from "./host-messages.ts";

const first = [prompt("one", 1), answer("answer one", 2)];
const other = [prompt("other", 10), answer("answer other", 11)];
const summary = ownSummary(20);

/** Opens a session with two branches that share no message; the second is the current one. */
async function openBranches(): Promise<TestSession> {
  const opened = await openTestSession();
  await opened.session.ingest(readList(first, plainCodec));
  await opened.session.ingest(readList(other, plainCodec), { rewound: true });
  return opened;
}

describe("branches without a shared message (D52)", () => {
  it.each([false, true])(
    "are found after a summary that the adapter wrote (resumed: %s)",
    async (isResumed) => {
      const opened = await openBranches();
      const { session } = opened;
      await session.ingest(readList([summary, ...other], plainCodec));
      await session.ingest(readList([...first, prompt("two", 30)], plainCodec), { rewound: true });
      const going = isResumed ? await opened.reopen() : session;

      const back = [summary, ...other, prompt("three", 40)];
      const report = await going.ingest(readList(back, plainCodec), { rewound: true });

      expect(report.type).toBe("rewound");
      expect(await chatTexts(going)).toEqual(["other", "answer other", "three"]);
    },
  );

  it("are not recognised by equal texts if the host's messages have no keys", async () => {
    const codec: MessageCodec<Message> = {
      identify: (message) => ({ role: message.role === "summary" ? message.kind : message.role }),
      decode: (message) => message,
    };
    const unnamed = (messages: readonly Message[]): Message[] =>
      messages.map((message) => {
        const copy: { timestamp?: number } & Message = { ...message };
        delete copy.timestamp;
        return copy;
      });
    const { session } = await openTestSession();
    await session.ingest(readList(unnamed([...first, prompt("continue", 3)]), codec));
    await session.ingest(readList(unnamed(other), codec), { rewound: true });
    await session.nextView();

    const later = [prompt("continue", 4), answer("more", 5), prompt("next", 6)];
    await session.ingest(readList(unnamed([summary, ...later]), codec));

    const texts = await chatTexts(session);
    expect(texts).toContain("other");
    expect(texts).not.toContain("one");
  });

  it("are found after the host's list lost its beginning", async () => {
    const { session } = await openBranches();
    await session.ingest(readList([...other.slice(1), prompt("further", 20)], plainCodec));

    await session.ingest(readList([...first, prompt("two", 30)], plainCodec), { rewound: true });

    expect(await chatTexts(session)).toEqual(["one", "answer one", "two"]);
  });
});

describe("a call whose view cannot be made", () => {
  it("keeps the host's messages", async () => {
    let fails = true;
    const layout: Layout = {
      ...pooledLayout,
      render: (...args) => {
        if (fails) throw new RangeError("no view");
        return pooledLayout.render(...args);
      },
    };
    const { session, store } = await openTestSession({ layout });

    await expect(session.ingestAndView(readList(first, plainCodec))).rejects.toThrow("no view");
    const { chatId } = await session.status();
    expect((await store.get(chatId))?.body["turns"]).toHaveLength(1);
    fails = false;
    expect(await chatTexts(session)).toEqual(["one", "answer one"]);
  });
});
