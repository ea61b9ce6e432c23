import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import {
  type Block,
  isImage,
  isText,
  isToolCall,
  type JsonObject,
  type JsonValue,
  type ReportedUsage,
  textOf,
  type ViewMessage,
} from "@self-context-manager/core";
import { canonicalJson, type MessageCodec, toJson } from "@self-context-manager/core/host";

import { fieldsOf, isFields, isList } from "./json-fields.ts";

/** A message of a model's prompt as JSON. Bytes are base64, URLs are text, and a tool message has one result. */
export type SdkMessage = JsonObject & { readonly role: string };

/** A message of a prompt, with the tokens that the SDK reports for an answer. */
type RawMessage = { readonly role: string; readonly usage?: unknown };

/** Returns messages of a prompt as JSON. Each part of a tool message becomes a message. */
export function sdkMessages(messages: readonly RawMessage[]): readonly SdkMessage[] {
  return messages.flatMap((raw): readonly SdkMessage[] => {
    const { role } = raw;
    const message = fieldsOf(plain(raw));
    const parts = role === "tool" && isList(message["content"]) ? message["content"] : undefined;
    return parts?.map((part) => ({ role, content: [part] })) ?? [{ ...message, role }];
  });
}

/** Returns messages as a prompt, with consecutive results in one message. */
export function promptOf(messages: readonly SdkMessage[]): LanguageModelV4Prompt {
  const joined: SdkMessage[] = [];
  for (const one of messages) {
    const isNext = one.role === "tool" && joined.at(-1)?.role === "tool";
    const content = [isNext ? (joined.pop()?.["content"] ?? []) : [], one["content"] ?? []].flat();
    joined.push(isNext ? { ...one, content } : one);
  }
  // The SDK has no type for its messages as JSON.
  return joined.map(withUrls) as LanguageModelV4Prompt;
}

/**
 * Reads messages of prompts. They have no ids and no times, so they are recognised by what they say. The options for the
 * provider are not part of it, because apps that store a chat can lose them. The same is true of the thinking of an answer
 * that says something else too.
 */
export const sdkCodec: MessageCodec<SdkMessage> = {
  identify(raw) {
    const message = decoded(raw);
    if (message.role === "toolResult") return { role: message.role, callId: message.toolCallId };
    const whole = fieldsOf(raw)["content"] ?? toJson(raw);
    if (message.role === "opaque") return { role: message.kind, fingerprint: canonicalJson(whole) };
    const { role, content } = message;
    const blocks = typeof content === "string" ? [] : content;
    const said = blocks.filter(({ type }) => type !== "thinking");
    const parts = (said.length > 0 ? said : blocks).map((one) => ({
      ...one,
      providerOptions: null,
    }));
    return { role, fingerprint: canonicalJson(toJson(parts)) };
  },
  decode: decoded,
};

/** Converts a message of a view to the form of a prompt. */
export function sdkMessage(message: ViewMessage): SdkMessage {
  if (message.role === "opaque") return { ...fieldsOf(message.raw), role: message.kind };
  const { role, content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const parts = blocks.map(partOf);
  if (role !== "toolResult") return { ...message.meta, role, content: parts };
  const { toolCallId, toolName, isError } = message;
  const output = blocks.every(isText)
    ? { type: isError ? "error-text" : "text", value: textOf(blocks) }
    : { type: "content", value: parts };
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
}

function decoded(raw: SdkMessage): ViewMessage {
  const { role, content, usage } = fieldsOf(raw);
  const parts = isList(content) && content.every(isPart) ? content : undefined;
  const result = role === "tool" ? resultOf(fieldsOf(parts?.[0])) : undefined;
  if (result !== undefined) return result;
  const said = { content: (parts ?? []).map(blockOf), meta: optionsOf(fieldsOf(raw)) };
  if (role === "user" && parts !== undefined) return { role, ...said };
  if (role !== "assistant" || parts === undefined)
    return { role: "opaque", kind: typeof role === "string" ? role : "", raw };
  return usage === undefined ? { role, ...said } : { role, ...said, usage: tokensIn(usage) };
}

/** Returns the tokens of a prompt from the usage that the SDK reports for its answer. */
function tokensIn(usage: JsonValue): ReportedUsage {
  const { inputTokens, inputTokenDetails } = fieldsOf(usage);
  const details = fieldsOf(inputTokenDetails);
  return {
    input: Number(details["noCacheTokens"] ?? inputTokens ?? 0),
    cacheRead: Number(details["cacheReadTokens"] ?? 0),
    cacheWrite: Number(details["cacheWriteTokens"] ?? 0),
  };
}

function resultOf({ toolCallId, toolName, output }: JsonObject): ViewMessage | undefined {
  if (typeof toolCallId !== "string" || typeof toolName !== "string") return undefined;
  const { type: kind, value = null, reason, providerOptions: details } = fieldsOf(output);
  const said = kind === "execution-denied" ? (reason ?? "Tool execution denied.") : value;
  const text = typeof said === "string" ? said : JSON.stringify(said);
  const parts =
    kind === "content" && isList(value) && value.every(isPart) ? value.map(blockOf) : undefined;
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: parts ?? [{ type: "text", text }],
    isError: kind !== "text" && kind !== "json" && kind !== "content",
    ...(details === undefined ? {} : { details }),
  };
}

type Part = JsonObject & { readonly type: string };

/** Returns the block of a part. A part of a type that core does not know is the block. */
function blockOf(part: Part): Block {
  const { type, text, toolCallId: id, toolName: name, input, data, mediaType } = part;
  const options = optionsOf(part);
  if (type === "reasoning") {
    // A signature of the thinking is among the options.
    const signature = part["providerOptions"] === undefined ? {} : { thinkingSignature: "signed" };
    return { type: "thinking", thinking: text, ...signature, ...options };
  }
  const { data: bytes } = fieldsOf(data);
  const isOfImage = typeof mediaType === "string" && mediaType.startsWith("image");
  if (type === "file" && isOfImage && typeof bytes === "string")
    return { ...part, ...options, type: "image", data: bytes, mimeType: mediaType };
  // The provider itself answers a call that it executes, in the same message.
  if (type !== "tool-call" || part["providerExecuted"] === true) return { ...part, ...options };
  const args = isFields(input) ? { arguments: input } : { arguments: {}, input };
  return { type: "toolCall", id, name, ...args, ...options };
}

function partOf(block: Block): JsonObject {
  const { type, thinking: text, providerOptions } = block;
  const options = providerOptions === undefined ? {} : { providerOptions };
  if (type === "thinking") return { type: "reasoning", text, ...options };
  if (isImage(block)) {
    const { data, mimeType: mediaType, ...rest } = block;
    return { ...rest, type: "file", mediaType, data: { type: "data", data } };
  }
  if (!isToolCall(block)) return block;
  const { id: toolCallId, name: toolName, arguments: args, input = args } = block;
  return { type: "tool-call", toolCallId, toolName, input, ...options };
}

/** Returns the options for the provider without the app's marks for its cache: a view has its own marks. */
function optionsOf({ providerOptions }: JsonObject): JsonObject {
  if (providerOptions === undefined) return {};
  const options = Object.entries(fieldsOf(providerOptions)).map(([provider, value]) => {
    const { cacheControl: _, cachePoint: __, ...rest } = fieldsOf(value);
    return [provider, rest];
  });
  return { providerOptions: Object.fromEntries(options) };
}

/** Returns a value as JSON, with bytes in base64. */
function plain(value: unknown): JsonValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(plain);
  if (!isFields(value) || "toJSON" in value) return toJson(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
}

/** Restores the URLs of files, which the SDK accepts only as objects, in a message, a part or an output. */
function withUrls(value: JsonValue): unknown {
  if (isList(value)) return value.map(withUrls);
  if (!isFields(value)) return value;
  const { type, url } = value;
  const isUrl = type === "url" && typeof url === "string" && URL.canParse(url);
  if (isUrl) return { ...value, url: new URL(url) };
  const inner = fileFields.filter((name) => isFields(value[name]) || isList(value[name]));
  const restored = inner.map((name) => [name, withUrls(value[name] ?? null)]);
  return { ...value, ...Object.fromEntries(restored) };
}

/** The fields from a message down to its files. The arguments of calls are the model's own. */
const fileFields = ["content", "output", "value", "data"];

function isPart(value: JsonValue): value is Part {
  return isFields(value) && typeof value["type"] === "string";
}
