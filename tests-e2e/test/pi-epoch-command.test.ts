import { piExtension } from "@self-context-manager/adapter-pi";
import {
  type AnthropicRequest,
  openAnthropicModel,
  type Reply,
  toolCalls,
} from "@self-context-manager/evaluate/loopback";
import { describe, expect, test } from "vitest";

import { openIn } from "../src/managed-run.ts";
import { openPiSdk } from "../src/pi-sdk.ts";
import { type PiVersion, piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";

const words = "for i in $(seq 1 120); do echo line $i of the long output; done";

/** Replies that deactivate a long output, so that an epoch ends with the next prompt. */
const replies: readonly Reply[] = [
  toolCalls(["call_run_0", "bash", { command: words }]),
  toolCalls(["call_read_0", "read", { path: "a.txt" }]),
  toolCalls(
    ["call_drop_0", "deactivate", { id: "t1" }],
    ["call_drop_1", "deactivate", { id: "f1" }],
  ),
  { type: "text", text: "done" },
  { type: "text", text: "still done" },
  { type: "text", text: "done again" },
];

interface Run {
  readonly requests: readonly AnthropicRequest[];
  readonly listed: string;
  readonly restored: string;
  readonly failures: readonly string[];
}

async function run(pi: PiVersion): Promise<Run> {
  await using model = await openAnthropicModel({
    script: ({ index }) => replies[index] ?? { type: "text", text: "over" },
  });
  await using workspace = await openPiWorkspace({
    model,
    api: "anthropic-messages",
    files: { "a.txt": "contents of a.txt\n".repeat(200) },
  });
  const extension = piExtension({ openContext: openIn(workspace, {}) });
  const notices: string[] = [];
  const ui = { notify: (text: string) => void notices.push(text), setStatus: () => undefined };
  await using sdk = await openPiSdk({ pi, workspace, factories: [extension], ui });
  await sdk.prompt("work");
  await sdk.prompt("go on");
  await sdk.prompt("/context");
  await sdk.prompt("/context restore");
  await sdk.prompt("go on");
  const [listed = "", restored = ""] = notices;
  return {
    requests: [...model.requests],
    listed,
    restored,
    failures: [...model.failures, ...sdk.errors],
  };
}

const runs = new Map<PiVersion, Promise<Run>>();

async function known(pi: PiVersion): Promise<Run> {
  const found = runs.get(pi) ?? run(pi);
  runs.set(pi, found);
  return await found;
}

const said = (request: AnthropicRequest | undefined): string =>
  (request?.messages ?? []).map(({ text }) => text).join("\n");

interface CompactedRun {
  readonly requests: readonly AnthropicRequest[];
  /** The answers of `/context` directly after the compaction, and of `/context restore` then and after the next call. */
  readonly answers: readonly string[];
  readonly statuses: readonly (string | undefined)[];
  readonly failures: readonly string[];
}

/** A run in which the user compacts the chat after a file was read. */
async function compactedRun(pi: PiVersion): Promise<CompactedRun> {
  const steps: readonly Reply[] = [
    toolCalls(["call_read_0", "read", { path: "a.txt" }]),
    { type: "text", text: "read" },
    { type: "text", text: "A summary of the work." },
    { type: "text", text: "after the compaction" },
    { type: "text", text: "restored" },
  ];
  await using model = await openAnthropicModel({
    script: ({ index }) => steps[index] ?? { type: "text", text: "over" },
  });
  await using workspace = await openPiWorkspace({
    model,
    api: "anthropic-messages",
    files: { "a.txt": "contents of a.txt\n".repeat(2_000) },
    settings: { compaction: { enabled: true, keepRecentTokens: 100 } },
  });
  const extension = piExtension({ openContext: openIn(workspace, {}) });
  const answers: string[] = [];
  const statuses: (string | undefined)[] = [];
  const ui = {
    notify: (text: string) => void answers.push(text),
    setStatus: (_key: string, text: string | undefined) => void statuses.push(text),
  };
  await using sdk = await openPiSdk({ pi, workspace, factories: [extension], ui });
  await sdk.prompt("read a.txt");
  await sdk.session.compact();
  await sdk.prompt("/context");
  await sdk.prompt("/context restore");
  await sdk.prompt("go on");
  await sdk.prompt("/context restore");
  await sdk.prompt("go on");
  const failures = [...model.failures, ...sdk.errors];
  return { requests: [...model.requests], answers, statuses, failures };
}

describe.each(piVersions)("/context after /compact on Pi $version", (pi) => {
  test("says what the next call changes, and restores after it", async () => {
    const { requests, answers, statuses, failures } = await compactedRun(pi);
    const [listed, early, restored] = answers;

    expect(failures).toEqual([]);
    expect(requests).toHaveLength(5);
    expect(listed).toMatch(/with the next call\. The list above is from before\.$/u);
    expect(early).toMatch(/Run \/context restore after it\.$/u);
    expect(statuses).toContain("ctx compacted: new figures with the next call");
    expect(statuses.at(-1)).toMatch(/^ctx \d/u);
    expect(said(requests[3])).toContain("A summary of the work.");
    expect(said(requests[3])).not.toContain("contents of a.txt");
    expect(restored).toMatch(/^1 object is active again: f1\.$/u);
    expect(said(requests[4])).toContain("contents of a.txt");
  });
});

describe.each(piVersions)("/context on Pi $version", (pi) => {
  test("answers after an epoch has ended, without an error", async () => {
    const { requests, failures } = await known(pi);

    expect(failures).toEqual([]);
    expect(requests).toHaveLength(replies.length);
  });

  test("lists the objects that left the view with the last epoch, the reason, and three kinds of figures", async () => {
    const { listed } = await known(pi);

    expect(listed).toMatch(
      /^0 of 2 known objects are active\.\nf1 +inactive +a\.txt .*\nt1 +inactive +bash /u,
    );
    expect(listed).toMatch(/\nIn view, estimated: \d/u);
    expect(listed).toMatch(/\nUnchanged, by the bytes of the messages: the first \d+ %/u);
    expect(listed).toMatch(/\nCost of 5 calls, .* of plain Pi, estimated\./u);
    expect(listed).toMatch(/\nLast call, reported by the provider: [\d.k]+ tokens read/u);
    expect(listed).toMatch(
      /\nPrices \(from Pi\), relative to uncached input: cache read 0.1, cache write 1.25/u,
    );
    expect(listed).toMatch(
      /\nEpoch 2, \d+ calls? so far\. The previous epoch ended because the cost of sending/u,
    );
    expect(listed).toMatch(/\nRemoved from the view then: .*t1 bash.*f1 a\.txt/u);
  });

  test("restores the removed contents with the next call", async () => {
    const { requests, restored } = await known(pi);

    expect(restored).toMatch(/^2 objects are active again: /u);
    expect(said(requests[3])).toContain("line 120 of the long output");
    expect(said(requests[4])).not.toContain("line 120 of the long output");
    expect(said(requests[4])).not.toContain("contents of a.txt");
    expect(said(requests[5])).toContain("line 120 of the long output");
    expect(said(requests[5])).toContain("contents of a.txt");
  });
});
