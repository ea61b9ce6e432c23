import { isJsonObject } from "@self-context-manager/objects";
import type { JsonObject, JsonValue } from "@self-context-manager/core";

import {
  imageBlock,
  numberOf,
  objectOf,
  objectsOf,
  type ShownBlocks,
  shownIn,
  stringValue,
  textBlocks,
} from "./fields.ts";
import type { RecordedThinking, RecordedToolCall } from "./recorded-session.ts";
import type { RecordedAnswer } from "./recording.ts";

/** The text and the images of a message of the Responses API. */
export function saidBlocks(content: JsonValue | undefined): ShownBlocks {
  return shownIn(content, ({ text, image_url: image }) => {
    if (typeof text === "string") return textBlocks(text);
    return typeof image === "string" ? [imageBlock(undefined, image)] : [];
  });
}

/** The visible thinking of a reasoning item; empty if it is encrypted. */
export function thought(item: JsonObject): readonly RecordedThinking[] {
  const texts = [...objectsOf(item["content"]), ...objectsOf(item["summary"])].flatMap(
    (part) => stringValue(part["text"]) ?? [],
  );
  const thinking = texts.join("\n\n");
  return thinking === "" ? [] : [{ type: "thinking", thinking }];
}

/** The tool call of an item: of a function, a custom tool, the local shell, or a tool of the provider. */
export function callOf(item: JsonObject, spareId: string): RecordedToolCall | undefined {
  const { type } = item;
  if (typeof type !== "string" || !type.endsWith("_call")) return undefined;
  const id = stringValue(item["call_id"]) ?? stringValue(item["id"]) ?? spareId;
  const name = stringValue(item["name"]) ?? type.replace(/_call$/u, "");
  return { type: "toolCall", id, name, arguments: argumentsOf(item) };
}

function argumentsOf(item: JsonObject): JsonObject {
  const { input, action } = item;
  if (typeof input === "string") return { input };
  if (isJsonObject(action)) return action;
  const text = stringValue(item["arguments"]);
  if (text === undefined) return objectOf(item["arguments"]);
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // A model can write invalid JSON; it is kept as text.
  }
  return { input: text };
}

export function isAnswer({ type }: JsonObject): boolean {
  return typeof type === "string" && type.endsWith("_output");
}

/**
 * The result of an item: a text, a list of parts, or an object that contains either; it may also be encoded as JSON.
 */
export function outputOf(item: JsonObject): RecordedAnswer {
  const toolCallId = stringValue(item["call_id"]) ?? "";
  const output = unwrapped(item["output"]);
  if (!isJsonObject(output)) return { toolCallId, content: saidBlocks(output), isError: false };
  const exitCode = numberOf(objectOf(output["metadata"])["exit_code"]) ?? 0;
  return {
    toolCallId,
    content: saidBlocks(output["output"] ?? output["content"]),
    isError: output["success"] === false || exitCode !== 0,
  };
}

/** Decodes the JSON in which older releases put the text and the exit code. */
function unwrapped(output: JsonValue | undefined): JsonValue | undefined {
  if (typeof output !== "string" || !output.startsWith('{"output":')) return output;
  try {
    const parsed: unknown = JSON.parse(output);
    return isJsonObject(parsed) && "metadata" in parsed ? parsed : output;
  } catch {
    // The output only looks like that JSON, for example because it is a printed file.
    return output;
  }
}
