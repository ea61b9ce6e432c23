import type { JsonObject } from "@self-context-manager/core";
import { jsonObject } from "@self-context-manager/core/host";

import { isFields, type PiContext, type ToolResultEvent } from "./pi-api.ts";
import { branchOf, messageIn } from "./session-messages.ts";

/**
 * Returns the arguments of a tool call as the model wrote them: those in Pi's own record. Other extensions can change
 * the arguments with which the tool runs, for example to replace a mask by its secret. A call that is not in the record,
 * such as one that another tool made, has no arguments of the model. If the host does not show its record, the arguments
 * with which the tool ran are taken.
 */
export function writtenArguments(
  { toolCallId, input }: ToolResultEvent,
  context: PiContext,
): JsonObject {
  if (context.sessionManager.getBranch === undefined) return jsonObject(input);
  // Providers can use the id of a call again.
  for (const entry of branchOf(context).toReversed()) {
    const { role, content } = messageIn(entry) ?? {};
    if (role !== "assistant" || !Array.isArray(content)) continue;
    const call = content
      .filter(isFields)
      .find(({ type, id }) => type === "toolCall" && id === toolCallId);
    if (call !== undefined) return jsonObject(call["arguments"]);
  }
  return {};
}
