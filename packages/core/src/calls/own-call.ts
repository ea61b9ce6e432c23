import type { ObjectMetadata } from "@self-context-manager/objects";
import { argumentsOf, type ToolCallBlock } from "../chat/message.ts";
import type { ToolFacts } from "./tool-facts.ts";

/**
 * Whether a call exists only because of the context manager: it calls a context tool, and not the one that reads files,
 * for which every host has a tool of its own. `body`: the call's object; without it, or without an operation in it, the names decide.
 */
export function isOwnCall(
  call: ToolCallBlock,
  body: ObjectMetadata | undefined,
  toolFacts: ToolFacts,
): boolean {
  if (body !== undefined && body["context_tool"] !== true) return false;
  const operation = body?.["context_operation"];
  if (operation !== undefined) return operation !== "read";
  // A context tool that did nothing has no operation, so its name decides too.
  const { kind, contextTool } = toolFacts(call.name, argumentsOf(call.arguments));
  return contextTool !== undefined && contextTool !== "read" && kind !== "read";
}
