import type { ObjectMetadata } from "@self-context-manager/objects";
import { argumentsOf, type ToolCallBlock } from "../chat/message.ts";
import type { ToolFacts } from "./tool-facts.ts";
import { fileReferences } from "./toolcall-object.ts";

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

const opening: ReadonlySet<unknown> = new Set(["activate", "pin"]);

/**
 * Whether a call of a context tool opens files or notes that no earlier call of the session has read, written or shown. The
 * host without the context manager would have read them, so the call is not only for the context manager.
 * `pool`: the session's objects, in order of joining.
 */
export function opensUnread(
  opened: ObjectMetadata | undefined,
  pool: Iterable<{ readonly stored: { readonly body: ObjectMetadata } }>,
): boolean {
  if (opened === undefined || opened["context_tool"] !== true) return false;
  if (!opening.has(opened["context_operation"])) return false;
  const unread = new Set(fileReferences(opened).map(({ id }) => id));
  if (unread.size === 0) return false;
  for (const { stored } of pool) {
    if (stored.body.id === opened.id) break;
    if (stored.body.type !== "toolcall") continue;
    for (const { id } of fileReferences(stored.body)) unread.delete(id);
  }
  return unread.size > 0;
}
