import {
  type ContextSession,
  type ReadList,
  readList,
  standingInstruction,
} from "@self-context-manager/core";
import {
  type Breakpoints,
  connect,
  defined,
  identityName,
  markedList,
  sha256,
} from "@self-context-manager/core/host";

import {
  type AgentToolLike,
  type ContextAgentTool,
  contextAgentTool,
  refusedCalls,
  wrappedTool,
} from "./agent-tools.ts";
import { isRecorded } from "./host-tool-call.ts";
import { viewOptions } from "./model-facts.ts";
import { addableRoles } from "./own-messages.ts";
import { piClock } from "./pi-clock.ts";
import { piMessage } from "./pi-codec.ts";
import { refusalIn, withoutThinking } from "./pi-thinking.ts";
import { errorOf } from "./provider-error.ts";

export interface AgentContextOptions<Message> {
  readonly session: ContextSession;
  /** The model's context window in tokens; read before each request. */
  readonly contextWindow?: () => number | undefined;
  /** The model of the next request, as the agent describes it; read before each request. */
  readonly model?: () => unknown;
  /** Whose cache breakpoints `onPayload` puts into a request. Default: `own`, those of the view. */
  readonly breakpoints?: Breakpoints;
  /** A `transformContext` of the agent, which runs first. */
  readonly transformContext?: (
    messages: Message[],
    signal?: AbortSignal,
  ) => Promise<Message[]> | Message[];
  /**
   * Receives the error when the agent's own messages or results are used because of a failure. While the store does not work,
   * only the first error is passed on.
   */
  readonly onFailure?: (error: unknown) => void;
}

/** The parts that turn a bare pi-agent-core agent into a managed one. */
export interface AgentContext<Message> {
  /** For the agent's option of this name. It never throws and does not change the list that it gets. */
  readonly transformContext: (messages: Message[], signal?: AbortSignal) => Promise<Message[]>;
  /**
   * For the stream option of this name. Returns the request with the view's breakpoints, or undefined to keep it. Never
   * throws.
   */
  readonly onPayload: (payload: unknown) => unknown;
  /** `activate`, `deactivate`, `pin` and `unpin`, and `read` for agents without a tool of that name. */
  readonly tools: readonly ContextAgentTool[];
  /**
   * Wraps the agent's own tools, so that their results are recorded. If one of them reads files, `activate` asks for it
   * instead of reading a file that it has not shown.
   */
  wrapTools<Tool extends AgentToolLike>(tools: readonly Tool[]): Tool[];
  /** Adds the standing instruction to the agent's prompt. Both are recorded with the next request. */
  systemPrompt(text: string): string;
}

/** Connects a session to a bare agent of pi-agent-core, 0.73.1 and later. */
export function agentContext<Message extends { readonly role: string }>(
  options: AgentContextOptions<Message>,
): AgentContext<Message> {
  const { session, onFailure = () => undefined } = options;
  const refused = refusedCalls();
  let hostTools: readonly string[] = [];
  let prompt = "";
  let isPromptRecorded = true;
  /** The messages with the prompt and the tools, which agents have since 0.87. */
  let system: readonly Message[] = [];
  const connection = connect<unknown>({
    open: async () => await Promise.resolve(session),
    // The agent has the session open for good.
    close: async () => await Promise.resolve(),
    codec: refused.codec,
    encode: piMessage,
    hostTools: () => hostTools,
    clock: piClock,
    breakpoints: options.breakpoints ?? "own",
    isRecorded,
    refusalIn,
    withoutThinking,
    headName: (refusals) => headName([prompt, system, refusals]),
    onFailure,
  });

  async function recordPrompt(opened: ContextSession): Promise<void> {
    if (isPromptRecorded) return;
    await opened.recordSystemPrompt("host", prompt);
    await opened.recordSystemPrompt("own", standingInstruction);
    isPromptRecorded = true;
  }

  /** Compares the agent's messages with those that its own `transformContext` returned. */
  function listOf(given: readonly Message[], sent: ReadList): ReadList {
    if (options.transformContext === undefined) return sent;
    const host = readList(given, refused.codec, sent);
    const known = new Set(host.messages.map(identityName));
    const added = sent.messages.filter(
      (one) => addableRoles.has(one.identity.role) && !known.has(identityName(one)),
    );
    return markedList({ host, sent, added: new Set(added.map(({ raw }) => raw)) });
  }

  /** Returns the list that the agent's own `transformContext` makes; undefined if it fails. */
  async function transformed(
    messages: Message[],
    signal: AbortSignal | undefined,
  ): Promise<Message[] | undefined> {
    try {
      return (await options.transformContext?.(messages, signal)) ?? messages;
    } catch (error) {
      // The agent's loop cannot continue after an exception, so the agent's own messages are sent.
      onFailure(error);
      return undefined;
    }
  }

  return {
    async transformContext(messages, signal) {
      const made = await transformed(messages, signal);
      const base = made ?? messages;
      system = base.filter(isSystem);
      // They belong to the agent and stay at the beginning.
      const rest = system.length === 0 ? base : base.filter(isNotSystem);
      // The agent reports a refusal only by a failed answer at the end of its list.
      const error = errorOf(rest.findLast(({ role }) => role === "assistant"));
      if (error !== undefined && connection.isManaged) await connection.refused(error);
      const contextWindow = options.contextWindow?.();
      const call = await connection.modelCall({
        ...viewOptions(options.model?.(), connection),
        ...defined({ contextWindow }),
        recordOnly: made === undefined,
        messages: rest,
        complete: async (opened, read) => {
          await recordPrompt(opened);
          return listOf(messages.filter(isNotSystem), read);
        },
      });
      if (call === undefined) return base;
      const sent = call.messages as readonly Message[];
      if (call.view === undefined) return withOthers(base, rest, sent);
      refused.stored();
      return [...system, ...sent];
    },
    onPayload: (payload) => connection.payload(payload),
    tools: connection.tools.map((tool) => contextAgentTool(tool, refused)),
    wrapTools(tools) {
      hostTools = [...new Set([...hostTools, ...tools.map(({ name }) => name)])];
      session.announceTools(hostTools);
      return tools.map((tool) => wrappedTool(tool, connection));
    },
    systemPrompt(text) {
      prompt = text;
      isPromptRecorded = false;
      return `${text}\n\n${standingInstruction}`;
    },
  };
}

function isSystem({ role }: { readonly role: string }): boolean {
  return role === "system";
}

function isNotSystem(message: { readonly role: string }): boolean {
  return !isSystem(message);
}

/** Returns a list with others instead of some of its messages. */
function withOthers<Message>(
  list: readonly Message[],
  replaced: readonly Message[],
  others: readonly Message[],
): Message[] {
  const now = new Map(replaced.map((message, index) => [message, others[index] ?? message]));
  return list.map((message) => now.get(message) ?? message);
}

/** Names the text before the messages: the prompt, and since 0.87 the messages with the prompt and the tools. */
function headName(parts: readonly unknown[]): string {
  const said = JSON.stringify(parts, (name, value: unknown) =>
    name === "timestamp" ? undefined : value,
  );
  return sha256(said).slice(0, 16);
}
