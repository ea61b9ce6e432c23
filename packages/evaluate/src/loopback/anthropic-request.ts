import { estimateTokens } from "./loopback-reply.ts";
import type { PromptBlock } from "./prefix-cache.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One request of Anthropic's Messages API. */
export interface AnthropicRequest {
  readonly index: number;
  readonly payload: Fields;
  /** The prompt block by block: tools, system prompt and messages. */
  readonly blocks: readonly PromptBlock[];
  readonly systemBlocks: readonly Fields[];
  readonly messages: readonly AnthropicMessage[];
  /** The errors for which the provider would refuse the request. A test expects none. */
  readonly faults: readonly string[];
}

export interface AnthropicMessage {
  readonly role: string;
  readonly blocks: readonly Fields[];
  /** The texts and tool results of the message, joined by line feeds. */
  readonly text: string;
}

const fiveMinutes = 300_000;
const hour = 3_600_000;

/** Decodes a request. Throws `TypeError` for a body without messages. */
export function anthropicRequest(payload: unknown, index: number): AnthropicRequest {
  if (!isFields(payload) || !Array.isArray(payload["messages"])) {
    throw new TypeError("a Messages request needs a body with messages");
  }
  const tools = fieldsIn(payload["tools"]);
  const systemBlocks = contentOf(payload["system"]);
  const messages = fieldsIn(payload["messages"]).map((message): AnthropicMessage => {
    const blocks = contentOf(message["content"]);
    return { role: textOf(message["role"]), blocks, text: blocks.map(said).join("\n") };
  });
  const blocks = [
    ...tools.map((tool) => promptBlock("tool", tool)),
    ...systemBlocks.map((block) => promptBlock("system", block)),
    ...messages.flatMap(({ role, blocks: content }) =>
      content.map((block) => promptBlock(role, block)),
    ),
  ];
  return {
    index,
    payload,
    blocks,
    systemBlocks,
    messages,
    faults: faultsOf(blocks, messages, payload),
  };
}

/**
 * Returns the blocks that have a breakpoint, as positions in the messages: `2.0` is the first block of the third
 * message.
 */
export function markedPlaces({ messages }: AnthropicRequest): readonly string[] {
  return messages.flatMap(({ blocks }, message) =>
    blocks.flatMap((block, index) => (hasMarker(block) ? [`${message}.${index}`] : [])),
  );
}

/** Returns a block as the model gets it. A breakpoint and the way in which a tool's arguments are streamed are no text. */
function promptBlock(role: string, block: Fields): PromptBlock {
  const { cache_control: marker, eager_input_streaming: _streaming, ...rest } = block;
  const text = `${role} ${JSON.stringify(rest)}`;
  const lifetime = isFields(marker) && marker["ttl"] === "1h" ? hour : fiveMinutes;
  return {
    text,
    tokens: estimateTokens(JSON.stringify(rest)),
    ...(isFields(marker) ? { breakpoint: lifetime } : {}),
  };
}

/** Returns the violated rules for which the real API answers 400. */
function faultsOf(
  blocks: readonly PromptBlock[],
  messages: readonly AnthropicMessage[],
  payload: Fields,
): readonly string[] {
  const faults: string[] = [];
  const marks = blocks.filter(({ breakpoint }) => breakpoint !== undefined);
  if (marks.length > 4)
    faults.push(`at most 4 blocks may have cache_control, found ${marks.length}`);
  const lifetimes = marks.map(({ breakpoint }) => breakpoint);
  if (
    lifetimes.indexOf(fiveMinutes) !== -1 &&
    lifetimes.lastIndexOf(hour) > lifetimes.indexOf(fiveMinutes)
  )
    faults.push("a ttl of 1h must not come after a ttl of 5m");
  const all = [...contentOf(payload["system"]), ...messages.flatMap((message) => message.blocks)];
  for (const block of all) {
    const type = textOf(block["type"]);
    if (type === "text" && textOf(block["text"]).trim() === "")
      faults.push("text must not be empty");
    if (!hasMarker(block)) continue;
    if (isEmpty(block)) faults.push("cache_control must not be on an empty block");
    if (/thinking/u.test(type)) faults.push("cache_control must not be on a thinking block");
  }
  return [...faults, ...pairingFaults(messages)];
}

/**
 * Returns the violations of one rule: every tool call is answered in the next message, and that message answers no
 * other.
 */
function pairingFaults(messages: readonly AnthropicMessage[]): readonly string[] {
  const faults: string[] = [];
  let waiting: readonly string[] = [];
  for (const [index, { role, blocks }] of messages.entries()) {
    if (role === "system") continue;
    if (blocks.length === 0) faults.push(`message ${index} is empty`);
    const answered = blocks
      .filter(({ type }) => type === "tool_result")
      .map((block) => textOf(block["tool_use_id"]));
    if (waiting.toSorted().join() !== answered.toSorted().join())
      faults.push(`message ${index} answers [${answered.join()}], expected [${waiting.join()}]`);
    waiting = blocks.filter(({ type }) => type === "tool_use").map((block) => textOf(block["id"]));
  }
  if (waiting.length > 0) faults.push(`no results of [${waiting.join()}]`);
  if (messages[0]?.role !== "user") faults.push("the first message is not a user's");
  return faults;
}

function isEmpty(block: Fields): boolean {
  const { content } = block;
  if (block["type"] === "text") return textOf(block["text"]) === "";
  return (
    block["type"] === "tool_result" &&
    (content === "" || (Array.isArray(content) && content.length === 0))
  );
}

function hasMarker(block: Fields): boolean {
  return isFields(block["cache_control"]);
}

function said(block: Fields): string {
  if (block["type"] === "tool_result") return contentOf(block["content"]).map(said).join("\n");
  return textOf(block["text"]);
}

function contentOf(content: unknown): readonly Fields[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : fieldsIn(content);
}

function fieldsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
