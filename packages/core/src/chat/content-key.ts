import {
  canonicalJson,
  isJsonObject,
  type JsonValue,
  sha256,
  toJson,
} from "@self-context-manager/objects";
import type { Message } from "./message.ts";
import { isAssistantStep, type Step, type Turn } from "./turn.ts";

/** Prefix of the keys that are made from the content of a message. */
const prefix = "content:";

/**
 * Returns a key made from the content of a message, for hosts whose messages have neither ids nor times. Messages with
 * the same content have the same key. What the host can change between two requests is not part of it: the usage and the
 * other fields of an answer, the marks for the provider's cache, and whether a text is a string or a block.
 */
export function contentKey(message: Message): string {
  return `${prefix}${sha256(canonicalJson(toJson(contentOf(message))))}`;
}

/** Returns the key of a message from the fingerprint that the host's codec gives it. */
export function fingerprintKey(role: string, fingerprint: string): string {
  const short = fingerprint.length > longest ? sha256(fingerprint) : fingerprint;
  return `${prefix}${role} ${short}`;
}

/** Length of a fingerprint above which its hash is stored instead. */
const longest = 100;

/** Whether a key is made from content. Several messages can have it. */
export function isContentKey(key: string): boolean {
  return key.startsWith(prefix);
}

/** A key that an earlier version made from all fields of a message. */
const former = /^~[\da-f]{64}$/u;

/** Returns turns whose keys were made from content in the present form. */
export function withPresentKeys(turns: readonly Turn[]): readonly Turn[] {
  if (!turns.some(hasFormerKey)) return turns;
  return turns.map((turn) => {
    const { user, key, steps } = turn;
    const isFormer = key !== undefined && former.test(key) && user !== null;
    const present = isFormer ? { key: contentKey({ role: "user", content: user }) } : {};
    return { ...turn, ...present, steps: steps.map(withPresentKey) };
  });
}

function hasFormerKey({ key = "", steps }: Turn): boolean {
  return former.test(key) || steps.some((step) => former.test(step.key ?? ""));
}

function withPresentKey(step: Step): Step {
  if (step.key === undefined || !former.test(step.key)) return step;
  const message: Message = isAssistantStep(step)
    ? { role: "assistant", content: step.assistant, meta: {} }
    : { role: "opaque", kind: step.kind, raw: step.opaque };
  return { ...step, key: contentKey(message) };
}

/** Returns a summary whose key was made from content in the present form. */
export function summaryWithPresentKey<
  Summary extends { opaque: JsonValue; kind: string; key?: string },
>(summary: Summary): Summary {
  const { key, kind, opaque: raw } = summary;
  if (key === undefined || !former.test(key)) return summary;
  return { ...summary, key: contentKey({ role: "summary", kind, raw, isFromManager: false }) };
}

function contentOf(message: Message): readonly unknown[] {
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
      return [message.role, message.kind, withoutMarks(message.raw)];
    default:
      return message satisfies never;
  }
}

function blocksOf(content: JsonValue): readonly unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return (Array.isArray(content) ? (content as readonly JsonValue[]) : []).flatMap((block) => {
    const { type } = isJsonObject(block) ? block : {};
    return type === "cachePoint" ? [] : [withoutMarks(block)];
  });
}

/** The fields by which libraries and providers mark what the provider shall keep in its cache. */
const markFields: ReadonlySet<string> = new Set(["cache_control", "cacheControl", "cachePoint"]);

/** Returns a value without marks for the cache, and without the objects that held nothing else. */
function withoutMarks(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutMarks);
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

function isEmptyObject(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}
