import {
  defined,
  isReference,
  operationNamed,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { type Execution, executionIn, rangeIn, type ToolEffect } from "../calls/execution.ts";
import { usualToolFacts } from "../calls/tool-facts.ts";
import { filesInResult } from "../calls/toolcall-object.ts";
import { textOf, type ToolResultMessage } from "../chat/message.ts";
import type { SessionScope } from "../state/session-scope.ts";

/**
 * Returns what a tool did, from the first of these that knows it: the text of a file that its result shows
 * (`recognized`), what the process recorded while the tool ran, the details of the result, the tool call that the store
 * already has (`stored`). The result is the only way in which the effects of tools reach the session's history.
 */
export function executionOfResult(
  { state, dependencies: { toolFacts = usualToolFacts } }: SessionScope,
  result: ToolResultMessage,
  known: {
    readonly recognized: Execution | undefined;
    readonly stored: StoredMetadata | undefined;
  },
): Execution {
  const recorded = state.executions.get(result.toolCallId);
  const execution =
    known.recognized ??
    withPresentReport(result, recorded) ??
    executionIn(result, toolFacts) ??
    executionInCall(known.stored) ??
    {};
  return recorded?.isApplied === true ? { ...execution, isApplied: true } : execution;
}

/**
 * Returns what was recorded while a tool ran; undefined if only its effects are known. If another extension has changed
 * the text of a context tool's result, the result is an ordinary output.
 */
function withPresentReport(
  { content }: ToolResultMessage,
  recorded: Execution | undefined,
): Execution | undefined {
  const { isApplied: _applied, ...execution } = recorded ?? {};
  const { report, hostText } = execution;
  if (Object.keys(execution).length === 0) return undefined;
  if (report === undefined) return execution;
  const text = textOf(content);
  if (text === report || text === hostText) return execution;
  const { report: _changed, ...rest } = execution;
  return rest;
}

/** Returns the execution that a stored tool call describes: a fork shares the calls of the session that it came from. */
function executionInCall(stored: StoredMetadata | undefined): Execution | undefined {
  if (stored === undefined) return undefined;
  const { context_tool: isContextTool, report, context_operation: made } = stored.body;
  if (isContextTool !== true || typeof report !== "string") return undefined;
  const { target_refs: targets, target_range: lines } = stored.body;
  const range = rangeIn(lines);
  const read = filesInResult(stored.body);
  const effects = (Array.isArray(targets) ? targets : []).flatMap(
    (target): readonly ToolEffect[] => {
      if (!isReference(target)) return [];
      const file = read.find(({ id }) => id === target.id);
      return [
        {
          op: file === undefined ? (operationNamed(made) ?? "activate") : "read",
          id: target.id,
          ...defined({ range }),
          ...(file?.ref === "static" ? { file } : {}),
        },
      ];
    },
  );
  return { report, effects };
}
