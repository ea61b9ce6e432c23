import { type ObjectMetadata, usualOperation } from "@self-context-manager/objects";
import { argumentsOf, type ToolCallBlock } from "../chat/message.ts";
import type { ToolFacts } from "./tool-facts.ts";

/** Whether an object is the report of a context tool: it says what the tool did to another object, or why it could not. */
export function isReport(body: ObjectMetadata): boolean {
  if (body["context_tool"] !== true) return false;
  const { context_operation: done, tool } = body;
  // A call that did nothing has no operation.
  const operation = done ?? (typeof tool === "string" ? usualOperation(tool) : undefined);
  return (operation ?? "read") !== "read";
}

/**
 * Whether a call exists only because of the context manager: it calls a context tool, and not the one that reads files,
 * for which every host has a tool of its own. `body`: the call's object; without it the names decide.
 */
export function isOwnCall(
  call: ToolCallBlock,
  body: ObjectMetadata | undefined,
  toolFacts: ToolFacts,
): boolean {
  if (body !== undefined) return isReport(body);
  const { kind, contextTool } = toolFacts(call.name, argumentsOf(call.arguments));
  return contextTool !== undefined && contextTool !== "read" && kind !== "read";
}
