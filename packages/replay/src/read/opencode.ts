import { defined, isJsonObject } from "@self-context-manager/objects";
import type { JsonObject, JsonValue } from "@self-context-manager/core";

import {
  imageBlock,
  numberOf,
  objectOf,
  objectsOf,
  type ShownBlocks,
  stringValue,
  textBlocks,
  timeOf,
} from "./fields.ts";
import type {
  RecordedAssistant,
  RecordedImage,
  RecordedText,
  RecordedUsage,
} from "./recorded-session.ts";
import type { ModelCallFacts, Recording } from "./recording.ts";

/** Whether a document is an export of OpenCode. */
export function isOpenCode(value: JsonObject): boolean {
  return isJsonObject(value["info"]) && Array.isArray(value["messages"]);
}

/**
 * Reads an export of OpenCode, which is one JSON document. A `step-start` within a message begins another model call,
 * and the message of a compaction is the summary. Damage is reported by the message's number, because the line numbers
 * of a document mean nothing.
 */
export function readOpenCode(document: JsonObject, rows: Recording): void {
  for (const [index, message] of objectsOf(document["messages"]).entries()) {
    const info = objectOf(message["info"]);
    const parts = objectsOf(message["parts"]);
    if (info["role"] === "user") readUser(info, parts, rows);
    else if (info["role"] === "assistant") readAssistant(info, parts, rows);
    else rows.damaged(0, `message ${index + 1} is neither a user's nor an assistant's`);
  }
}

function readUser(info: JsonObject, parts: readonly JsonObject[], rows: Recording): void {
  const content = parts.flatMap((part): ShownBlocks => {
    if (part["type"] === "text") return texts(part);
    return part["type"] === "file" ? images([part]) : [];
  });
  if (content.length === 0) return;
  const isSynthetic = parts.every((part) => part["type"] !== "text" || part["synthetic"] === true);
  rows.add({
    role: "user",
    content,
    ...timeOf(objectOf(info["time"])["created"]),
    ...(isSynthetic ? { synthetic: true } : {}),
  });
}

function readAssistant(info: JsonObject, parts: readonly JsonObject[], rows: Recording): void {
  const time = timeOf(objectOf(info["time"])["created"]);
  if (info["summary"] === true) {
    const content = parts.flatMap((part) => (part["type"] === "text" ? texts(part) : []));
    if (content.length > 0) {
      rows.add({ role: "user", content, synthetic: true, compaction: true, ...time });
    }
    return;
  }
  const facts: ModelCallFacts = {
    ...defined({
      provider: stringValue(info["providerID"]),
      model: stringValue(info["modelID"]),
      stopReason: stringValue(info["finish"]),
    }),
    ...time,
  };
  const steps = stepsOf(parts);
  for (const step of steps) {
    const finish = step.find((part) => part["type"] === "step-finish");
    const usage = usageOf(finish?.["tokens"] ?? (steps.length === 1 ? info["tokens"] : undefined));
    rows.call(step.flatMap(answerBlock), { ...facts, ...defined({ usage }) });
    for (const part of step) answer(part, rows);
  }
}

function stepsOf(parts: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const steps: JsonObject[][] = [[]];
  for (const part of parts) {
    if (part["type"] === "step-start") steps.push([]);
    steps.at(-1)?.push(part);
  }
  return steps.filter((step) => step.length > 0);
}

function answerBlock(part: JsonObject): RecordedAssistant["content"] {
  const { type, text, callID: id, tool: name } = part;
  if (type === "text") return texts(part);
  if (type === "reasoning" && typeof text === "string" && text !== "") {
    return [{ type: "thinking", thinking: text }];
  }
  if (type === "tool" && typeof id === "string" && typeof name === "string") {
    return [{ type: "toolCall", id, name, arguments: objectOf(objectOf(part["state"])["input"]) }];
  }
  return [];
}

function answer(part: JsonObject, rows: Recording): void {
  const toolCallId = stringValue(part["callID"]);
  const state = objectOf(part["state"]);
  const { status } = state;
  // A call that was still running at the time of the export has no result.
  if (part["type"] !== "tool" || toolCallId === undefined) return;
  if (status !== "completed" && status !== "error") return;
  const text = stringValue(status === "error" ? state["error"] : state["output"]) ?? "";
  rows.answer(
    {
      toolCallId,
      content: [...textBlocks(text), ...images(objectsOf(state["attachments"]))],
      isError: status === "error",
      ...timeOf(objectOf(state["time"])["end"]),
    },
    0,
  );
}

function texts(part: JsonObject): readonly RecordedText[] {
  return part["ignored"] === true ? [] : textBlocks(stringValue(part["text"]) ?? "");
}

function images(parts: readonly JsonObject[]): readonly RecordedImage[] {
  return parts.flatMap((part) => {
    const mimeType = stringValue(part["mime"]);
    return mimeType?.startsWith("image/") === true
      ? [imageBlock(mimeType, stringValue(part["url"]))]
      : [];
  });
}

function usageOf(value: JsonValue | undefined): RecordedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const cache = objectOf(value["cache"]);
  return {
    input: numberOf(value["input"]) ?? 0,
    output: (numberOf(value["output"]) ?? 0) + (numberOf(value["reasoning"]) ?? 0),
    cacheRead: numberOf(cache["read"]) ?? 0,
    cacheWrite: numberOf(cache["write"]) ?? 0,
  };
}
