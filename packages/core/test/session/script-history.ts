import { isJsonObject, type JsonObject } from "@self-context-manager/objects";
import type {
  AssistantMessage,
  Block,
  Message,
  ToolResultMessage,
  UserMessage,
} from "../../src/chat/message.ts";
import { readList } from "../../src/host/read-list.ts";
import type { ToolAnswer } from "../../src/session/answers.ts";
import type { ContextSession } from "../../src/session/context-session.ts";
import { hostText } from "../../src/session/answers.ts";
import { answerDetails } from "../../src/session/answers.ts";
import { plainCodec } from "./test-session.ts";

/** A host's message list that a script extends. Each message gets the next millisecond. */
export interface ScriptedHistory {
  readonly messages: Message[];
  user(content: UserMessage["content"]): void;
  /** The assistant calls a tool, and the tool answers. */
  call(
    tool: string,
    args: JsonObject,
    output: string | readonly Block[],
    options?: CallScript,
  ): string;
  /** The assistant writes text and calls no tool. */
  say(text: string, meta?: JsonObject): void;
  /** The assistant calls a context tool, which runs on the session. */
  ask(
    tool: string,
    args: JsonObject,
    run: (callId: string) => Promise<ToolAnswer>,
  ): Promise<ToolAnswer>;
  /** The assistant calls the context tool `read`, which runs on the session. */
  read(session: ContextSession, path: string): Promise<ToolAnswer>;
  push(message: Message): void;
  /** Ingests the messages into a session. */
  ingest(session: ContextSession): ReturnType<ContextSession["ingest"]>;
}

interface CallScript {
  readonly isError?: boolean;
  readonly id?: string;
  readonly details?: JsonObject;
  readonly wholeText?: string;
}

/** Starts an empty history; times begin at a fixed point. */
export function scriptHistory(start = 1_700_000_000_000): ScriptedHistory {
  const messages: Message[] = [];
  let time = start;
  let calls = 0;
  const stamp = (): { readonly timestamp: number } => {
    time += 1;
    return { timestamp: time };
  };
  const assistant = (content: readonly Block[], meta: JsonObject = {}): AssistantMessage => ({
    role: "assistant",
    content,
    meta: { api: "test", provider: "test", model: "test-1", stopReason: "stop", ...meta },
    ...translated(meta),
    ...stamp(),
  });
  const nextId = (): string => {
    calls += 1;
    return `call_${calls}`;
  };
  const result = (
    id: string,
    tool: string,
    output: string | readonly Block[],
    options: CallScript = {},
  ): ToolResultMessage => ({
    role: "toolResult",
    toolCallId: id,
    toolName: tool,
    content: typeof output === "string" ? [{ type: "text", text: output }] : output,
    isError: options.isError === true,
    ...(options.details === undefined ? {} : { details: options.details }),
    ...(options.wholeText === undefined ? {} : { wholeText: options.wholeText }),
    ...stamp(),
  });
  const ask: ScriptedHistory["ask"] = async (tool, args, run) => {
    const id = nextId();
    messages.push(
      assistant([{ type: "toolCall", id, name: tool, arguments: args }], {
        stopReason: "toolUse",
      }),
    );
    const answer = await run(id);
    messages.push(
      result(id, tool, hostText(answer), { isError: !answer.ok, details: answerDetails(answer) }),
    );
    return answer;
  };
  return {
    messages,
    ask,
    read: async (session, path) =>
      await ask("read", { path }, async (callId) => await session.read({ path }, { callId })),
    user: (content) => void messages.push({ role: "user", content, ...stamp() }),
    call: (tool, args, output, options = {}) => {
      const id = options.id ?? nextId();
      messages.push(
        assistant([{ type: "toolCall", id, name: tool, arguments: args }], {
          stopReason: "toolUse",
        }),
      );
      messages.push(result(id, tool, output, options));
      return id;
    },
    say: (text, meta) => void messages.push(assistant([{ type: "text", text }], meta)),
    push: (message) => void messages.push(message),
    ingest: async (session) => await session.ingest(readList(messages, plainCodec)),
  };
}

/** Translates the fields of an answer, as the codec of a host does. */
function translated({
  stopReason,
  usage,
}: JsonObject): Pick<AssistantMessage, "isFailed" | "usage"> {
  const isFailed = stopReason === "error" || stopReason === "aborted";
  const none = { input: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    ...(isFailed ? { isFailed } : {}),
    ...(isJsonObject(usage) ? { usage: { ...none, ...usage } } : {}),
  };
}

/** Starts a history with a prompt and a command whose output is `A`: the tool call t1. */
export function oneCall(): ScriptedHistory {
  const history = scriptHistory();
  history.user("go");
  history.call("bash", { command: "a" }, "A");
  return history;
}

/** Starts a history with these prompts, each with its answer: `one` and `answer one`. */
export function chatAbout(...prompts: readonly string[]): ScriptedHistory {
  const history = scriptHistory();
  for (const prompt of prompts) {
    history.user(prompt);
    history.say(`answer ${prompt}`);
  }
  return history;
}
