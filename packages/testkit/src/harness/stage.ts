import assert from "node:assert/strict";

import type { HarnessHost, HostCall, HostOptions, OpenHost } from "./harness-host.ts";
import type { ModelReply, ModelRequest, ModelToolCall } from "./model-request.ts";
import { blue } from "./samples.ts";

/** The model's answer to one request: tool calls by their ids, either fixed or computed from the request. */
export type ScriptedStep = Calls | ((request: ModelRequest) => Calls);

/** Calls by their ids. Pairs can repeat an id. */
type Calls =
  | Readonly<Record<string, HostCall>>
  | readonly (readonly [id: string, call: HostCall])[];

/** A host that is driven by scripts. */
export interface Stage extends AsyncDisposable {
  readonly host: HarnessHost;
  /**
   * Sends a user message and has the model take the steps one after another. The model answers the request after the
   * last step with a text. Returns the requests of this run, one more than there are steps.
   */
  readonly say: (
    text: string,
    steps?: readonly ScriptedStep[],
    images?: readonly string[],
  ) => Promise<readonly ModelRequest[]>;
  /** Sends a user message and has the model's answer break off after `halfAnswer`. */
  readonly breakOff: (text: string) => Promise<void>;
  /** Has the provider refuse requests above this number of tokens from now on, as `tokensOf` counts them. */
  readonly limitTo: (tokens: number) => void;
  /** The requests that the provider refused. */
  readonly refused: readonly ModelRequest[];
  /** Sends a user message, whose request the provider can refuse. The model answers the first one that it accepts. */
  readonly tryToSay: (text: string) => Promise<void>;
}

/** The text of an answer that breaks off. */
export const halfAnswer = "half an answer";

/** The thinking that answers a request, given by its number from 0. */
export function thoughtOf(request: number): string {
  return `thought ${request}`;
}

export interface StageOptions extends Partial<Omit<HostOptions, "model" | "files">> {
  /** Whether the model thinks before each answer. Default: only if it binds its thinking. */
  readonly thinks?: boolean;
}

/** Opens a host with the sample files. By default the adapter is managed and the store works. */
export async function openStage(
  openHost: OpenHost,
  { thinks, ...options }: StageOptions = {},
): Promise<Stage> {
  let waiting: ScriptedStep[] = [];
  let breaksOff = false;
  let limit = Number.POSITIVE_INFINITY;
  const refused: ModelRequest[] = [];
  const failures: Error[] = [];
  let answers = 0;
  let thoughts = 0;

  const isThinking = thinks ?? options.thinking === "bound";

  /** Returns the answer with its thinking, or the provider's refusal. */
  function thoughtReply(request: ModelRequest): ModelReply {
    const tokens = tokensOf(request);
    if (tokens > limit) {
      refused.push(request);
      const refuses = `prompt is too long: ${tokens} tokens > ${limit} maximum`;
      return { text: "", calls: [], refuses };
    }
    const thinking = thoughtOf(thoughts);
    thoughts += 1;
    return { ...reply(request), ...(isThinking ? { thinking } : {}) };
  }

  function reply(request: ModelRequest): ModelReply {
    if (breaksOff) return { text: halfAnswer, calls: [], fails: true };
    const step = waiting.shift();
    if (step === undefined) {
      answers += 1;
      return { text: `answer ${answers}`, calls: [] };
    }
    const calls = typeof step === "function" ? step(request) : step;
    const pairs = isPairs(calls) ? calls : Object.entries(calls);
    for (const [, { name }] of pairs)
      assert.ok(
        !contextNames.has(name) || request.tools.includes(name),
        `the request offers the context tool ${name}; it offers ${request.tools.join(", ")}`,
      );
    return { text: "", calls: pairs.map(([id, call]) => toolCall(id, call)) };
  }

  const host = await openHost({
    adapter: "managed",
    brokenStore: false,
    compactsEagerly: false,
    settings: "defaults",
    thinking: "free",
    ...options,
    files: sampleFiles,
    model: (request) => {
      try {
        return thoughtReply(request);
      } catch (error) {
        // A host would report the error as a failed request. The scenario must fail with the error itself.
        failures.push(error instanceof Error ? error : new Error(String(error)));
        waiting = [];
        return { text: "stopped", calls: [] };
      }
    },
  });
  return {
    host,
    async say(text, steps = [], images = []) {
      const from = host.requests.length;
      waiting = [...steps];
      await endsWell(host.prompt(text, images));
      const [failure] = failures;
      if (failure !== undefined) throw failure;
      const requests = host.requests.slice(from);
      assert.equal(requests.length, steps.length + 1, `a run of ${steps.length} steps`);
      return requests;
    },
    async breakOff(text) {
      breaksOff = true;
      await endsWell(host.prompt(text));
      breaksOff = false;
    },
    limitTo: (tokens) => void (limit = tokens),
    refused,
    async tryToSay(text) {
      await endsWell(host.prompt(text));
    },
    [Symbol.asyncDispose]: async () => await host[Symbol.asyncDispose](),
  };
}

/** The context tools that the scenarios call. */
const contextNames: ReadonlySet<string> = new Set(["activate", "deactivate", "pin", "unpin"]);

/** Estimates the tokens of a request: one for four characters. */
export function tokensOf({ instruction, messages }: ModelRequest): number {
  return Math.ceil(instruction.length / 4) + messageTokens({ messages });
}

/** Estimates the tokens of a request's messages, without the instruction and the tools. */
export function messageTokens({ messages }: Pick<ModelRequest, "messages">): number {
  return Math.ceil(messages.reduce((sum, { bytes }) => sum + bytes.length, 0) / 4);
}

/** Waits for a run and fails the law if the run rejects: no fault of the context manager may end a run. */
async function endsWell(run: Promise<void>): Promise<void> {
  try {
    await run;
  } catch (error) {
    assert.fail(new assert.AssertionError({ message: `the run failed: ${String(error)}` }));
  }
}

function isPairs(calls: Calls): calls is Extract<Calls, readonly unknown[]> {
  return Array.isArray(calls);
}

function toolCall(id: string, { name, arguments: args }: HostCall): ModelToolCall {
  return { id, name, arguments: args };
}

/** Returns a text that occurs only in the sample file of this name. */
export const wordsOf = (name: string): string => `the words of ${name} stand here`;

/** The names of the sample files with text. Each file contains words that no other file contains. */
export const textNames = ["a", "b", "c", "d", "e", "f", "g"] as const;

/** The text that makes a file long enough to leave the view, with every setting. */
const more = "and more words, as each of the files has them, which say nothing\n".repeat(12);

/** The names of further sample files with text. Together they are more than any setting keeps. */
export const crowdNames: readonly string[] = Array.from({ length: 20 }, (_, index) => `n${index}`);

/** The name of a file whose content is as long as those of all other files together. */
export const longName = "long";

const sampleFiles: HostOptions["files"] = {
  ...Object.fromEntries(
    [...textNames, ...crowdNames].map((name) => [`${name}.txt`, `${wordsOf(name)}\n${more}`]),
  ),
  [`${longName}.txt`]: `${wordsOf(longName)}\n${more.repeat(30)}`,
  "p.png": Buffer.from(blue, "base64"),
};

/** Returns a call of one of the context tools. */
export function contextCall(
  name: "activate" | "deactivate" | "pin" | "unpin",
  id: string,
): HostCall {
  return { name, arguments: { id } };
}

/** Returns one step for each of these names, which calls `show` on the file. */
export function showing(host: HarnessHost, names: readonly string[]): readonly ScriptedStep[] {
  return names.map((name) => ({ [`show_${name}`]: host.calls.show(`${name}.txt`) }));
}
