import {
  type ContextOperation,
  defined,
  type FileContent,
  isJsonObject,
  isObjectId,
  isReference,
  type JsonValue,
  type LineRange,
  type ObjectId,
  operationNamed,
  sha256,
  type StaticReference,
} from "@self-context-manager/objects";
import { textOf, type ToolResultMessage } from "../chat/message.ts";
import type { ToolFacts } from "./tool-facts.ts";

/**
 * What a context tool did to the session. Its result carries it, so that a session that is ingested again can repeat
 * it.
 */
export type ToolEffect = {
  readonly op: ContextOperation;
  readonly id: ObjectId;
  readonly range?: LineRange;
  /** The version that was read. */
  readonly file?: StaticReference;
};

/**
 * The facts recorded while a tool ran. They take precedence over a later copy of the result, which the host may have
 * altered.
 */
export type Execution = {
  /** The report of a context tool. */
  readonly report?: string;
  /** The text of the result in the host, if it is not the report. */
  readonly hostText?: string;
  readonly effects?: readonly ToolEffect[];
  readonly fileRefs?: readonly StaticReference[];
  /** Whether the session already contains the effects. */
  readonly isApplied?: boolean;
  /** The file that a tool of the host has read. It is not stored until a request shows its text. */
  readonly read?: FileSnapshot;
};

/** The content of a file at a time, and the file's version that was known then; 0 for an unknown file. */
export type FileSnapshot = { readonly file: FileContent; readonly version: number };

/** Name of the field in which the results of context tools carry their report and effects through the host's record. */
export const executionField = "self_context_manager";

/**
 * Returns the execution that a result's details describe, or undefined for a tool that is not a context tool by its
 * facts. The details of other tools can contain anything and must not change the session. The text of a context tool's
 * result is its report, or has the hash in the details, so a result with another text is not one.
 */
export function executionIn(
  { toolName, content, details }: ToolResultMessage,
  toolFacts: ToolFacts,
): Execution | undefined {
  const { contextTool } = toolFacts(toolName, {});
  if (contextTool === undefined || !isJsonObject(details)) return undefined;
  const recorded = details[executionField];
  if (!isJsonObject(recorded) || typeof recorded["report"] !== "string") return undefined;
  const text = textOf(content);
  if (recorded["report"] !== text && recorded["text_hash"] !== sha256(text)) return undefined;
  const listed: readonly JsonValue[] = Array.isArray(recorded["effects"])
    ? recorded["effects"]
    : [];
  return { report: recorded["report"], effects: listed.flatMap(effectOf) };
}

function effectOf(value: JsonValue): readonly ToolEffect[] {
  if (!isJsonObject(value)) return [];
  const { id, range, file } = value;
  const op = operationNamed(value["op"]);
  if (op === undefined || typeof id !== "string" || !isObjectId(id)) return [];
  const lines = rangeIn(range);
  return [
    {
      op,
      id,
      ...defined({ range: lines }),
      ...(isReference(file) && file.ref === "static" ? { file } : {}),
    },
  ];
}

/** Returns the line range that a JSON value describes; undefined for any other value. */
export function rangeIn(value: JsonValue | undefined): LineRange | undefined {
  const { from, to } = isJsonObject(value) ? value : {};
  const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to);
  if (!isRange || typeof from !== "number" || typeof to !== "number") return undefined;
  return from >= 1 && to >= from ? { from, to } : undefined;
}
