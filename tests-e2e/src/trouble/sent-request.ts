import {
  type AnthropicRequest,
  estimateTokens,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";

import { tmpdir } from "node:os";

/** One message of a request, in the same form for both APIs. */
export interface SentMessage {
  readonly role: string;
  /** The texts, tool results and arguments of tool calls, joined by line feeds. */
  readonly text: string;
  readonly images: number;
  /** The results of tool calls in the message, by the id of the call. */
  readonly results: ReadonlyMap<string, string>;
  /** The number of results, also of those with the same id. */
  readonly resultCount: number;
  /** The size of the message's JSON on the wire, without cache breakpoints. */
  readonly characters: number;
}

/** One request as the provider received it. The instruction is not among the messages. */
export interface SentRequest {
  readonly index: number;
  readonly instruction: string;
  readonly tools: readonly string[];
  readonly messages: readonly SentMessage[];
  /** The texts of all messages, joined by line feeds. */
  readonly text: string;
  /** The size of the messages: their JSON on the wire without cache breakpoints. */
  readonly characters: number;
  /** The size of the messages, estimated by the rule of the loopback servers. */
  readonly tokens: number;
  /** The estimated tokens of the whole prompt. */
  readonly promptTokens: number;
  /** Whether the host requests a summary for a compaction: the only requests without tools. */
  readonly isSummary: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the neutral form of a chat-completions request. */
export function sentByOpenAi({ index, messages, tools, promptText }: WireRequest): SentRequest {
  const said = messages.filter(({ role }) => !isInstruction(role));
  return sentRequest({
    index,
    instruction: messages.flatMap(({ role, text }) => (isInstruction(role) ? [text] : [])),
    tools: tools.map(({ name }) => name),
    promptTokens: estimateTokens(promptText),
    messages: said.map((message) => ({
      role: message.role,
      text: [message.text, ...message.toolCalls.map(({ arguments: args }) => args)].join("\n"),
      images: message.blocks.filter(({ type }) => type === "image").length,
      results: new Map(
        message.toolCallId === undefined ? [] : [[message.toolCallId, message.text]],
      ),
      resultCount: message.toolCallId === undefined ? 0 : 1,
      characters: wireCharacters(message.raw),
    })),
  });
}

/** Returns the neutral form of a request of the Messages API. */
export function sentByAnthropic(request: AnthropicRequest): SentRequest {
  const { index, payload, blocks, systemBlocks, messages } = request;
  const raw = Array.isArray(payload["messages"]) ? payload["messages"].filter(isFields) : [];
  return sentRequest({
    index,
    instruction: [
      ...systemBlocks.map((block) => String(block["text"])),
      ...messages.flatMap(({ role, text }) => (role === "system" ? [text] : [])),
    ],
    tools: fieldsIn(payload["tools"]).map((tool) => String(tool["name"])),
    promptTokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0),
    messages: messages.flatMap((message, at) =>
      message.role === "system"
        ? []
        : [
            {
              role: message.role,
              text: [message.text, ...message.blocks.flatMap(argumentsOf)].join("\n"),
              images: message.blocks.reduce((sum, block) => sum + imagesIn(block), 0),
              results: new Map(message.blocks.flatMap(resultOf)),
              resultCount: message.blocks.flatMap(resultOf).length,
              characters: wireCharacters(raw[at]),
            },
          ],
    ),
  });
}

function isInstruction(role: string): boolean {
  return role === "system" || role === "developer";
}

interface SentParts {
  readonly index: number;
  readonly instruction: readonly string[];
  readonly tools: readonly string[];
  readonly messages: readonly SentMessage[];
  readonly promptTokens: number;
}

function sentRequest({ instruction, ...parts }: SentParts): SentRequest {
  const characters = parts.messages.reduce((sum, message) => sum + message.characters, 0);
  const messages = parts.messages.map((message) => ({
    ...message,
    text: withoutRoot(message.text),
    results: new Map([...message.results].map(([id, text]) => [id, withoutRoot(text)] as const)),
  }));
  return {
    ...parts,
    messages,
    instruction: instruction.join("\n"),
    text: messages.map(({ text }) => text).join("\n"),
    characters,
    tokens: Math.ceil(characters / 4),
    isSummary: parts.tools.length === 0,
  };
}

/** Each side has its own temporary folder, with a name of the same length. */
function withoutRoot(text: string): string {
  return text.replaceAll(workspaceRoot, "ROOT");
}

const workspaceRoot = new RegExp(`(/private)?${tmpdir()}/scm-pi-\\w+`, "gu");

/** Cache breakpoints are no tokens, and both sides place different ones. */
function wireCharacters(raw: unknown): number {
  return JSON.stringify(raw, (key, value: unknown) => (key === "cache_control" ? undefined : value))
    .length;
}

function argumentsOf(block: Fields): readonly string[] {
  return block["type"] === "tool_use" ? [JSON.stringify(block["input"])] : [];
}

function resultOf(block: Fields): readonly (readonly [string, string])[] {
  if (block["type"] !== "tool_result") return [];
  const { content } = block;
  const text =
    typeof content === "string"
      ? content
      : fieldsIn(content)
          .flatMap((one) => (one["type"] === "text" ? [String(one["text"])] : []))
          .join("\n");
  return [[String(block["tool_use_id"]), text]];
}

function imagesIn(block: Fields): number {
  if (block["type"] === "image") return 1;
  return fieldsIn(block["content"]).filter(({ type }) => type === "image").length;
}

function fieldsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
