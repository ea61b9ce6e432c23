import { openAnthropicModel } from "../loopback/anthropic-model.ts";
import { openLoopbackModel } from "../loopback/loopback-model.ts";
import { estimateTokens, type Reply } from "../loopback/loopback-reply.ts";
import { automaticPrefixCache, markedPrefixCache } from "../loopback/prefix-cache.ts";
import type { ModelAccess } from "../model/model-access.ts";
import type { LogEntry, Mind } from "./mind.ts";
import { seenAnthropic, seenCompletions, type SeenRequest } from "./seen-request.ts";

/** The APIs that models for tests are served over. */
export type TestModelApi = "anthropic-messages" | "openai-completions";

/** A model for tests on a loopback port. It is for one run: it has a state. */
export interface TestModel extends AsyncDisposable {
  readonly access: ModelAccess;
  /** What a host did against the rules of the API, and what the model could not do. A run without faults has none. */
  readonly failures: readonly string[];
  /** What it answered, in order. */
  readonly log: readonly LogEntry[];
}

export interface ServeOptions {
  readonly id: string;
  readonly mind: Mind;
  readonly api: TestModelApi;
  /** Tokens. */
  readonly contextWindow: number;
  readonly log: LogEntry[];
  readonly failures: string[];
}

/** The usual prices of a large model of Anthropic's, so that money is reported. */
const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** The clock of the caches does not move, so a slow machine has the same figures as a fast one. */
const now = (): number => 0;

/** Serves a mind over a provider's API. */
export async function serveMind(options: ServeOptions): Promise<TestModel> {
  const { id, api, contextWindow, log, failures } = options;
  const answer = answering(options);
  const server =
    api === "anthropic-messages"
      ? await openAnthropicModel({
          script: (request) => answer(seenAnthropic(request)),
          cache: markedPrefixCache({ now }),
        })
      : await openLoopbackModel({
          script: (request) => answer(seenCompletions(request, estimateTokens(request.promptText))),
          cache: automaticPrefixCache({ now }),
        });
  return {
    access: {
      provider: "test",
      id,
      api,
      url: server.url,
      key: "loopback-key",
      contextWindow,
      maxTokens: 8_192,
      isReasoning: false,
      prices,
    },
    log,
    get failures() {
      return [...failures, ...server.failures];
    },
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}

/** Answers what every model answers in the same way, and gives all else to the mind. */
function answering({ mind, api, contextWindow, log }: ServeOptions): (seen: SeenRequest) => Reply {
  let last: { readonly key: string; readonly reply: Reply } | undefined;
  return (seen) => {
    if (seen.tokens > contextWindow) {
      log.push({ deed: "over-window", detail: `${String(seen.tokens)} tokens` });
      return overWindow(api, seen.tokens, contextWindow);
    }
    if (seen.tools.length === 0) {
      log.push({ deed: "no-tools", detail: beginningOf(seen) });
      return { type: "text", text: "A short text." };
    }
    const key = JSON.stringify(seen.messages);
    if (last?.key === key) {
      log.push({ deed: "repeat", detail: "the same request again" });
      return last.reply;
    }
    last = { key, reply: mind.answer(seen) };
    return last.reply;
  };
}

function beginningOf({ messages }: SeenRequest): string {
  return (messages.at(-1)?.text ?? "").slice(0, 80).replaceAll(/\s+/gu, " ");
}

/** The errors by which hosts recognise that a request is too long. */
function overWindow(api: TestModelApi, tokens: number, most: number): Reply {
  if (api === "anthropic-messages")
    return {
      type: "error",
      status: 400,
      message: `prompt is too long: ${String(tokens)} tokens > ${String(most)} maximum`,
    };
  return {
    type: "error",
    status: 400,
    message: `This model's maximum context length is ${String(most)} tokens. However, your messages resulted in ${String(tokens)} tokens. Please reduce the length of the messages.`,
    details: {
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    },
  };
}
