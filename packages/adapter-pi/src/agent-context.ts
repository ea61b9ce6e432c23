import {
  answerDetails,
  type ContextSession,
  contextTools,
  type JsonObject,
  type MessageCodec,
  sha256,
  standingInstruction,
  type ToolAnswer,
} from "@self-context-manager/core";

import { isFields, type PiContent } from "./pi-api.ts";
import { piCodec, piMessage } from "./pi-codec.ts";
import { type Breakpoints, providerRequests } from "./provider-requests.ts";
import { recordResult } from "./record-result.ts";

/** What an agent tool hands back; what else a release knows is kept. */
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

/** A tool of ours, in a form that every release of pi-agent-core takes. */
export interface ContextAgentTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: unknown;
  /** Throws what a refused call is answered with: agents know a failed call by nothing else. */
  execute(
    callId: string,
    args: unknown,
  ): Promise<{ readonly content: readonly PiContent[]; readonly details: unknown }>;
}

export interface AgentContextOptions<Message> {
  readonly session: ContextSession;
  /** The folder that the tools' paths are relative to. */
  readonly workspace: string;
  /** The model's window in tokens; asked before each request. */
  readonly contextWindow?: () => number | undefined;
  /** The model that the next request goes to, as the agent has it; asked before each request. */
  readonly model?: () => unknown;
  /** Whose cache breakpoints `onPayload` leaves in a request. Default: the view's own (`own`). */
  readonly breakpoints?: Breakpoints;
  /** A `transformContext` that is to run first. */
  readonly transformContext?: (
    messages: Message[],
    signal?: AbortSignal,
  ) => Promise<Message[]> | Message[];
  /** Takes what failed while the agent's own messages went through. */
  readonly onFailure?: (error: unknown) => void;
}

/** What makes a bare pi-agent-core agent a managed one. */
export interface AgentContext<Message> {
  /** For the agent's option of this name: never throws, and leaves the list that it is given as it is. */
  readonly transformContext: (messages: Message[], signal?: AbortSignal) => Promise<Message[]>;
  /** For the stream option of this name: the request with the view's breakpoints, or undefined to leave it. Never throws. */
  readonly onPayload: (payload: unknown) => unknown;
  /** `activate`, `deactivate`, `pin` and `unpin`, and `read` for agents that have none of their own. */
  readonly tools: readonly ContextAgentTool[];
  /** The agent's own tools with their results recorded. */
  wrapTools<Tool extends AgentToolLike>(tools: readonly Tool[]): Tool[];
  /** The agent's prompt with the standing instruction; both are recorded with the next request. */
  systemPrompt(text: string): string;
}

/** Connects a session with a bare agent of pi-agent-core, 0.73.1 and later. */
export function agentContext<Message extends { readonly role: string }>(
  options: AgentContextOptions<Message>,
): AgentContext<Message> {
  const { session, workspace } = options;
  const requests = providerRequests(options.breakpoints);
  const refusals = new Map<string, ToolAnswer>();
  /** Refused calls whose results were read; they are forgotten once they are stored. */
  const decoded = new Set<string>();
  let prompt: string | undefined;

  /** Reads Pi's messages; the results of refused calls have lost their details on the way. */
  const codec: MessageCodec<unknown> = {
    identify: (raw) => piCodec.identify(raw),
    decode(raw) {
      const message = piCodec.decode(raw);
      const answer = message.role === "toolResult" ? refusals.get(message.toolCallId) : undefined;
      if (message.role !== "toolResult" || answer === undefined) return message;
      decoded.add(message.toolCallId);
      return { ...message, details: answerDetails(answer) };
    },
  };

  async function recordPrompt(): Promise<void> {
    if (prompt === undefined) return;
    await session.recordSystemPrompt("host", prompt);
    await session.recordSystemPrompt("own", standingInstruction);
    prompt = undefined;
  }

  /** The request's hash goes with its call; the request does not wait for it. */
  function keepHash(payload: unknown): void {
    const call = requests.sentCall();
    if (call === undefined) return;
    const hash = sha256(JSON.stringify(payload));
    session.recordPayload(call, hash).catch((error: unknown) => options.onFailure?.(error));
  }

  return {
    async transformContext(messages, signal) {
      let base = messages;
      requests.sendsNothing();
      try {
        base = (await options.transformContext?.(messages, signal)) ?? messages;
        await recordPrompt();
        // Since 0.87 the prompt and the tools are messages; they are the agent's, and stay at the head.
        const system = base.filter(({ role }) => role === "system");
        const rest = system.length === 0 ? base : base.filter(isNotSystem);
        const contextWindow = options.contextWindow?.();
        const view = await session.ingestAndView(rest, codec, {
          ...requests.viewOptions(options.model?.()),
          ...(contextWindow === undefined ? {} : { contextWindow }),
        });
        for (const callId of decoded) refusals.delete(callId);
        decoded.clear();
        if (view.messages.length === 0) return base;
        const sent = view.messages.map(piMessage);
        requests.sends(view, sent);
        return [...system, ...(sent as never[])];
      } catch (error) {
        // The loop has no way to go on after a throw; the agent's own messages go through instead.
        options.onFailure?.(error);
        return base;
      }
    },
    onPayload(payload) {
      try {
        const ours = requests.payload(payload);
        keepHash(ours ?? payload);
        return ours;
      } catch (error) {
        // The agent's own breakpoints are as good as none of ours.
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
        const answer = await tool.run(session, isFields(args) ? (args as JsonObject) : {}, callId);
        if (!answer.ok) {
          refusals.set(callId, answer);
          throw new Error(answer.text);
        }
        return { content: [{ type: "text", text: answer.text }], details: answerDetails(answer) };
      },
    })),
    wrapTools: (tools) =>
      tools.map((tool) => wrapTool(tool, session, workspace, options.onFailure)),
    systemPrompt(text) {
      prompt = text;
      return `${text}\n\n${standingInstruction}`;
    },
  };
}

function isNotSystem({ role }: { readonly role: string }): boolean {
  return role !== "system";
}

function wrapTool<Tool extends AgentToolLike>(
  tool: Tool,
  session: ContextSession,
  workspace: string,
  onFailure: ((error: unknown) => void) | undefined,
): Tool {
  return {
    ...tool,
    execute: async (callId: string, args: never, signal?: AbortSignal, onUpdate?: never) => {
      const result = await tool.execute(callId, args, signal, onUpdate);
      try {
        const event = {
          toolName: tool.name,
          toolCallId: callId,
          input: args,
          content: result.content,
          details: result.details,
          isError: "isError" in result && result.isError === true,
        };
        const details = await recordResult(session, event, workspace);
        return details === undefined ? result : { ...result, details };
      } catch (error) {
        // What is ours never makes the agent's tool fail.
        onFailure?.(error);
        return result;
      }
    },
  };
}
