import type { JsonObject } from "@self-context-manager/core";
import {
  type HostToolCall,
  type HostToolResult,
  jsonObject,
} from "@self-context-manager/core/host";

import { isFields, type ToolCallEvent, type ToolResultEvent } from "./pi-api.ts";

const writers: readonly string[] = ["write", "edit"];

/**
 * Pi's own tools for files and commands. Tools of extensions are not recorded: a path among their arguments can be one of
 * another machine.
 */
const recorded: readonly string[] = [...writers, "read", "ls", "find", "grep", "bash"];

/** Whether the effects of a tool on files are recorded, by its name. */
export function isRecorded(toolName: string): boolean {
  return recorded.includes(toolName);
}

/** Returns a call in core's form. `writtenArgs` returns the arguments as the model wrote them. */
export function hostToolCall(
  { toolName, toolCallId, input }: ToolCallEvent,
  writtenArgs: () => JsonObject = () => jsonObject(input),
): HostToolCall {
  const call = { id: toolCallId, name: toolName, args: jsonObject(input) };
  return writers.includes(toolName) ? { ...call, writtenArgs: writtenArgs() } : call;
}

export function hostToolResult({
  content,
  isError,
}: Pick<ToolResultEvent, "content" | "isError">): HostToolResult {
  return { text: resultText(content), isError };
}

/** The text blocks of a result's content, joined by line feeds. */
function resultText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content
    .flatMap((block: unknown) =>
      isFields(block) && typeof block["text"] === "string" ? [block["text"]] : [],
    )
    .join("\n");
}
