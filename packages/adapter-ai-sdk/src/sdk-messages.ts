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
import {
  canonicalJson,
  defined,
  fieldsOf,
  isBoundAnswer,
  isJsonList,
  isJsonObject,
  type MessageCodec,
  toJson,
  toJsonWithBase64,
} from "@self-context-manager/core/host";

/** A message of a model's prompt as JSON. Bytes are base64, URLs are text, and a tool message has one result. */
export type SdkMessage = JsonObject & { readonly role: string };

/** Returns messages of a prompt as JSON. Each part of a tool message becomes a message. */
export function sdkMessages(messages: readonly { readonly role: string }[]): readonly SdkMessage[] {
  return messages.flatMap((raw): readonly SdkMessage[] => {
    const { role } = raw;
    const message = fieldsOf(toJsonWithBase64(raw));
    const { content } = message;
    const isOfTools = role === "tool" && isJsonList(content);
    return isOfTools ? content.map((part) => ({ role, content: [part] })) : [{ ...message, role }];
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
  return joined.map(({ content, ...one }) => ({
    ...one,
    content: isJsonList(content) ? content.map(withUrl) : content,
  })) as LanguageModelV4Prompt;
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
    const shown = said.length > 0 ? said : blocks;
    const parts = shown.map((one) => ({ ...one, providerOptions: null }));
    return { role, fingerprint: canonicalJson(toJson(parts)) };
  },
  decode: decoded,
};

/** Converts a message of a view to the form of a prompt. */
export function sdkMessage(message: ViewMessage): SdkMessage {
  if (message.role === "opaque") return { ...fieldsOf(message.raw), role: message.kind };
  const { role, content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (role !== "toolResult") return { ...message.meta, role, content: blocks.map(partOf) };
  const { toolCallId, toolName, isError } = message;
  const output = outputOf(blocks, isError);
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
}

function outputOf(blocks: readonly Block[], isError: boolean): JsonObject {
  if (!blocks.every(isText)) return { type: "content", value: blocks.map(partOf) };
  const text = textOf(blocks);
  const kind = blocks.length === 1 ? blocks[0]?.["outputType"] : undefined;
  if (kind === "execution-denied") return { type: kind, reason: text };
  try {
    if (typeof kind === "string") return { type: kind, value: toJson(JSON.parse(text)) };
  } catch {
    // The view shows a part of the value, which is a text.
  }
  return { type: isError ? "error-text" : "text", value: text };
}

function decoded(raw: SdkMessage): ViewMessage {
  const { role, content, usage } = fieldsOf(raw);
  const parts = isJsonList(content) && content.every(isPart) ? content : undefined;
  const result = role === "tool" ? resultOf(fieldsOf(parts?.[0])) : undefined;
  if (result !== undefined) return result;
  const said = { content: (parts ?? []).map(blockOf), meta: optionsOf(fieldsOf(raw)) };
  if (role === "user" && parts !== undefined) return { role, ...said };
  if (role !== "assistant" || parts === undefined)
    return { role: "opaque", kind: typeof role === "string" ? role : "", raw };
  return usage === undefined
    ? { role, ...said }
    : { role, ...said, usage: tokensIn(fieldsOf(usage)) };
}

/** Returns the tokens of a prompt from the usage that the SDK reports for its answer. */
function tokensIn({ inputTokens, inputTokenDetails }: JsonObject): ReportedUsage {
  const { noCacheTokens, cacheReadTokens, cacheWriteTokens } = fieldsOf(inputTokenDetails);
  return {
    input: Number(noCacheTokens ?? inputTokens ?? 0),
    cacheRead: Number(cacheReadTokens ?? 0),
    cacheWrite: Number(cacheWriteTokens ?? 0),
  };
}

function resultOf({ toolCallId, toolName, output }: JsonObject): ViewMessage | undefined {
  if (typeof toolCallId !== "string" || typeof toolName !== "string") return undefined;
  const { type: kind, value = null, reason, providerOptions } = fieldsOf(output);
  const result = { role: "toolResult", toolCallId, toolName } as const;
  if (isBoundAnswer(value)) {
    // The app has made its prompt without the tool, which would have shown the text.
    const { text, isError, details } = value;
    return { ...result, content: [{ type: "text", text }], isError, details };
  }
  const said = kind === "execution-denied" ? (reason ?? "Tool execution denied.") : value;
  const isSaid = typeof said === "string" && kind !== "execution-denied";
  const text = typeof said === "string" ? said : JSON.stringify(said);
  // Some providers recognise the results of their own tools by the type of the output.
  const block = { type: "text", text, ...(isSaid ? {} : { outputType: kind ?? null }) };
  const parts =
    kind === "content" && isJsonList(value) && value.every(isPart) ? value.map(blockOf) : [block];
  const isError = kind !== "text" && kind !== "json" && kind !== "content";
  const details = defined({ details: providerOptions });
  return { ...result, content: parts, isError, ...details };
}

type Part = JsonObject & { readonly type: string };

/** Returns the block of a part. A part of a type that core does not know is the block. */
function blockOf(part: Part): Block {
  const { type, text, toolCallId: id, toolName: name, input, data, mediaType } = part;
  const { providerOptions: _, ...plain } = part;
  const options = optionsOf(part);
  if (type === "reasoning") {
    // A signature of the thinking is among the options.
    const signature = "providerOptions" in options ? { thinkingSignature: "signed" } : {};
    return { type: "thinking", thinking: text, ...signature, ...options };
  }
  const { data: bytes } = fieldsOf(data);
  const isOfImage = typeof mediaType === "string" && mediaType.startsWith("image");
  if (type === "file" && isOfImage && typeof bytes === "string")
    return { ...plain, ...options, type: "image", data: bytes, mimeType: mediaType };
  // The provider itself answers a call that it executes, in the same message.
  if (type !== "tool-call" || part["providerExecuted"] === true) return { ...plain, ...options };
  const args = isJsonObject(input) ? { arguments: input } : { arguments: {}, input };
  return { type: "toolCall", id, name, ...args, ...options };
}

function partOf(block: Block): JsonObject {
  const { type, thinking: text } = block;
  const options = optionsOf(block);
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
  const options = Object.entries(fieldsOf(providerOptions)).flatMap(([provider, value]) => {
    const { cacheControl: _, cachePoint: __, ...kept } = fieldsOf(value);
    return Object.keys(kept).length === 0 ? [] : [[provider, kept]];
  });
  return options.length === 0 ? {} : { providerOptions: Object.fromEntries(options) };
}

/** Restores the URL of a file, which the SDK accepts only as an object, in a part of a message or of an output. */
function withUrl(part: JsonValue): unknown {
  if (!isJsonObject(part)) return part;
  const output = fieldsOf(part["output"]);
  const { type, value } = output;
  if (type === "content" && isJsonList(value))
    return { ...part, output: { ...output, value: value.map(withUrl) } };
  const data = fieldsOf(part["data"]);
  const { type: kind, url } = data;
  const isUrl = kind === "url" && typeof url === "string" && URL.canParse(url);
  return isUrl ? { ...part, data: { ...data, url: new URL(url) } } : part;
}

function isPart(value: JsonValue): value is Part {
  return isJsonObject(value) && typeof value["type"] === "string";
}
