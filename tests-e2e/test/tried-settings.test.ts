import { sessionSettings, type SessionSettings } from "@self-context-manager/compose";
import {
  type Message,
  openContextSession,
  silentLogger,
  readList,
} from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import {
  countedIds,
  hostSettings,
  type HostSettings,
  memoryFolder,
  openTriedSession,
  type TriedPlace,
} from "@self-context-manager/testkit";
import { expect, test } from "vitest";

import { plainCodec } from "../src/session/core-sessions.ts";

/** The settings of the test kit as a user sets them. */
const composed: Readonly<Record<HostSettings, SessionSettings>> = {
  defaults: sessionSettings(),
  specification: sessionSettings({
    policy: { type: "window" },
    epochs: { small: 0, deactivate: "immediate" },
  }),
  pooled: sessionSettings({ policy: { type: "window" }, layout: "pooled" }),
};

const host = { harness: "test", sessionId: "session-1" };

function place(): TriedPlace {
  const files = memoryFolder();
  return { store: memoryStore(), files, ids: countedIds(), workspace: files.path };
}

/** A prompt, and a call with a result that is long enough to leave the view. */
function turn(number: number): readonly Message[] {
  const id = `call_${number}`;
  const content = [{ type: "text", text: `line of ${number}\n`.repeat(400) }];
  const call = { type: "toolCall", id, name: "show", arguments: {} };
  const timestamp = number * 10;
  return [
    { role: "user", content: `turn ${number}`, timestamp },
    { role: "assistant", content: [call], meta: {}, timestamp: timestamp + 1 },
    { role: "toolResult", toolCallId: id, toolName: "show", content, isError: false },
    { role: "assistant", content: [{ type: "text", text: "ok" }], meta: {}, timestamp },
  ];
}

test.each(hostSettings)("the sessions of %s are those that compose opens", async (settings) => {
  const tried = await openTriedSession(place(), settings, host);
  const parts = { ...composed[settings], ...place(), logger: silentLogger };
  const session = await openContextSession(parts, host);
  const messages: Message[] = [];

  for (let number = 1; number <= 40; number += 1) {
    messages.push(...turn(number));
    const options = { contextWindow: 40_000 };
    const view = await tried.ingestAndView(readList(messages, plainCodec), options);
    expect(view).toEqual(await session.ingestAndView(readList(messages, plainCodec), options));
  }
});
