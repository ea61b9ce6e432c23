import {
  type DynamicReference,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ObjectBody,
  type ObjectId,
  type StaticReference,
} from "@self-context-manager/objects";
import { argsDisplay } from "../chat/args-display.ts";
import { type Block, isText, textOf, type ToolResultMessage } from "../chat/message.ts";
import type { CallKind } from "./call-kind.ts";

/** What is known of one execution of a tool when its result is taken in. */
export interface ToolcallFacts {
  readonly id: ObjectId;
  readonly result: ToolResultMessage;
  /** The arguments as the model gave them; empty where the call was never seen. */
  readonly args: JsonObject;
  readonly chatRef: StaticReference | DynamicReference;
  readonly fileRefs: readonly StaticReference[];
  /** What the call did, as the policy tells calls apart. */
  readonly kind?: CallKind;
  /** The objects that one of our own tools acted on. */
  readonly targetRefs?: readonly DynamicReference[];
  /** The report of one of our own tools; it takes the place of the output (decision D34). */
  readonly report?: string;
}

/** Builds the object of one tool execution (specification v0 §24.2, fixes §2 and §3, decisions D31 to D34). */
export function toolcallBody(facts: ToolcallFacts): ObjectBody {
  const { result, report } = facts;
  const isContextTool = report !== undefined;
  return {
    id: facts.id,
    type: "toolcall",
    locked: false,
    ...output(result, report),
    tool: result.toolName,
    args: facts.args,
    args_display: argsDisplay(result.toolName, facts.args),
    ...(facts.kind === undefined ? {} : { call_kind: facts.kind }),
    status: result.isError ? "fail" : "ok",
    is_error: result.isError,
    chat_ref: facts.chatRef,
    ...(facts.fileRefs.length === 0 ? {} : { file_refs: facts.fileRefs }),
    ...(isContextTool ? { context_tool: true, short_summary: report } : {}),
    ...(facts.targetRefs === undefined || facts.targetRefs.length === 0
      ? {}
      : { target_refs: facts.targetRefs }),
    ...(isContextTool || result.details === undefined ? {} : { details: result.details }),
    ...(facts.id === result.toolCallId ? {} : { provider_id: result.toolCallId }),
    ...(result.timestamp === undefined ? {} : { timestamp: result.timestamp }),
    provenance: { origin: "toolcall", generator: "tool" },
  };
}

/** The provider's id of a tool call object; what is sent back always carries it (decision D31). */
export function providerId(body: {
  readonly id: string;
  readonly [field: string]: JsonValue | undefined;
}): string {
  return typeof body["provider_id"] === "string" ? body["provider_id"] : body.id;
}

/** The result's text is the content; blocks stay beside it where text alone would not give them back. */
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

/** Whether a stored tool call is what this result came from: the same call told twice, as a fork does. */
export function isSameExecution(
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

/** The tool call's arguments as an object, whatever the provider sent. */
export function argumentsOf(value: JsonValue | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  return value === undefined || value === null ? {} : { value };
}
