import { staticReference } from "@self-context-manager/objects";
import { hasContentOf } from "@self-context-manager/tracker";
import type { Execution, FileSnapshot } from "../calls/execution.ts";

import {
  argumentsOf,
  isText,
  type Message,
  textOf,
  type ToolResultMessage,
} from "../chat/message.ts";
import { type FileRendering, type RenderedLines, renderedLines } from "../host/file-rendering.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { findFile, indexContent } from "./file-index.ts";
import type { PairedCalls } from "./paired-calls.ts";
import { readReport } from "./read-report.ts";

/**
 * Finds the results that show the text of a file in the host's own rendering, and returns their executions by result.
 * The file's version is stored, and its text stands for the result. Any other result is an ordinary output, and the
 * file is not stored, because a tool or an extension can have hidden a part of its text from the model.
 */
export async function recognizeReads(
  scope: SessionScope,
  messages: readonly Message[],
  paired: PairedCalls,
  rendering: FileRendering | undefined,
): Promise<ReadonlyMap<ToolResultMessage, Execution>> {
  const recognized = new Map<ToolResultMessage, Execution>();
  const reads = messages.flatMap((message) => {
    if (message.role !== "toolResult" || message.isError) return [];
    const snapshot = scope.state.executions.get(message.toolCallId)?.read;
    return snapshot === undefined ? [] : [{ result: message, snapshot }];
  });
  const newest = new Map(reads.map(({ snapshot }) => [snapshot.file.realPath, snapshot]));
  for (const { result, snapshot } of reads) {
    const { file } = snapshot;
    const isNewest = newest.get(file.realPath)?.file.text === file.text;
    if (!isNewest) continue;
    const known = { file, earlier: await findFile(scope, file.realPath) };
    const readBy = { generator: "human", readAfter: snapshot.version, isByTool: true } as const;
    if (!result.content.every(isText)) {
      // The image is in the result itself. Only the file's name and size are known.
      if (file.text !== null) continue;
      const { stored } = await indexContent(scope, known, readBy);
      if (!hasContentOf(stored, file)) continue;
      recognized.set(result, { fileRefs: [staticReference(stored)] });
      continue;
    }
    const args = argumentsIn(scope, paired, result);
    const lines = linesShown(textOf(result.content), snapshot, args, rendering);
    if (lines === undefined) continue;
    const indexed = await indexContent(scope, known, readBy);
    // The file has changed since its tool read it.
    if (!hasContentOf(indexed.stored, file)) continue;
    const { range } = lines;
    const reference = staticReference(indexed.stored);
    const effect = { op: "read" as const, id: indexed.entry.id, file: reference };
    recognized.set(result, {
      report: readReport(scope, indexed, range),
      effects: [range === undefined ? effect : { ...effect, range }],
    });
  }
  return recognized;
}

function linesShown(
  result: string,
  { file: { text } }: FileSnapshot,
  args: Readonly<Record<string, unknown>>,
  rendering: FileRendering | undefined,
): RenderedLines | undefined {
  return text === null ? undefined : renderedLines(result, text, args, rendering);
}

function argumentsIn(
  { state }: SessionScope,
  { ids, calls }: PairedCalls,
  result: ToolResultMessage,
): Readonly<Record<string, unknown>> {
  const id = calls.get(result);
  const open = state.chat.openCalls.get(id ?? "");
  if (open !== undefined) return open.args;
  const call = [...ids].find(([, sent]) => sent === id)?.[0];
  return argumentsOf(call?.arguments);
}
