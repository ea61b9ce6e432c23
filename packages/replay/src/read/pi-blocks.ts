import { isJsonObject } from "@self-context-manager/objects";
import type { JsonObject, JsonValue } from "@self-context-manager/core";

import {
  imageBlock,
  numberOf,
  objectOf,
  objectsOf,
  present,
  stringValue,
  textBlock,
} from "./fields.ts";
import type {
  RecordedAssistant,
  RecordedImage,
  RecordedText,
  RecordedUsage,
} from "./recorded-session.ts";
import type { ModelCallFacts } from "./recording.ts";

/** Text and images of a message in the form of pi-ai; a plain string is one text. */
export function shownBlocks(
  content: JsonValue | undefined,
): readonly (RecordedText | RecordedImage)[] {
  if (typeof content === "string") return content === "" ? [] : [textBlock(content)];
  return objectsOf(content).flatMap((block): readonly (RecordedText | RecordedImage)[] => {
    const text = stringValue(block["text"]);
    if (block["type"] === "text" && text !== undefined) return text === "" ? [] : [textBlock(text)];
    if (block["type"] === "image") return [imageOf(block)];
    return [];
  });
}

function imageOf(block: JsonObject): RecordedImage {
  const image = imageBlock(stringValue(block["mimeType"]), stringValue(block["data"]));
  return { ...image, bytes: numberOf(block["bytes"]) ?? image.bytes };
}

/** The blocks of a model's answer in the form of pi-ai. */
export function answerBlocks(content: JsonValue | undefined): RecordedAssistant["content"] {
  if (typeof content === "string") return content === "" ? [] : [textBlock(content)];
  return objectsOf(content).flatMap((block): RecordedAssistant["content"] => {
    const { type, text, thinking, id, name } = block;
    if (type === "text" && typeof text === "string" && text !== "") return [textBlock(text)];
    if (type === "thinking" && typeof thinking === "string" && thinking !== "") {
      return [{ type, thinking }];
    }
    if (type === "toolCall" && typeof id === "string" && typeof name === "string") {
      return [{ type, id, name, arguments: objectOf(block["arguments"]) }];
    }
    return [];
  });
}

/** The facts that pi-ai records of a model call apart from its content and its time. */
export function callFacts(message: JsonObject): ModelCallFacts {
  return present({
    provider: stringValue(message["provider"]),
    model: stringValue(message["model"]),
    stopReason: stringValue(message["stopReason"]),
    usage: usageOf(message["usage"]),
  });
}

function usageOf(value: JsonValue | undefined): RecordedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  return {
    input: numberOf(value["input"]) ?? 0,
    output: numberOf(value["output"]) ?? 0,
    cacheRead: numberOf(value["cacheRead"]) ?? 0,
    cacheWrite: numberOf(value["cacheWrite"]) ?? 0,
  };
}
