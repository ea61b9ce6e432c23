import { canonicalJson, isJsonObject, type JsonValue, sha256 } from "@self-context-manager/objects";
import type { Block, Message } from "./message.ts";

/** Prefix of the keys that are made from the content of a message. */
const prefix = "content:";

/**
 * Returns a key made from the content of a message, for hosts whose messages have neither ids nor times. Messages with
 * the same content have the same key. What the host can change between two requests is not part of it: the usage and the
 * other fields of an answer, the marks for the provider's cache, and whether a text is a string or a block.
 */
export function contentKey(message: Message): string {
  const content = contentOf(message);
  const text = canonicalJson(content);
  // Nearly every message has no mark, and a host without ids needs the keys of its whole list at each call.
  return `${prefix}${sha256(marked.test(text) ? canonicalJson(withoutMarks(content)) : text)}`;
}

/**
 * Returns the key of a message from the fingerprint that the host's codec gives it. Keys are stored, so they contain no text:
 * a text of a host can have a secret.
 */
export function fingerprintKey(role: string, fingerprint: string): string {
  return `${prefix}${role} ${sha256(fingerprint)}`;
}

/** Whether a key is made from content. Several messages can have it. */
export function isContentKey(key: string): boolean {
  return key.startsWith(prefix);
}

function contentOf(message: Message): readonly JsonValue[] {
  switch (message.role) {
    case "user":
    case "assistant":
      return [message.role, blocksOf(message.content)];
    case "toolResult": {
      const { toolCallId, isError, content } = message;
      return [message.role, toolCallId, isError, blocksOf(content)];
    }
    case "opaque":
    case "summary":
      return [message.role, message.kind, message.raw];
    default:
      return message satisfies never;
  }
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** The fields by which libraries and providers mark what the provider shall keep in its cache. */
const markFields: ReadonlySet<string> = new Set(["cache_control", "cacheControl", "cachePoint"]);

/** Whether a text of JSON can have a mark. */
const marked = /cache_control|cacheControl|cachePoint/u;

/** Returns a value without marks for the cache, and without the objects that held nothing else. */
function withoutMarks(value: JsonValue): JsonValue {
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).filter((one) => !isCachePoint(one)).map(withoutMarks);
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).flatMap(
    ([name, field = null]): readonly [string, JsonValue][] => {
      if (markFields.has(name)) return [];
      // The arguments of a call are the model's own.
      const kept = name === "arguments" ? field : withoutMarks(field);
      const isEmptied = isEmptyObject(kept) && !isEmptyObject(field);
      return isEmptied ? [] : [[name, kept]];
    },
  );
  return Object.fromEntries(fields);
}

function isCachePoint(value: JsonValue): boolean {
  return isJsonObject(value) && value["type"] === "cachePoint";
}

function isEmptyObject(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
