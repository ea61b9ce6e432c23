import { isJsonObject } from "@self-context-manager/objects";
import type { JsonObject, JsonValue } from "@self-context-manager/core";

import type {
  RecordedAssistant,
  RecordedImage,
  RecordedText,
  RecordedUsage,
} from "./recorded-session.ts";

/** A JSON value as an object; empty if it is not an object. */
export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** A JSON value as a list of objects; other elements are left out. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

export function stringValue(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A recorded time, which is a number of milliseconds since 1970 or an ISO 8601 text. */
export function timeOf(value: JsonValue | undefined): { readonly timestamp?: number } {
  const time = typeof value === "string" ? Date.parse(value) : value;
  return typeof time === "number" && Number.isFinite(time) ? { timestamp: time } : {};
}

export function textBlock(text: string): RecordedText {
  return { type: "text", text };
}

/** A text as blocks: none if it is empty. */
export function textBlocks(text: string): readonly RecordedText[] {
  return text === "" ? [] : [textBlock(text)];
}

export type ShownBlocks = readonly (RecordedText | RecordedImage)[];

/** Text and images of a message: a plain string is one text, and `other` reads the blocks that are not texts. */
export function shownIn(
  content: JsonValue | undefined,
  other: (block: JsonObject) => ShownBlocks,
): ShownBlocks {
  if (typeof content === "string") return textBlocks(content);
  return objectsOf(content).flatMap((block) => {
    const { type, text } = block;
    return type === "text" && typeof text === "string" ? textBlocks(text) : other(block);
  });
}

/** A block of text or thinking in a model's answer; `other` reads all others. */
export function saidIn(
  block: JsonObject,
  other: () => RecordedAssistant["content"],
): RecordedAssistant["content"] {
  const { type, text, thinking } = block;
  if (type === "text" && typeof text === "string") return textBlocks(text);
  if (type === "thinking" && typeof thinking === "string")
    return thinking === "" ? [] : [{ type, thinking }];
  return other();
}

/** The usage in an object, by the names of its fields. */
export function usageIn(
  value: JsonValue | undefined,
  names: Readonly<Record<keyof RecordedUsage, string>>,
): RecordedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const count = (name: keyof RecordedUsage): number => numberOf(value[names[name]]) ?? 0;
  return {
    input: count("input"),
    output: count("output"),
    cacheRead: count("cacheRead"),
    cacheWrite: count("cacheWrite"),
  };
}

/** An image without its data; `encoded` is base64 or a `data:` URL. Any other URL has 0 bytes. */
export function imageBlock(
  mimeType: string | undefined,
  encoded: string | undefined,
): RecordedImage {
  const url = /^data:([^;,]*)[^,]*,/u.exec(encoded ?? "");
  const isElsewhere = url === null && /^[a-z][a-z\d+.-]*:/iu.test(encoded ?? "");
  return {
    type: "image",
    data: "",
    mimeType: mimeType ?? (url?.[1] || "image/png"),
    elided: true,
    bytes: isElsewhere ? 0 : (encoded ?? "").length - (url?.[0].length ?? 0),
  };
}
