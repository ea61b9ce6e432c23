import type { JsonObject } from "@self-context-manager/core";
import {
  type BoundTool,
  type Connection,
  jsonObject,
  type MessageCodec,
} from "@self-context-manager/core/host";

import { hostToolCall, hostToolResult } from "./host-tool-call.ts";
import type { PiContent } from "./pi-api.ts";
import { piCodec } from "./pi-codec.ts";

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

/** Knows the details of refused calls, whose results have none in the agent's list: an error carries none. */
export interface RefusedCalls {
  /** Reads Pi's messages, and adds the details to the results of refused calls. */
  readonly codec: MessageCodec<unknown>;
  add(callId: string, details: JsonObject): void;
  /** Forgets the calls whose results were read: the session has them. */
  stored(): void;
}

export function refusedCalls(): RefusedCalls {
  const refused = new Map<string, JsonObject>();
  const decoded = new Set<string>();
  return {
    codec: {
      ...piCodec,
      identify: (raw) => piCodec.identify(raw),
      decode(raw) {
        const message = piCodec.decode(raw);
        const details = message.role === "toolResult" ? refused.get(message.toolCallId) : undefined;
        if (message.role !== "toolResult" || details === undefined) return message;
        decoded.add(message.toolCallId);
        return { ...message, details };
      },
    },
    add: (callId, details) => void refused.set(callId, details),
    stored() {
      for (const callId of decoded) refused.delete(callId);
      decoded.clear();
    },
  };
}

/** Returns a context tool as a tool of an agent. */
export function contextAgentTool(tool: BoundTool, refused: RefusedCalls): ContextAgentTool {
  const { name, description, parameters } = tool;
  return {
    name,
    label: name,
    description,
    parameters,
    execute: async (callId, args) => {
      const { text, isError, details } = await tool.run(jsonObject(args), callId);
      if (!isError) return { content: [{ type: "text", text }], details };
      // A call that did not run because of a failure has no details.
      if (Object.keys(details).length > 0) refused.add(callId, { ...details });
      throw new Error(text);
    },
  };
}

/** Wraps an agent's own tool, so that its calls are checked and recorded. */
export function wrappedTool<Tool extends AgentToolLike>(
  tool: Tool,
  connection: Connection<unknown>,
): Tool {
  const { name } = tool;
  return {
    ...tool,
    execute: async (callId: string, args: never, signal?: AbortSignal, onUpdate?: never) => {
      const call = hostToolCall({ toolName: name, toolCallId: callId, input: args });
      const reason = await connection.beginTool(call);
      // Agents recognise a call that did not run only by an error.
      if (reason !== undefined) throw new Error(reason);
      try {
        const result = await tool.execute(callId, args, signal, onUpdate);
        const isError = "isError" in result && result.isError === true;
        await connection.endTool(call, hostToolResult({ content: result.content, isError }));
        return result;
      } catch (error) {
        await connection.endTools([callId]);
        throw error;
      }
    },
  };
}
