import { type JsonObject, toJson } from "@self-context-manager/core";

import { isFields, type PiContext } from "./pi-api.ts";
import { messageIn } from "./session-messages.ts";

/**
 * Returns the arguments of a tool call as the model wrote them: those in Pi's own record. Other extensions can change
 * the arguments with which the tool runs, for example to replace a mask by its secret. A call that is not in
 * the record, such as one that another tool made, has no arguments of the model.
 */
export function writtenArguments(callId: string, { sessionManager }: PiContext): JsonObject {
  const branch = sessionManager.getBranch?.() ?? [];
  // Providers can use the id of a call again.
  for (const entry of branch.toReversed()) {
    const { role, content } = messageIn(entry) ?? {};
    if (role !== "assistant" || !Array.isArray(content)) continue;
    const call = content
      .filter(isFields)
      .find(({ type, id }) => type === "toolCall" && id === callId);
    if (call !== undefined)
      return isFields(call["arguments"]) ? (toJson(call["arguments"]) as JsonObject) : {};
  }
  return {};
}
