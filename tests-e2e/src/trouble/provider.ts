import {
  automaticPrefixCache,
  type BilledPrompt,
  openAnthropicModel,
  openLoopbackModel,
  type Reply,
} from "@self-context-manager/evaluate/loopback";

import type { PiWorkspaceOptions } from "../pi-workspace.ts";
import { illegalities } from "../wire-rules.ts";
import { type ProviderWindow, refusalOf } from "./refusals.ts";
import { sentByAnthropic, sentByOpenAi, type SentRequest } from "./sent-request.ts";

/** The API that the loopback provider speaks. */
export type Api = "openai-completions" | "anthropic-messages";

export const apis: readonly Api[] = ["openai-completions", "anthropic-messages"];

export interface Provider extends AsyncDisposable {
  readonly model: PiWorkspaceOptions["model"];
  /** All requests up to now, with those that were refused. */
  readonly requests: readonly SentRequest[];
  /** The bill of each request, by the rules of the API's provider. */
  readonly billed: readonly BilledPrompt[];
  /** The indexes of the requests that the provider refused as too long. */
  readonly refused: ReadonlySet<number>;
  /** Errors: exceptions of the script, and requests that the real server would refuse. A test expects none. */
  readonly failures: readonly string[];
}

export interface ProviderOptions {
  readonly api: Api;
  readonly window: ProviderWindow | undefined;
  /** Returns the answer to a request that the provider accepts. */
  readonly answer: (request: SentRequest) => Promise<Reply>;
}

/** Opens a loopback provider that refuses prompts above its window. */
export async function openProvider({ api, window, answer }: ProviderOptions): Promise<Provider> {
  const requests: SentRequest[] = [];
  const refused = new Set<number>();
  const illegal: string[] = [];

  async function respond(request: SentRequest): Promise<Reply> {
    requests.push(request);
    const refusal = refusalOf(window, request.promptTokens);
    if (refusal === undefined) return await answer(request);
    refused.add(request.index);
    return refusal;
  }

  if (api === "anthropic-messages") {
    const server = await openAnthropicModel({
      script: async (request) => await respond(sentByAnthropic(request)),
    });
    return {
      model: server,
      requests,
      billed: server.billed,
      refused,
      failures: server.failures,
      [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
    };
  }
  const server = await openLoopbackModel({
    // With OpenAI's steps of 128 tokens, the cost of a short session depends on where its prompts end.
    cache: automaticPrefixCache({ step: 1 }),
    script: async (request) => {
      illegal.push(...illegalities(request).map((fault) => `request ${request.index}: ${fault}`));
      return await respond(sentByOpenAi(request));
    },
  });
  return {
    model: server,
    requests,
    billed: server.billed,
    refused,
    get failures() {
      return [...server.failures, ...illegal];
    },
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}
