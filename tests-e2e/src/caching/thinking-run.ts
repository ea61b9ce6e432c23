import { piExtension } from "@self-context-manager/adapter-pi";
import {
  type AnthropicRequest,
  openAnthropicModel,
  type Reply,
} from "@self-context-manager/evaluate/loopback";

import { openIn } from "../managed-run.ts";
import { openPiSdk } from "../pi-sdk.ts";
import type { PiVersion } from "../pi-versions.ts";
import { openPiWorkspace, type PiWorkspaceOptions } from "../pi-workspace.ts";
import { longAnswers, longProject } from "./long-session.ts";

/** How the user's model is described to Pi. */
export type BindingModel = Pick<PiWorkspaceOptions, "modelId" | "compat" | "reasoning">;

export interface ThinkingRunOptions {
  readonly pi: PiVersion;
  readonly model: BindingModel;
  /** Whether the model binds its thinking. Default: `bound`. */
  readonly thinking?: "free" | "bound";
  /** The environment that the extension reads. `undefined`: plain Pi without the extension. */
  readonly managed?: Readonly<Record<string, string>>;
}

export interface ThinkingRun {
  readonly requests: readonly AnthropicRequest[];
  /** Refused requests, and the errors of extensions. */
  readonly failures: readonly string[];
  readonly dropped: readonly string[];
}

/** The window is so small that the view exceeds its budget in the middle of the first turn. */
const contextWindow = 26_000;

/** Calls in each turn after the first one. */
const callsInTurn = 9;

/** The answers of the long session, by turn: a long turn, then short ones. The model thinks before each answer. */
const turns: readonly (readonly Reply[])[] = turnsOf(longAnswers);

/** The number of requests of the session. */
export const thinkingCalls: number = turns.flat().length;

function turnsOf([first = [], ...others]: readonly (readonly Reply[])[]): readonly Reply[][] {
  const calls = others.flat().filter(({ type }) => type === "tool-calls");
  const count = Math.ceil(calls.length / callsInTurn);
  const rest = Array.from({ length: count }, (_, turn): Reply[] => [
    ...calls.slice(turn * callsInTurn, (turn + 1) * callsInTurn),
    { type: "text", text: "This part is done." },
  ]);
  return [[...first], ...rest];
}

/**
 * Runs the long session in a real Pi, with a model that thinks before every answer. Before the last three prompts,
 * Pi is closed and the session is resumed.
 */
export async function thinkingRun(options: ThinkingRunOptions): Promise<ThinkingRun> {
  const { pi, managed, thinking = "bound" } = options;
  await using model = await openAnthropicModel({
    thinking,
    script: ({ index }) => thoughtReply(index),
  });
  await using workspace = await openPiWorkspace({
    ...options.model,
    model,
    api: "anthropic-messages",
    contextWindow,
    files: longProject,
  });
  const factories =
    managed === undefined ? [] : [piExtension({ openContext: openIn(workspace, managed) })];
  const failures: string[] = [];
  let sessionFile: string | undefined;
  const prompts = turns.map((_, turn) => `Please do part ${turn + 1} of the work.`);
  for (const part of [prompts.slice(0, -3), prompts.slice(-3)]) {
    await using sdk = await openPiSdk({
      pi,
      workspace,
      factories,
      deadlineMs: 60_000,
      ...(sessionFile === undefined ? {} : { sessionFile }),
    });
    for (const prompt of part) await sdk.prompt(prompt);
    sessionFile = sdk.session.sessionFile;
    failures.push(...sdk.errors);
  }
  return {
    requests: [...model.requests],
    failures: [...model.failures, ...failures],
    dropped: [...model.dropped],
  };
}

function thoughtReply(index: number): Reply {
  const reply = turns.flat()[index];
  if (reply === undefined) throw new RangeError(`the session has ${thinkingCalls} calls`);
  const reasoning = `Step ${index} needs some thought. `.repeat(8);
  return reply.type === "text" || reply.type === "tool-calls" ? { ...reply, reasoning } : reply;
}

/** A request whose earlier messages differ from those of the request before it. */
export interface RewrittenRequest {
  readonly index: number;
  /** Whether it is the first request of a turn, or one that brings results of tools. */
  readonly at: "turn" | "results";
}

/** Returns the requests whose earlier messages changed. Thinking is not compared. */
export function rewrittenRequests(
  requests: readonly AnthropicRequest[],
): readonly RewrittenRequest[] {
  return requests.flatMap((request, index): readonly RewrittenRequest[] => {
    const sent = requests[index - 1]?.messages.map(sayings) ?? [];
    const now = request.messages.map(sayings);
    if (sent.every((one, position) => one === now[position])) return [];
    const last = request.messages.findLast(({ role }) => role === "user");
    const isResult = last?.blocks.some(({ type }) => type === "tool_result") === true;
    return [{ index, at: isResult ? "results" : "turn" }];
  });
}

/** Returns a message without its thinking and its cache markers. Effort messages are empty and say nothing. */
function sayings({ role, blocks }: AnthropicRequest["messages"][number]): string {
  const said = blocks.filter(({ type }) => !String(type).includes("thinking"));
  return JSON.stringify([role, said.map(({ cache_control: _marker, ...block }) => block)]);
}

/** Returns the number of thinking blocks in a request. */
export function thinkingIn({ messages }: AnthropicRequest): number {
  const blocks = messages.flatMap((message) => message.blocks);
  return blocks.filter(({ type }) => String(type).includes("thinking")).length;
}
