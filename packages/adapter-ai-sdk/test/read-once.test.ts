import { memoryStore } from "@self-context-manager/store-memory";
import { countedIds, memoryFolder, openTriedSession } from "@self-context-manager/testkit";
import { generateText, type ModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterEach, expect, it, vi } from "vitest";

import { aiSdkContext, type RequestChange } from "../src/ai-sdk-context.ts";
import { sdkCodec } from "../src/sdk-messages.ts";

const count = 99;

/** Returns a chat that ends in a user's message. */
function chat(): ModelMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `text ${index}`,
  }));
}

afterEach(() => void vi.restoreAllMocks());

it.each<readonly [string, RequestChange]>([
  ["in the app's own list", {}],
  ["with a message that the app adds", { add: [{ role: "user", content: "be brief" }] }],
  [
    "with a message that the app leaves out",
    { leavesOut: ({ content }) => JSON.stringify(content).includes('"text 5"') },
  ],
])("identifies each message of a request once, %s", async (_, change) => {
  const clock = { now: () => 1_700_000_000_000 };
  const files = memoryFolder();
  const store = memoryStore({ clock });
  const place = { store, files, ids: countedIds(), workspace: files.path };
  const host = { harness: "ai-sdk", sessionId: "chat" };
  const context = aiSdkContext({
    openSession: async () => await openTriedSession(place, "defaults", host),
    tools: {},
  });
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: "text", text: "done" }],
      finishReason: { unified: "stop", raw: undefined },
      usage,
      warnings: [],
    },
  });
  const identify = vi.spyOn(sdkCodec, "identify");

  await generateText({
    model,
    messages: chat(),
    tools: context.tools,
    prepareStep: async (step) => await context.prepareStep(step, change),
  });

  const times = identify.mock.calls.map(([raw]) => raw);
  const most = Math.max(
    ...[...Map.groupBy(times, (raw) => raw).values()].map(({ length }) => length),
  );
  expect([new Set(times).size, most]).toEqual([count + (change.add?.length ?? 0), 1]);
});
