import {
  automaticPrefixCache,
  type BilledPrompt,
  openAnthropicModel,
  openLoopbackModel,
  type Reply,
  type ScriptedToolCall,
  type WireMessage,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";

import { illegalities } from "../wire-rules.ts";
import { wireOfAnthropic } from "./anthropic-wire.ts";
import { type Gateway, type GatewayOptions, openGateway } from "./gateway.ts";

/** The model's answer to one request: tool calls, each with its tool and arguments. */
export type PlayedStep =
  | readonly PlayedCall[]
  | ((request: WireRequest) => readonly PlayedCall[] | Reply);

export type PlayedCall = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** A gateway whose model plays scripts. */
export interface PlayedGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  /**
   * Sends a prompt to a session. The model makes the steps one after another and then answers with a text. Returns the
   * requests of the turn.
   */
  turn(
    text: string,
    steps?: readonly PlayedStep[],
    session?: string,
  ): Promise<readonly PlayedRequest[]>;
  /**
   * Has the model make these steps in a session that the host begins by itself, for example that of a sub-agent. `prefix`
   * is the beginning of the session's key.
   */
  plan(prefix: string, steps: readonly PlayedStep[]): void;
  /** Returns the keys of the sessions that have had a request, in the order of their first ones. */
  sessions(): readonly string[];
  /** Returns the requests of a session up to now. */
  requestsOf(session?: string): readonly PlayedRequest[];
  /** Has the provider refuse requests whose messages have more bytes than this. */
  limitTo(bytes: number): void;
  /** The number of refused requests. */
  readonly refused: number;
  /** Errors of the script. A test expects none. */
  readonly failures: readonly string[];
}

export interface PlayedRequest {
  readonly wire: WireRequest;
  readonly bill: BilledPrompt;
  /** The messages without the system prompt and without the host's own text behind them. */
  readonly messages: readonly WireMessage[];
  /** The texts of the messages, joined. */
  readonly text: string;
}

/** The session of a prompt that names none. */
const usualSession = "agent:main:e2e";

export async function playedGateway(
  options: Omit<GatewayOptions, "model">,
): Promise<PlayedGateway> {
  const plans = new Map<string, PlayedStep[]>();
  let calls = 0;
  let limit = Number.POSITIVE_INFINITY;
  let refused = 0;
  const model = await openPlayedModel(options.api, script);
  const gateway = await openGateway({ ...options, model: model.url });

  function script(request: WireRequest): Reply {
    const size = bytesOf(messagesOf(request));
    if (size > limit) {
      refused += 1;
      return refusal(size, limit);
    }
    const step = planOf(sessionOf(request) ?? "")?.shift();
    if (step === undefined) return { type: "text", text: "done" };
    const made = typeof step === "function" ? step(request) : step;
    return "type" in made ? made : { type: "tool-calls", calls: made.map(scriptedCall) };
  }

  function planOf(session: string): PlayedStep[] | undefined {
    const begun = [...plans.keys()].find((prefix) => session.startsWith(prefix));
    return plans.get(session) ?? (begun === undefined ? undefined : plans.get(begun));
  }

  function scriptedCall([name, args]: PlayedCall): ScriptedToolCall {
    calls += 1;
    // Ids as the providers give them. The host changes those of chat completions in later turns.
    const id = options.api === "anthropic-messages" ? `toolu_${calls}` : `call_${calls}`;
    return { id, name, arguments: args };
  }

  /** The requests of each session. A week has thousands, so each is read once. */
  const bySession = new Map<string, PlayedRequest[]>();
  let known = 0;

  function readRequests(): void {
    // The model bills each request that it answers, in their order.
    for (const wire of model.requests.slice(known)) {
      const messages = messagesOf(wire);
      const text = messages.map((message) => message.text).join("\n");
      const bill = model.billed[known] ?? { input: 0, read: 0, written: 0 };
      const session = sessionOf(wire) ?? "";
      bySession.set(session, [...(bySession.get(session) ?? []), { wire, messages, text, bill }]);
      known += 1;
    }
  }

  function requestsOf(session = usualSession): readonly PlayedRequest[] {
    readRequests();
    return bySession.get(session) ?? [];
  }

  return {
    gateway,
    async turn(text, steps = [], session = usualSession) {
      const before = requestsOf(session).length;
      plans.set(session, [...steps]);
      await gateway.prompt({ text, sessionKey: session });
      return requestsOf(session).slice(before);
    },
    plan: (prefix, steps) => void plans.set(prefix, [...steps]),
    sessions() {
      readRequests();
      return [...bySession.keys()];
    },
    requestsOf,
    limitTo: (bytes) => void (limit = bytes),
    get refused() {
      return refused;
    },
    failures: model.failures,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

interface PlayedModel extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly WireRequest[];
  readonly billed: readonly BilledPrompt[];
  readonly failures: readonly string[];
}

async function openPlayedModel(
  api: GatewayOptions["api"],
  script: (request: WireRequest) => Reply,
): Promise<PlayedModel> {
  // With OpenAI's steps of 128 tokens, the cost of a short session depends on where its prompts end.
  if (api !== "anthropic-messages")
    return await openLoopbackModel({ cache: automaticPrefixCache({ step: 1 }), script });
  const requests: WireRequest[] = [];
  const server = await openAnthropicModel({
    script: (request) => {
      const wire = wireOfAnthropic(request);
      requests.push(wire);
      return script(wire);
    },
  });
  return {
    url: server.url,
    requests,
    billed: server.billed,
    failures: server.failures,
    [Symbol.asyncDispose]: async () => await server[Symbol.asyncDispose](),
  };
}

/** Returns the session of a request, which the host names in the system prompt or behind the first message of a user. */
function sessionOf({ messages }: WireRequest): string | undefined {
  const first = messages.find(({ role }) => role === "user");
  const begin = [...messages.filter(({ role }) => role === "system"), first];
  const text = begin.map((message) => message?.text ?? "").join("\n");
  return /\nRuntime: agent=\S+ \| session=(\S+) /u.exec(text)?.[1];
}

function messagesOf({ messages }: WireRequest): readonly WireMessage[] {
  return messages.filter(
    ({ role, text }) => role !== "system" && !text.includes("BEGIN_OPENCLAW_INTERNAL_CONTEXT"),
  );
}

function bytesOf(messages: readonly WireMessage[]): number {
  return messages.reduce((sum, { raw }) => sum + JSON.stringify(raw).length, 0);
}

function refusal(size: number, limit: number): Reply {
  const message = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${size} tokens.`;
  const details = { type: "invalid_request_error", code: "context_length_exceeded" };
  return { type: "error", status: 400, message, details };
}

/** Returns how many messages at the beginning of a request are those of the request before it. */
export function keptMessages(
  before: PlayedRequest | undefined,
  after: PlayedRequest | undefined,
): number {
  const [old, now] = [before, after].map((request) =>
    request?.messages.map(({ raw }) => JSON.stringify(raw)),
  );
  const changed = (old ?? []).findIndex((one, index) => one !== now?.[index]);
  return changed === -1 ? (old ?? []).length : changed;
}

/** Returns the places of the requests that do not begin with all messages of the request before them. */
export function changesOf(requests: readonly PlayedRequest[]): readonly number[] {
  return requests.flatMap((request, index) => {
    const before = requests[index - 1];
    return before === undefined || keptMessages(before, request) === before.messages.length
      ? []
      : [index];
  });
}

/** Returns what a provider would refuse in these requests, and the errors of the model's script. */
export function errorsOf(
  played: PlayedGateway,
  requests: readonly PlayedRequest[],
): readonly string[] {
  return [...requests.flatMap(({ wire }) => illegalities(wire)), ...played.failures];
}
