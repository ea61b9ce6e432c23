import { fieldsOf } from "@self-context-manager/core/host";

import type { OpenClawMessage } from "./openclaw-messages.ts";

/** A host's list in which each call has its own id, whatever id the host gives it now. */
export interface NamedCalls {
  readonly messages: readonly OpenClawMessage[];
  /** The ids of the calls in the host's list, by their own ids. */
  readonly hostIds: ReadonlyMap<string, string>;
}

/** The field of an answer in which the session keeps the ids that the host gave its calls first, by their own ids. */
const hostIdsField = "hostCallIds";

/**
 * Gives each call an id made from the time of its answer and its place there. OpenClaw sends a provider's id unchanged in
 * the turn of the call, and changes it in later turns: without signs, cut, or with a hash if an earlier call had it too.
 */
export function withOwnCallIds(list: readonly OpenClawMessage[]): NamedCalls {
  const hostIds = new Map<string, string>();
  /** The calls that can have a result next, by the host's ids. */
  const open = new Map<string, { readonly own: string; hasResult: boolean }[]>();
  const messages = list.map((message) => {
    if (message.role === "assistant") return withCalls(message);
    return message.role === "toolResult" ? withCall(message) : message;
  });
  return { messages, hostIds };

  function withCalls(message: OpenClawMessage): OpenClawMessage {
    const { content, timestamp } = message;
    if (!Array.isArray(content) || typeof timestamp !== "number") return message;
    const blocks: readonly unknown[] = content;
    const given: Record<string, string> = {};
    const named = blocks.map((block) => {
      const { type, id } = fieldsOf(block);
      if (type !== "toolCall" || typeof id !== "string") return block;
      const own = ownCallId(timestamp, Object.keys(given).length);
      given[own] = id;
      hostIds.set(own, id);
      const waiting = (open.get(id) ?? []).filter(({ hasResult }) => !hasResult);
      open.set(id, [...waiting, { own, hasResult: false }]);
      return { ...fieldsOf(block), id: own };
    });
    const isCalling = Object.keys(given).length > 0;
    return isCalling ? { ...message, content: named, [hostIdsField]: given } : message;
  }

  function withCall(message: OpenClawMessage): OpenClawMessage {
    const { toolCallId } = message;
    if (typeof toolCallId !== "string") return message;
    const calls = open.get(toolCallId) ?? [];
    // A result that comes twice is of the same call.
    const call = calls.find(({ hasResult }) => !hasResult) ?? calls.at(-1);
    if (call === undefined) return message;
    call.hasResult = true;
    const { own } = call;
    return { ...message, toolCallId: own };
  }
}

/**
 * Returns a view's messages with the ids that the host gave the calls first. OpenClaw changes ids for the provider once more
 * before each request, all of a list in its order, so a request has the same ids as the one that first had the call.
 */
export function withHostCallIds(messages: readonly OpenClawMessage[]): readonly OpenClawMessage[] {
  const hostIds = new Map<unknown, unknown>();
  const hostId = (own: unknown): unknown => hostIds.get(own) ?? own;
  return messages.map((message) => {
    const { role, content, toolCallId } = message;
    if (role === "toolResult") return { ...message, toolCallId: hostId(toolCallId) };
    if (message[hostIdsField] === undefined || !Array.isArray(content)) return message;
    const { [hostIdsField]: given, ...sent } = message;
    for (const [own, id] of Object.entries(fieldsOf(given))) hostIds.set(own, id);
    const blocks: readonly unknown[] = content;
    return {
      ...sent,
      content: blocks.map((block) => {
        const { type, id } = fieldsOf(block);
        return type === "toolCall" ? { ...fieldsOf(block), id: hostId(id) } : block;
      }),
    };
  });
}

/** The radix in which numbers have the fewest characters that every provider allows. */
const radix = 36;

/** Returns an id of nine characters: some providers allow no other length. Only with more than 36 calls it is longer. */
function ownCallId(timestamp: number, index: number): string {
  return `${Math.trunc(timestamp).toString(radix).padStart(8, "0")}${index.toString(radix)}`;
}
