import { describe, expect, test } from "vitest";

import { ownMessages } from "../src/own-messages.ts";
import type { PiContext } from "../src/pi-api.ts";

const prompt = { role: "user", content: "go on", timestamp: 1 };
const reminder = { role: "user", content: "be brief", timestamp: 2 };
const mode = { role: "custom", customType: "plan", content: "PLAN MODE", timestamp: 3 };

describe("a message of a request", () => {
  test("was added to it, if it is in no entry and in no event", async () => {
    const own = ownMessages();
    const messages = [prompt, reminder, mode];

    const codec = await own.codecFor(messages, contextWith([{ type: "message", message: prompt }]));

    expect(messages.map((one) => codec.identify(one).isForOneRequest === true)).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("was added to it, although it has the time of Pi's own message", async () => {
    const own = ownMessages();
    const sameTime = { ...reminder, timestamp: prompt.timestamp };
    const changed = { ...prompt, content: "[masked]" };
    const context = contextWith([{ type: "message", message: prompt }]);

    const whole = await own.codecFor([prompt, sameTime], context);
    const masked = await own.codecFor([changed, sameTime], context);

    expect([prompt, sameTime].map((one) => whole.identify(one).isForOneRequest)).toEqual([
      undefined,
      true,
    ]);
    expect([changed, sameTime].map((one) => masked.identify(one).isForOneRequest)).toEqual([
      undefined,
      true,
    ]);
  });

  test("belongs to the history, if Pi has reported it", async () => {
    const own = ownMessages();
    own.saw(reminder);

    const codec = await own.codecFor([reminder], contextWith([]));

    expect(codec.identify(reminder).isForOneRequest).toBeUndefined();
  });

  test("belongs to the history, if an extension has stored its content", async () => {
    const own = ownMessages();
    const { customType, content } = mode;
    const entries = [{ type: "custom_message", customType, content }];

    const codec = await own.codecFor([mode], contextWith(entries));

    expect(codec.identify(mode).isForOneRequest).toBeUndefined();
  });

  test("belongs to the history, if Pi stores it while the request is made", async () => {
    const own = ownMessages();
    const entries: unknown[] = [];
    setImmediate(() => void entries.push({ type: "message", message: prompt }));

    const codec = await own.codecFor([prompt], contextWith(entries));

    expect(codec.identify(prompt).isForOneRequest).toBeUndefined();
  });

  test("belongs to the history, if it is an answer or a result", async () => {
    const messages = [
      { role: "assistant", content: [], timestamp: 4 },
      { role: "toolResult", toolCallId: "call_1", content: [], timestamp: 5 },
    ];

    const codec = await ownMessages().codecFor(messages, contextWith([]));

    expect(messages.map((one) => codec.identify(one).isForOneRequest)).toEqual([
      undefined,
      undefined,
    ]);
  });
});

function contextWith(entries: readonly unknown[]): PiContext {
  return {
    cwd: "/work",
    hasUI: false,
    ui: { notify: () => undefined, setStatus: () => undefined },
    sessionManager: { getSessionId: () => "session-1", getEntries: () => entries },
  };
}
