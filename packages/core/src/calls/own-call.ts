import type { ObjectMetadata } from "@self-context-manager/objects";
import { argumentsOf, type ToolCallBlock } from "../chat/message.ts";
import type { ToolFacts } from "./tool-facts.ts";

/**
 * Whether a call exists only because of the context manager: it calls a context tool, and not the one that reads files,
 * for which every host has a tool of its own. `body`: the call's object; without it the names decide.
 */
export function isOwnCall(
  call: ToolCallBlock,
  body: ObjectMetadata | undefined,
  toolFacts: ToolFacts,
): boolean {
  if (body !== undefined)
    return body["context_tool"] === true && (body["context_operation"] ?? "read") !== "read";
  const { kind, contextTool } = toolFacts(call.name, argumentsOf(call.arguments));
  return contextTool !== undefined && contextTool !== "read" && kind !== "read";
}
