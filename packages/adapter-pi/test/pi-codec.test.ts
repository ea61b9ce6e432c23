import type { Message } from "@self-context-manager/core";
import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { piCodec, piMessage } from "../src/pi-codec.ts";

type Fields = Readonly<Record<string, unknown>>;

const versions = ["0.73.1", "0.87.1", "1.5.2"];

/** Messages as the release passed them to an extension; see tests-e2e/src/record-pi-messages.ts. */
const recorded = (version: string): readonly Fields[] => {
  const url = new URL(`./fixtures/messages-${version}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")) as readonly Fields[];
};

const ofRole = (version: string, role: string): readonly Message[] =>
  recorded(version)
    .filter((message) => message["role"] === role)
    .map((message) => piCodec.decode(message));

describe.each(versions)("messages of Pi %s", (version) => {
  test("are distinguished by role, time and tool call", () => {
    const names = recorded(version).map((raw) => JSON.stringify(piCodec.identify(raw)));

    expect(new Set(names).size).toBe(names.length);
    expect(recorded(version).map((raw) => piCodec.identify(raw).callId)).toContain("call_2");
    for (const raw of recorded(version).filter(({ role }) => role !== "custom"))
      expect(piCodec.identify(raw)).toMatchObject({
        role: raw["role"],
        timestamp: raw["timestamp"],
      });
  });

  test("decode by their roles", () => {
    expect(recorded(version).map((raw) => piCodec.decode(raw).role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "toolResult",
      "toolResult",
      "assistant",
      "user",
      "assistant",
      "opaque",
      "user",
      "summary",
      "assistant",
      "user",
    ]);
  });

  test("of users, models and unknown kinds are converted back unchanged", () => {
    const messages = recorded(version).filter(
      ({ role }) => role !== "toolResult" && role !== "compactionSummary",
    );

    const back = messages.map((raw) => piMessage(piCodec.decode(raw) as never));

    expect(back).toEqual(messages);
  });

  test("of tools keep content, error and details, and are converted back without details", () => {
    const results = ofRole(version, "toolResult");
    const [text, image, failed] = recorded(version).filter(({ role }) => role === "toolResult");

    expect(results).toMatchObject([
      { toolCallId: "call_1", toolName: "read", content: text?.["content"], isError: false },
      { toolCallId: "call_2", content: image?.["content"], isError: false },
      { toolCallId: "call_3", content: failed?.["content"], isError: true, details: {} },
    ]);
    expect(results.map((result) => Object.keys(piMessage(result as never)))).toEqual(
      results.map(() => ["role", "toolCallId", "toolName", "content", "isError", "timestamp"]),
    );
  });

  test("keep the fields that a model reports beside its content", () => {
    const [first] = ofRole(version, "assistant");

    expect(first).toMatchObject({
      meta: {
        provider: "loopback",
        stopReason: "toolUse",
        usage: { cacheRead: expect.any(Number) },
      },
      content: [{ type: "thinking" }, { type: "text" }, { type: "toolCall" }, {}, {}],
    });
    expect(first).not.toHaveProperty("meta.timestamp");
  });

  test("with a user's summary are distinguished from the adapter's own", () => {
    const [summary] = ofRole(version, "compactionSummary");
    const own = piCodec.decode({
      role: "compactionSummary",
      summary: "[self-context-manager] The messages before entry x",
      timestamp: 1,
    });

    expect(summary).toMatchObject({ kind: "compactionSummary", isFromManager: false });
    expect(own).toMatchObject({ isFromManager: true });
  });
});

describe("messages that no release sends", () => {
  const strange: readonly unknown[] = [
    undefined,
    null,
    7,
    "text",
    [],
    {},
    { role: 3 },
    { role: "user" },
    { role: "user", content: [7] },
    { role: "assistant", content: 3, timestamp: "now" },
    { role: "toolResult", content: [] },
    { role: "from-tomorrow", content: { deep: [1] }, timestamp: 5 },
  ];

  test.each(strange.map((raw) => [JSON.stringify(raw) ?? "undefined", raw]))(
    "become opaque messages: %s",
    (_name, raw) => {
      expect(piCodec.identify(raw).role).toEqual(expect.any(String));
      expect(piCodec.decode(raw)).toMatchObject({ role: "opaque" });
    },
  );

  test("with null content are empty, as providers mean null", () => {
    expect(piCodec.decode({ role: "assistant", content: null, timestamp: 1 })).toEqual({
      role: "assistant",
      content: [],
      meta: {},
      timestamp: 1,
    });
  });
});

test("an extension's message is recognised by its content, because its time changes on reload", () => {
  const sent = { role: "custom", customType: "note", content: "remember", timestamp: 1 };

  const again = piCodec.identify({ ...sent, timestamp: 2 });

  expect(again).toEqual(piCodec.identify(sent));
  expect(again).not.toEqual(piCodec.identify({ ...sent, content: "forget" }));
});
