import {
  canonicalJson,
  type ContextOperation,
  defined,
  type DynamicReference,
  isReference,
  type JsonObject,
  type JsonValue,
  type LineRange,
  type ObjectBody,
  type ObjectId,
  type ObjectMetadata,
  presenceOf,
  type Reference,
  type StaticReference,
  toJson,
} from "@self-context-manager/objects";
import { largeFile } from "@self-context-manager/tracker";
import { argsDisplay } from "../chat/args-display.ts";
import { type Block, isText, textOf, type ToolResultMessage } from "../chat/message.ts";
import type { CallKind } from "./call-kind.ts";
import { rangeIn } from "./execution.ts";

/** The facts of one execution of a tool at the time when its result is ingested. */
export interface ToolcallFacts {
  readonly id: ObjectId;
  readonly result: ToolResultMessage;
  /** The arguments as the model gave them; empty if the call was never seen. */
  readonly args: JsonObject;
  readonly chatRef: StaticReference | DynamicReference;
  readonly fileRefs: readonly StaticReference[];
  /** What the call did; the policy treats kinds of calls differently. */
  readonly kind?: CallKind;
  /** The objects that a context tool showed. Those that are not files are in the version that was the newest then. */
  readonly targetRefs?: readonly Reference[];
  /** What a context tool did. */
  readonly operation?: ContextOperation;
  /** The lines of its object that a context tool showed; undefined if it showed all that are active. */
  readonly targetRange?: LineRange;
  /**
   * The report of a context tool. It replaces the output, so that the text of a file is not stored again (decision
   * D34).
   */
  readonly report?: string;
}

/** Returns the object of one tool execution. */
export function toolcallBody(facts: ToolcallFacts): ObjectBody {
  const { result, report } = facts;
  const isContextTool = report !== undefined;
  const shownRange = isContextTool ? undefined : linesInResult(result);
  return {
    id: facts.id,
    type: "toolcall",
    locked: false,
    ...(shownRange === undefined ? output(result, report) : wholeOutput(result)),
    tool: result.toolName,
    args: facts.args,
    args_display: argsDisplay(result.toolName, facts.args),
    ...defined({ call_kind: facts.kind }),
    status: result.isError || result.hasFailed === true ? "fail" : "ok",
    is_error: result.isError,
    chat_ref: facts.chatRef,
    ...(facts.fileRefs.length === 0 ? {} : { file_refs: facts.fileRefs }),
    ...(isContextTool ? { context_tool: true, report } : {}),
    ...defined({ context_operation: facts.operation }),
    ...(facts.targetRefs === undefined || facts.targetRefs.length === 0
      ? {}
      : { target_refs: facts.targetRefs }),
    ...defined({ target_range: facts.targetRange, shown_range: shownRange }),
    ...(result.isKeptInPart === true && !isContextTool ? { kept_in_part: true } : {}),
    ...(isContextTool || result.details === undefined ? {} : { details: result.details }),
    ...(facts.id === result.toolCallId ? {} : { provider_id: result.toolCallId }),
    ...defined({ timestamp: result.timestamp }),
    provenance: { origin: "toolcall", generator: "tool" },
  };
}

/**
 * Returns the provider's id of a tool call object. Messages to the provider always carry this id, even if the object
 * has another (decision D31).
 */
export function providerId(body: {
  readonly id: string;
  readonly [field: string]: JsonValue | undefined;
}): string {
  return typeof body["provider_id"] === "string" ? body["provider_id"] : body.id;
}

/** Returns the files to which a tool call refers. */
export function fileReferences(
  body: ObjectMetadata | ObjectBody | undefined,
): readonly Reference[] {
  const references = body?.["file_refs"];
  return Array.isArray(references) ? references.filter(isReference) : [];
}

/**
 * Returns the files whose text stands for the result of a call that read them. Calls of `activate` and `pin` refer to the
 * files that they showed, and show whatever is active.
 */
export function filesInResult(body: ObjectMetadata | ObjectBody | undefined): readonly Reference[] {
  const operation = body?.["context_operation"] ?? "read";
  return body?.["context_tool"] === true && operation === "read" ? fileReferences(body) : [];
}

/** Returns the versions of files that a context tool or a read loaded into the context. */
export function filesLoaded(body: ObjectMetadata | ObjectBody): readonly StaticReference[] {
  if (body["context_tool"] !== true) return [];
  return fileReferences(body).filter((one): one is StaticReference => one.ref === "static");
}

/** Whether a file is unread, and so large that a read by a tool of the host does not store its content. */
export function isLargeUnread(body: ObjectMetadata | ObjectBody): boolean {
  return presenceOf(body) === "unread" && Number(body["size"] ?? 0) > largeFile;
}

/** Returns the files that a call of a tool for reading has read, also those whose content could not be stored. */
export function filesRead(body: ObjectMetadata | undefined): readonly Reference[] {
  return body?.["call_kind"] === "read" ? fileReferences(body) : [];
}

/** The lines at the end of a result that can have the host's mark: the line that it cut, and the mark if it is a line. */
const markLines = 2;

/**
 * Returns the whole lines of `wholeText` with which a result begins; undefined if there are none, if the result has more
 * than text, or if another line differs.
 */
function linesInResult({ content, wholeText }: ToolResultMessage): LineRange | undefined {
  if (wholeText === undefined || !content.every(isText)) return undefined;
  const lines = textOf(content).split("\n");
  const whole = wholeText.split("\n");
  const other = lines.findIndex((line, index) => line !== whole[index]);
  const to = other === -1 ? lines.length : other;
  const isBeginning = to > 0 && to < whole.length && to >= lines.length - markLines;
  return isBeginning ? { from: 1, to } : undefined;
}

/** Returns the stored form of an output of which the host shows only the beginning. */
function wholeOutput({ wholeText = "" }: ToolResultMessage): {
  readonly content: string;
  readonly char_count: number;
} {
  return { content: wholeText, char_count: wholeText.length };
}

/**
 * Returns the stored form of the output: the result's text is the content. The blocks are stored in addition if the
 * text is not enough to build them again.
 */
function output(
  result: ToolResultMessage,
  report: string | undefined,
): { content: string | null; char_count: number; blocks?: readonly Block[] } {
  const images = result.content.filter((block) => !isText(block));
  if (report !== undefined) {
    return {
      content: report,
      char_count: report.length,
      ...(images.length === 0 ? {} : { blocks: images }),
    };
  }
  const texts = result.content.filter(isText);
  const content = texts.length === 0 && images.length > 0 ? null : textOf(result.content);
  const plain =
    images.length === 0 &&
    texts.length <= 1 &&
    texts.every((block) => Object.keys(block).length === 2);
  return {
    content,
    char_count: content?.length ?? 0,
    ...(plain ? {} : { blocks: result.content }),
  };
}

/** Whether a stored tool call has the tool, the arguments and the time of another. Their outputs can differ. */
export function isSameCall(
  stored: ObjectBody,
  facts: Pick<ToolcallFacts, "result" | "args">,
): boolean {
  return (
    stored.type === "toolcall" &&
    stored["tool"] === facts.result.toolName &&
    stored["timestamp"] === facts.result.timestamp &&
    JSON.stringify(stored["args"]) === JSON.stringify(facts.args)
  );
}

/** Whether a stored tool call returned the same as a result. A context tool's output is its report. */
export function isSameOutput(stored: ObjectBody, result: ToolResultMessage): boolean {
  const shown = rangeIn(stored["shown_range"]);
  // A fork's history has only what the host shows.
  if (shown !== undefined && typeof stored.content === "string")
    return (
      linesInResult({ ...result, wholeText: stored.content })?.to === shown.to &&
      stored["is_error"] === result.isError
    );
  const isContextTool = stored["context_tool"] === true;
  const { content, blocks = null } = output(
    result,
    isContextTool ? textOf(result.content) : undefined,
  );
  return (
    stored["is_error"] === result.isError &&
    stored.content === content &&
    canonicalJson(stored["blocks"] ?? null) === canonicalJson(toJson(blocks))
  );
}
