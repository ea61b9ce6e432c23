import {
  answerDetails,
  contextTools,
  hostText,
  identityName,
  isStoreTrouble,
  jsonObject,
  markedList,
  type MessageCodec,
  type PendingRecordings,
  pendingRecordings,
  recordCall,
  sha256,
} from "@self-context-manager/core/host";
import {
  type ContextSession,
  type ReadList,
  readList,
  standingInstruction,
  type ToolAnswer,
} from "@self-context-manager/core";

import { hostThinking } from "./host-thinking.ts";
import { hostToolCall, hostToolResult } from "./host-tool-call.ts";
import { addableRoles } from "./own-messages.ts";
import type { PiContent } from "./pi-api.ts";
import { piCodec, piMessage } from "./pi-codec.ts";
import { errorOf } from "./provider-error.ts";
import { type Breakpoints, providerRequests } from "./provider-requests.ts";

/** The result of an agent tool. Further fields, which differ by release, are kept. */
export interface AgentToolResultLike {
  readonly content: readonly unknown[];
  readonly details?: unknown;
}

/** The part of pi-agent-core's `AgentTool` that is wrapped. */
export interface AgentToolLike {
  readonly name: string;
  execute(
    callId: string,
    args: never,
    signal?: AbortSignal,
    onUpdate?: never,
  ): Promise<AgentToolResultLike>;
}

/** A context tool in a form that every release of pi-agent-core accepts. */
export interface ContextAgentTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: unknown;
  /** Throws an error with the answer of a refused call: agents recognise a failed call only by an error. */
  execute(
    callId: string,
    args: unknown,
  ): Promise<{ readonly content: readonly PiContent[]; readonly details: unknown }>;
}

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
  /** Receives the error when the agent's own messages or results are used because of a failure. */
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
  const { session } = options;
  const requests = providerRequests(options.breakpoints);
  const refusals = new Map<string, ToolAnswer>();
  /** Refused calls whose results were decoded; their answers are forgotten once the results are stored. */
  const decoded = new Set<string>();
  const thinking = hostThinking();
  // The agent has the session open for good, so after a loss of the store nothing can be recorded.
  const pending = pendingRecordings(isStoreTrouble);
  /** The prompt that is not yet recorded, and the one that is sent. */
  let prompt: string | undefined;
  let instruction = "";

  /**
   * Reads Pi's messages. Results of refused calls have no details, because an error carries none; they are added here.
   */
  const codec: MessageCodec<unknown> = {
    ...piCodec,
    identify: (raw) => piCodec.identify(raw),
    decode(raw) {
      const message = piCodec.decode(raw);
      const answer = message.role === "toolResult" ? refusals.get(message.toolCallId) : undefined;
      if (message.role !== "toolResult" || answer === undefined) return message;
      decoded.add(message.toolCallId);
      return { ...message, details: answerDetails(answer) };
    },
  };

  /** Compares the agent's messages with those that its own `transformContext` returned. */
  function listOf(given: readonly Message[], changed: readonly Message[]): ReadList {
    if (options.transformContext === undefined) return readList(changed, codec);
    const host = readList(given, codec);
    const sent = readList(changed, codec, host);
    const known = new Set(host.messages.map(identityName));
    const added = sent.messages.filter(
      (one) => addableRoles.has(one.identity.role) && !known.has(identityName(one)),
    );
    return markedList({ host, sent, added: new Set(added.map(({ raw }) => raw)) });
  }

  async function recordPrompt(): Promise<void> {
    if (prompt === undefined) return;
    await session.recordSystemPrompt("host", prompt);
    await session.recordSystemPrompt("own", standingInstruction);
    prompt = undefined;
  }

  /** Records a refusal of the last request. The agent reports it only by a failed answer at the end of its list. */
  async function recordRefusal(
    messages: readonly Message[],
    call: number | undefined,
    model: string | undefined,
  ): Promise<void> {
    const error = errorOf(messages.findLast(({ role }) => role === "assistant"));
    if (error === undefined || call === undefined) return;
    await session.recordRefusal({ error, call, ...(model === undefined ? {} : { model }) });
  }

  /** Stores the request's hash with its call; the request does not wait for it. */
  function keepHash(payload: unknown): void {
    const call = requests.sentCall();
    if (call === undefined) return;
    const hash = sha256(JSON.stringify(payload));
    session.recordPayload(call, hash).catch((error: unknown) => options.onFailure?.(error));
  }

  /** Names the text before the messages: the prompt, and since 0.87 the messages with the prompt and the tools. */
  function headName(system: readonly unknown[]): string {
    const named = [instruction, system, thinking.refusals];
    const said = JSON.stringify(named, (name, value: unknown) =>
      name === "timestamp" ? undefined : value,
    );
    return sha256(said).slice(0, 16);
  }

  /** The agent's own messages. Its list stays unchanged. */
  function own(messages: Message[]): Message[] {
    const kept = thinking.sendsOwn(messages, {
      model: options.model?.(),
      head: () => headName(messages.filter(isSystem)),
      isManaged: true,
    });
    // Only the content of some messages differs.
    return kept === messages ? messages : (kept as Message[]);
  }

  return {
    async transformContext(messages, signal) {
      let base = messages;
      const call = requests.sentCall();
      requests.sendsNothing();
      try {
        base = (await options.transformContext?.(messages, signal)) ?? messages;
        thinking.follows(base);
        await pending.record(session);
        await recordPrompt();
        // Since 0.87 the prompt and the tools are messages. They belong to the agent and stay at the beginning.
        const system = base.filter(isSystem);
        const rest = system.length === 0 ? base : base.filter(isNotSystem);
        const contextWindow = options.contextWindow?.();
        const model = options.model?.();
        const isBound = thinking.binds(model);
        const known = requests.viewOptions(model);
        await recordRefusal(rest, call, known.model);
        const list = listOf(messages.filter(isNotSystem), rest);
        const view = await session.ingestAndView(list, {
          ...known,
          ...(isBound ? { thinking: "bound", head: headName(system) } : {}),
          ...(contextWindow === undefined ? {} : { contextWindow }),
        });
        for (const callId of decoded) refusals.delete(callId);
        decoded.clear();
        if (view.messages.length === 0) return own(base);
        const sent = view.messages.map(piMessage);
        requests.sends(view, sent);
        thinking.sendsView();
        return [...system, ...(sent as never[])];
      } catch (error) {
        // The agent's loop cannot continue after an exception, so the agent's own messages are sent.
        options.onFailure?.(error);
        return own(base);
      }
    },
    onPayload(payload) {
      try {
        const marked = requests.payload(payload);
        keepHash(marked ?? payload);
        return marked;
      } catch (error) {
        // Without the view's breakpoints the request is still valid, with the agent's own.
        options.onFailure?.(error);
        return undefined;
      }
    },
    tools: contextTools.map((tool) => ({
      name: tool.name,
      label: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      execute: async (callId, args) => {
        const answer = await tool.run(session, jsonObject(args), callId);
        if (!answer.ok) {
          refusals.set(callId, answer);
          throw new Error(answer.text);
        }
        return {
          content: [{ type: "text", text: hostText(answer) }],
          details: answerDetails(answer),
        };
      },
    })),
    wrapTools(tools) {
      session.announceTools(tools.map(({ name }) => name));
      return tools.map((tool) =>
        wrapTool(tool, { session, pending, onFailure: options.onFailure }),
      );
    },
    systemPrompt(text) {
      prompt = text;
      instruction = text;
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

interface Recorder {
  readonly session: ContextSession;
  readonly pending: PendingRecordings;
  readonly onFailure: ((error: unknown) => void) | undefined;
}

function wrapTool<Tool extends AgentToolLike>(tool: Tool, recorder: Recorder): Tool {
  const { session, pending, onFailure } = recorder;
  async function reasonAgainst(name: string, args: unknown): Promise<string | undefined> {
    try {
      return await session.checkArguments(name, jsonObject(args));
    } catch (error) {
      // A failure of the context manager must not stop a call.
      onFailure?.(error);
      return undefined;
    }
  }
  return {
    ...tool,
    execute: async (callId: string, args: never, signal?: AbortSignal, onUpdate?: never) => {
      const reason = await reasonAgainst(tool.name, args);
      // Agents recognise a call that did not run only by an error.
      if (reason !== undefined) throw new Error(reason);
      const result = await tool.execute(callId, args, signal, onUpdate);
      try {
        const call = hostToolCall({ toolName: tool.name, toolCallId: callId, input: args });
        const isError = "isError" in result && result.isError === true;
        const returned = hostToolResult({ content: result.content, isError });
        if (call !== undefined)
          pending.add(async (opened) => await recordCall(opened, call, returned));
        await pending.record(session);
      } catch (error) {
        // A failure of the context manager must not make the agent's tool fail.
        onFailure?.(error);
      }
      return result;
    },
  };
}
