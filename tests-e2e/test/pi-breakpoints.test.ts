import { piCodec } from "@self-context-manager/adapter-pi";
import type { ViewMessage } from "@self-context-manager/core";
import { ownBreakpoints } from "@self-context-manager/core/host";
import {
  type AnthropicRequest,
  type BilledPrompt,
  markedPlaces,
  openAnthropicModel,
  type Reply,
} from "@self-context-manager/evaluate/loopback";
import { describe, expect, test } from "vitest";

import { openPiSdk } from "../src/pi-sdk.ts";
import { type PiVersion, piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";

const read = (id: string, ...paths: readonly string[]): Reply => ({
  type: "tool-calls",
  reasoning: "Let me look.",
  calls: paths.map((path, index) => ({ id: `${id}_${index}`, name: "read", arguments: { path } })),
});

/** Two prompts, with several results in one message, a failed tool call and a text that occurs twice. */
const replies: readonly Reply[] = [
  read("one", "a.txt"),
  read("two", "b.txt", "a.txt", "missing.txt"),
  read("three", "b.txt"),
  { type: "text", text: "done" },
  read("four", "a.txt"),
  { type: "text", text: "done" },
];

const files = { "a.txt": "a".repeat(8000), "b.txt": "b".repeat(8000) };

interface Session {
  readonly requests: readonly AnthropicRequest[];
  readonly billed: readonly BilledPrompt[];
  readonly failures: readonly string[];
}

/**
 * Runs a session whose breakpoints are placed at the boundaries of the view. The view is the list that Pi itself
 * would send.
 */
async function session(
  pi: PiVersion,
  options: { readonly apiKey?: string } = {},
): Promise<Session> {
  await using model = await openAnthropicModel({
    script: ({ index }) => replies[index] ?? { type: "text", text: "over" },
  });
  await using workspace = await openPiWorkspace({
    model,
    files,
    api: "anthropic-messages",
    reasoning: true,
    ...options,
  });
  let sent: readonly ViewMessage[] = [];
  let ends: readonly number[] = [];
  const extension = (host: {
    on(name: string, handler: (event: Readonly<Record<string, unknown>>) => unknown): void;
  }): void => {
    host.on("context", ({ messages }) => {
      // The list has no summary, so its messages are those of a view.
      sent = (messages as readonly unknown[]).map((one) => piCodec.decode(one) as ViewMessage);
      ends = [...ends, sent.length - 1].slice(-3);
    });
    host.on("before_provider_request", ({ payload }) => ownBreakpoints(payload, sent, ends));
  };
  await using sdk = await openPiSdk({ pi, workspace, factories: [extension] });
  await sdk.prompt("look around");
  await sdk.prompt("look around");
  return {
    requests: [...model.requests],
    billed: [...model.billed],
    failures: [...model.failures, ...sdk.errors],
  };
}

const sessions = new Map<string, Promise<Session>>();

async function known(pi: PiVersion, mode: keyof typeof modes): Promise<Session> {
  const key = `${pi.version} ${mode}`;
  const found = sessions.get(key) ?? session(pi, modes[mode]);
  sessions.set(key, found);
  return await found;
}

const modes = {
  key: {},
  subscription: { apiKey: "sk-ant-oat-loopback" },
} as const;

const cases = piVersions.flatMap((pi) =>
  (["key", "subscription"] as const).map((mode) => ({ pi, mode })),
);

describe.each(cases)("breakpoints in requests of Pi $pi.version with a $mode", ({ pi, mode }) => {
  test("are accepted by the provider in every request", async () => {
    const { requests, failures } = await known(pi, mode);

    expect(failures).toEqual([]);
    expect(requests).toHaveLength(replies.length);
  });

  test("are at the end of the system prompt and at the ends of the last three requests", async () => {
    const { requests } = await known(pi, mode);

    const counts = requests.map((request) => [
      request.systemBlocks.filter((block) => block["cache_control"] !== undefined).length,
      markedPlaces(request).length,
      request.blocks.filter(({ breakpoint }) => breakpoint !== undefined).length,
    ]);
    expect(counts).toEqual([
      [1, 1, 2],
      [1, 2, 3],
      [1, 3, 4],
      [1, 3, 4],
      [1, 3, 4],
      [1, 3, 4],
    ]);
  });

  test("are at the ends of the previous requests", async () => {
    const { requests } = await known(pi, mode);

    for (const [index, request] of requests.entries()) {
      const places = markedPlaces(request);
      const former = requests.slice(Math.max(0, index - 2), index).map(markedPlaces);
      expect(places.slice(0, -1)).toEqual(former.map((marked) => marked.at(-1)));
    }
  });

  test("let each request read the whole previous request from the cache", async () => {
    const { billed } = await known(pi, mode);

    for (const [index, { read: cached }] of billed.entries()) {
      const before = billed[index - 1];
      expect(cached).toBe(before === undefined ? 0 : before.read + before.written);
    }
  });
});
