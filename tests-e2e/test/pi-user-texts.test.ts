import { piExtension } from "@self-context-manager/adapter-pi";
import { epochLayout } from "@self-context-manager/core";
import { type RebuiltView, viewHistory } from "@self-context-manager/core/inspect";
import {
  type AnthropicRequest,
  openAnthropicModel,
  type Reply,
  toolCalls,
} from "@self-context-manager/evaluate/loopback";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { describe, expect, it } from "vitest";

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { openIn } from "../src/managed-run.ts";
import { openPiSdk } from "../src/pi-sdk.ts";
import { type PiVersion, piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";

/** A text of about 5,000 tokens. */
const log = Array.from({ length: 900 }, (_, line) => `line ${line + 1} of a long log\n`).join("");
const paste = `Why does this fail?\n${log}Answer in one sentence.`;
const middle = "line 300 of a long log\n";

const replies: readonly Reply[] = [
  toolCalls(
    ...["one", "two"].map((word) => [`call_${word}`, "bash", { command: `echo ${word}` }] as const),
  ),
  { type: "text", text: "I do not know yet." },
  { type: "text", text: "Let me think." },
  { type: "text", text: "It is in the log." },
  { type: "text", text: "I look for it." },
  toolCalls(["call_show_0", "activate", { id: "u1" }]),
  { type: "text", text: "Line 300 is the reason." },
];

interface Run {
  readonly requests: readonly AnthropicRequest[];
  readonly sessionFile: string;
  readonly views: readonly RebuiltView[];
  readonly failures: readonly string[];
}

async function run(pi: PiVersion): Promise<Run> {
  await using model = await openAnthropicModel({
    script: ({ index }) => replies[index] ?? { type: "text", text: "over" },
  });
  await using workspace = await openPiWorkspace({ model, api: "anthropic-messages", files: {} });
  const settings = { SCM_SETTING: "thrifty", SCM_ALIVE: "1", SCM_KEPT: "1" };
  const factories = [piExtension({ openContext: openIn(workspace, settings) })];
  let sessionFile = "";
  let sessionId = "";
  const failures: string[] = [];
  {
    await using sdk = await openPiSdk({ pi, workspace, factories });
    await sdk.prompt(paste);
    await sdk.prompt("what now");
    await sdk.prompt("which line");
    await sdk.prompt("look for it");
    await sdk.prompt("and now");
    ({ sessionId } = sdk.session);
    sessionFile = await readFile(sdk.session.sessionFile ?? "", "utf8");
    failures.push(...model.failures, ...sdk.errors);
  }
  await using store = await openSqliteStore({ path: join(workspace.agentFolder, "store.sqlite") });
  const history = await viewHistory(store, [epochLayout()], { harness: "pi", sessionId });
  const views: RebuiltView[] = [];
  for (let call = 1; call <= (history?.count ?? 0); call += 1) {
    const view = await history?.rebuild(call);
    if (view !== undefined) views.push(view);
  }
  return { requests: [...model.requests], sessionFile, views, failures };
}

const said = (request: AnthropicRequest | undefined): readonly string[] =>
  (request?.messages ?? []).map(({ text }) => text);

describe.each(piVersions)("a pasted log in Pi $version", (pi) => {
  it("leaves by its ends when an epoch ends, and activate brings it back", async () => {
    const { requests, sessionFile, views, failures } = await run(pi);

    expect(failures).toEqual([]);
    expect(requests).toHaveLength(replies.length);
    for (const request of requests.slice(0, 2)) expect(said(request)[0]).toBe(paste);
    const [first] = said(requests.at(-2));
    expect(first).toMatch(/^Why does this fail\?\nline 1 of a long log\n/u);
    expect(first).toMatch(
      /\n\[\d+ characters not shown; activate u1 shows all, or lines from and to\]\n/u,
    );
    expect(first).toMatch(/\nline 900 of a long log\nAnswer in one sentence\.$/u);
    expect(said(requests.at(-2)).join("\n")).not.toContain(middle);
    expect(said(requests.at(-1))[0]).toBe(first);
    expect(said(requests.at(-1)).at(-1)).toContain(`u1 user message v1\n~~~\n${paste}\n~~~`);

    const recorded = sessionFile.split("\n").filter((line) => line.includes('"role":"user"'));
    expect(recorded[0]).toContain(JSON.stringify(paste).slice(1, -1));
    expect(sessionFile).not.toContain("characters not shown");
    expect(views).toHaveLength(requests.length);
    expect(views.flatMap(({ problems }) => problems)).toEqual([]);
  });
});
