import { piExtension } from "@self-context-manager/adapter-pi";
import {
  openLoopbackModel,
  type Reply,
  type Responder,
  toolCalls,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";

import { openIn } from "../src/managed-run.ts";
import { openPiSdk } from "../src/pi-sdk.ts";
import { everyPiVersion, type PiVersion, piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace, type PiWorkspace } from "../src/pi-workspace.ts";

const short = "The parser keeps the old format, because the clients need it.";
const long = "Decided: the old format stays, because three clients read it.";
const talk = "The parser reads each line again and again. ".repeat(20);
const asksForSummary = "You summarize one finished turn";

const steps: readonly Reply[] = [
  toolCalls(["call_1", "bash", { command: "seq 1 2000" }]),
  toolCalls(["call_2", "bash", { command: `true ${talk}` }]),
  toolCalls(["call_3", "bash", { command: `true ${talk}` }]),
  { type: "text", text: `${talk} The parser is faster now.` },
  toolCalls(["call_4", "deactivate", { id: "t1" }]),
  { type: "text", text: "Removed." },
  toolCalls(["call_5", "activate", { id: "chat", turn: 1, field: "long_summary" }]),
  { type: "text", text: "The old format stays." },
];

interface Run {
  readonly notices: readonly string[];
  /** The requests of the session, and those for a summary. */
  readonly chat: readonly WireRequest[];
  readonly asked: readonly WireRequest[];
}

function isForSummary({ messages }: WireRequest): boolean {
  return JSON.stringify(messages).includes(asksForSummary);
}

/** Three prompts in one session of Pi. `summary`: the answer of the model to a request for a summary. */
async function run(
  pi: PiVersion,
  summary: Reply,
  check: (made: Run) => Promise<void>,
  { isOn = true } = {},
): Promise<void> {
  let step = 0;
  const script: Responder = (request) => {
    if (isForSummary(request)) return summary;
    step += 1;
    return steps[step - 1] ?? { type: "text", text: "Nothing more." };
  };
  await using model = await openLoopbackModel({ script });
  await using workspace = await openPiWorkspace({ model, files: {} });
  // An epoch ends as soon as a deactivated content can leave.
  const epochs = { share: 0.01, shareAtTurn: 0.01, shareDeactivated: 0.01, folds: { age: 0 } };
  const environment = { SCM_EPOCHS: JSON.stringify(epochs) };
  const extension = piExtension({
    openContext: openIn(workspace, environment),
    ...(isOn ? { summaries: {} } : {}),
  });
  const notices: string[] = [];
  await using sdk = await openPiSdk({
    pi,
    workspace,
    factories: [extension],
    ui: { notify: (text: string) => void notices.push(text), setStatus: () => undefined },
  });
  await sdk.prompt("Make the parser faster.");
  // The request is made between the prompts, and nothing waits for it.
  if (isOn && summary.type === "text")
    await vi.waitFor(async () => await stored(workspace), { timeout: 20_000 });
  await sdk.prompt("Remove the first output.");
  await sdk.prompt("What was decided?");
  await sdk.prompt("/context");
  expect(sdk.errors).toEqual([]);
  const chat = model.requests.filter((request) => !isForSummary(request));
  await check({ notices, chat, asked: model.requests.filter(isForSummary) });
}

/** Rejects until a summary is stored. */
async function stored({ agentFolder }: PiWorkspace): Promise<void> {
  await using store = await openSqliteStore({ path: join(agentFolder, "store.sqlite") });
  const { items } = await store.find({ where: { type: "summary" } });
  if (items.length === 0) throw new Error("no summary is stored");
}

function textOf(request: WireRequest | undefined): string {
  return (request?.messages ?? []).map(({ text }) => text).join("\n");
}

const good: Reply = {
  type: "text",
  text: JSON.stringify({ short_summary: short, long_summary: long }),
};

const completing = piVersions.filter(({ settles }) => settles);

describe.each(completing)("summaries by the session's model in Pi $version", (pi) => {
  it("are asked for once, outside the session, shown in the fold and opened by the turn", async () => {
    await run(pi, good, async ({ chat, asked, notices }) => {
      const [request] = asked;
      expect(request?.messages.map(({ role }) => role)).toEqual([expect.any(String), "user"]);
      expect(request?.tools).toEqual([]);
      expect(textOf(request)).toContain("Make the parser faster.");
      expect(chat).toHaveLength(steps.length);
      const [before, after] = [chat.slice(0, 4).map(textOf).join("\n"), textOf(chat[6])];
      expect(before).not.toContain(short);
      expect(after).toContain(`summary: ${short}`);
      expect(after).toContain("calls of turn 1 are folded; activate chat with turn 1 shows them]");
      // Pi sends the texts of an answer as one, and the fence of the fold is closed in it.
      expect(after).toContain(`\n~~~\n${talk}`);
      expect(textOf(chat[7])).toContain(
        `The long_summary of turn 1 of chat, written by a model:\n~~~\n${long}\n~~~`,
      );
      expect(notices.join("\n")).toMatch(
        /Summaries by loopback\/loopback-1: \d turns?, \d calls?, [\d.k]+ tokens read and \d+ written, \$0\.\d+/u,
      );
      await Promise.resolve();
    });
  });

  it("that are refused change no request", async () => {
    const refused: Reply = { type: "error", status: 429, message: "too many requests" };
    let without: readonly string[] = [];
    await run(
      pi,
      refused,
      async ({ chat }) => void (without = await Promise.resolve(chat.map(bodyOf))),
      { isOn: false },
    );
    await run(pi, refused, async ({ chat, asked, notices }) => {
      expect(asked.length).toBeGreaterThan(0);
      expect(chat.map(bodyOf)).toEqual(without);
      expect(notices.join("\n")).toContain("The last request for a summary brought none: ");
      await Promise.resolve();
    });
  });
});

/** The messages of a request without what differs between two runs. */
function bodyOf({ messages }: WireRequest): string {
  return JSON.stringify(messages).replaceAll(/scm-pi-\w+/gu, "FOLDER");
}

describe("summaries in Pi 0.73.1", () => {
  it("are not made, and the user's command names the release that they need", async () => {
    const [oldest = piVersions[0]] = everyPiVersion;
    await run(oldest as PiVersion, { type: "error", status: 500, message: "no" }, async (made) => {
      expect(made.asked).toEqual([]);
      expect(made.notices.join("\n")).toContain("summaries need Pi 0.87 or newer");
      await Promise.resolve();
    });
  });
});
