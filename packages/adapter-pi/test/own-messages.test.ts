import { type ReadList, readList, type ReadMessage } from "@self-context-manager/core";
import { describe, expect, test, vi } from "vitest";

import { type OwnMessages, ownMessages } from "../src/own-messages.ts";
import type { PiContext } from "../src/pi-api.ts";
import { piCodec } from "../src/pi-codec.ts";

const prompt = { role: "user", content: "go on", timestamp: 1 };
const reminder = { role: "user", content: "be brief", timestamp: 2 };
const mode = { role: "custom", customType: "plan", content: "PLAN MODE", timestamp: 3 };

async function marksIn(
  own: OwnMessages,
  messages: readonly unknown[],
  context: PiContext,
): Promise<readonly ReadMessage["mark"][]> {
  return (await own.listFor(readList(messages, piCodec), context)).messages.map(({ mark }) => mark);
}

describe("a message of a request", () => {
  test("was added to it, if it is in no entry and in no event", async () => {
    const own = ownMessages();
    const messages = [prompt, reminder, mode];

    const context = contextWith([{ type: "message", message: prompt }]);

    expect(await marksIn(own, messages, context)).toEqual(["own", "added", "added"]);
  });

  test("was added to it, although it has the time of Pi's own message", async () => {
    const own = ownMessages();
    const sameTime = { ...reminder, timestamp: prompt.timestamp };
    const changed = { ...prompt, content: "[masked]" };
    const context = contextWith([{ type: "message", message: prompt }]);

    expect(await marksIn(own, [prompt, sameTime], context)).toEqual(["own", "added"]);
    expect(await marksIn(own, [changed, sameTime], context)).toEqual(["own", "added"]);
  });

  test("belongs to the history, if Pi has reported it", async () => {
    const own = ownMessages();
    own.saw(reminder);

    expect(await marksIn(own, [reminder], contextWith([]))).toEqual(["own"]);
  });

  test("belongs to the history, if an extension has stored its content", async () => {
    const own = ownMessages();
    const { customType, content } = mode;
    const entries = [{ type: "custom_message", customType, content }];

    expect(await marksIn(own, [mode], contextWith(entries))).toEqual(["own"]);
  });

  test("belongs to the history, if Pi stores it while the request is made", async () => {
    const own = ownMessages();
    const entries: unknown[] = [];
    setImmediate(() => void entries.push({ type: "message", message: prompt }));

    expect(await marksIn(own, [prompt], contextWith(entries))).toEqual(["own"]);
  });

  test("was added to it with its results, if it is an answer", async () => {
    const own = ownMessages();
    const call = { type: "toolCall", id: "call_1", name: "bash", arguments: {} };
    const answer = { role: "assistant", content: [call], timestamp: 4 };
    const result = { role: "toolResult", toolCallId: "call_1", content: [], timestamp: 5 };
    const messages = [answer, result, prompt];
    own.saw(prompt);

    const added = await marksIn(own, messages, contextWith([]));
    own.saw(answer);
    const known = await marksIn(own, messages, contextWith([]));

    expect(added).toEqual(["added", "added", "own"]);
    expect(known).toEqual(["own", "own", "own"]);
  });

  test("was added to it, if it is a summary of no entry", async () => {
    const timestamp = "2026-11-24T10:00:00.000Z";
    const summary = { role: "compactionSummary", summary: "s", timestamp: Date.parse(timestamp) };
    const others = { ...summary, timestamp: 7 };
    const messages = [others, summary, prompt];
    const entries = [
      { type: "message", message: prompt },
      { type: "compaction", summary: "s", timestamp },
    ];

    const marks = await marksIn(ownMessages(), messages, contextWith(entries));

    expect(marks).toEqual(["added", "own", "own"]);
  });

  test("belongs to the history, if it is an answer that a host can store later", async () => {
    const own = ownMessages();
    const earlier = { role: "assistant", content: [], timestamp: 0 };
    const newest = { role: "assistant", content: [], timestamp: 4 };
    const messages = [earlier, prompt, newest];
    own.saw(prompt);

    const late = await marksIn(own, messages, contextWith([]));
    const atOnce = await marksIn(own, messages, storingAtOnce(contextWith([])));

    expect(late).toEqual(["added", "own", "own"]);
    expect(atOnce).toEqual(["added", "own", "added"]);
  });
});

describe("a message of the host that is not in a request", () => {
  const answer = { role: "assistant", content: [], timestamp: 4 };
  const result = { role: "toolResult", toolCallId: "call_1", content: [], timestamp: 5 };
  const next = { role: "user", content: "and now", timestamp: 6 };
  const host = [prompt, answer, result, mode, next];
  const branch = host.map((message, id) =>
    message === mode
      ? { id, type: "custom_message", customType: mode.customType, content: mode.content }
      : { id, type: "message", message },
  );

  /** Returns the times of a list, and of the messages in it that others left out. */
  async function read(
    messages: readonly unknown[],
    entries: readonly unknown[] = branch,
  ): Promise<{ readonly times: readonly unknown[]; readonly leftOut: readonly unknown[] }> {
    const list = await ownMessages().listFor(
      readList(messages, piCodec),
      contextWith(branch, entries),
    );
    const timeOf = ({ raw }: ReadMessage): unknown =>
      Reflect.get(raw as object, "timestamp") ?? Reflect.get(raw as object, "customType");
    return {
      times: list.messages.map(timeOf),
      leftOut: list.messages.filter(({ mark }) => mark === "left-out").map(timeOf),
    };
  }

  test("was left out of it, and is put back at its place", async () => {
    const copies = [prompt, mode, next].map((one) => ({ ...one }));

    expect(await read(copies)).toEqual({ times: [1, 4, 5, 3, 6], leftOut: [4, 5] });
    expect(await read([result, next])).toEqual({
      times: [1, 4, 5, "plan", 6],
      leftOut: [1, 4, "plan"],
    });
  });

  test("was left out, although others added messages", async () => {
    expect(await read([reminder, prompt, next])).toEqual({
      times: [2, 1, 4, 5, "plan", 6],
      leftOut: [4, 5, "plan"],
    });
  });

  test("is the earlier one of two equal messages", async () => {
    const twice = [...branch.slice(0, 4), { ...branch[3], id: 9 }, ...branch.slice(4)];

    const { times, leftOut } = await read([prompt, answer, result, mode, next], twice);

    expect(times).toEqual([1, 4, 5, "plan", 3, 6]);
    expect(leftOut).toEqual(["plan"]);
  });

  test("is each of the host's, if one added message replaces them all", async () => {
    const { leftOut } = await read([reminder]);

    expect(leftOut).toEqual([1, 4, 5, "plan", 6]);
  });

  test("is not known, if the list has another order or is empty", async () => {
    expect(await read([next, prompt])).toEqual({ times: [6, 1], leftOut: [] });
    expect(await read([])).toEqual({ times: [], leftOut: [] });
  });

  test("was not left out, if a summary replaces it or the answer failed", async () => {
    const summary = { role: "compactionSummary", summary: "s", timestamp: 7 };
    const compacted = [...branch, { id: 8, type: "compaction", firstKeptEntryId: 4 }];
    const failed = {
      id: 7,
      type: "message",
      message: { ...answer, stopReason: "error", timestamp: 8 },
    };

    expect(await read([summary, next], compacted)).toEqual({ times: [7, 6], leftOut: [] });
    expect(await read(host, [...branch, failed])).toMatchObject({ leftOut: [] });
  });
});

function contextWith(entries: readonly unknown[], branch: readonly unknown[] = entries): PiContext {
  return {
    cwd: "/work",
    hasUI: false,
    ui: { notify: () => undefined, setStatus: () => undefined },
    sessionManager: {
      getSessionId: () => "session-1",
      getEntries: () => entries,
      getBranch: () => branch,
    },
  };
}

/** Returns the context of a release that stores each message before the next request. */
function storingAtOnce(context: PiContext): PiContext {
  const { sessionManager } = context;
  return { ...context, sessionManager: { ...sessionManager, buildSessionProjection: () => ({}) } };
}

test("the host's own messages are identified once, however many requests there are", async () => {
  using identified = vi.spyOn(piCodec, "identify");
  const own = ownMessages();
  const host = [prompt, reminder].map((message, id) => ({ id, type: "message", message }));
  const sent = (): ReadList => readList(structuredClone([prompt, reminder]), piCodec);
  await own.listFor(sent(), contextWith(host));
  identified.mockClear();

  await own.listFor(sent(), contextWith(host));
  await own.listFor(sent(), contextWith(host));

  // Each request has copies of its own, and those are new to the codec.
  expect(identified).toHaveBeenCalledTimes(4);
});
