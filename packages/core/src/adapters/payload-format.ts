/** An object of a request, whose fields are checked one by one. */
export type Fields = Readonly<Record<string, unknown>>;

/** The form in which a provider's request carries cache breakpoints. */
export type PayloadFormat = "anthropic" | "completions" | "bedrock";

/** A breakpoint as the host writes it: the value of `cache_control`, or a whole `cachePoint` block. */
export type Marker = Fields;

/** A block of a request's messages. */
export interface Place {
  readonly message: number;
  readonly block: number;
}

/** A block that a message of the view became; its key is made from its tool call id, its text or its image. */
export interface KeyedPlace extends Place {
  readonly key: string;
}

/** The host's breakpoints in a request. */
export interface HostMarkers {
  readonly format: PayloadFormat;
  readonly marker: Marker;
  /** Whether the last breakpoint before the messages is in the system prompt or in the tools; undefined without one. */
  readonly head: "system" | "tools" | undefined;
  /** The place of the last breakpoint in the conversation. */
  readonly last: Place | undefined;
}

/** Finds the host's own breakpoints; undefined if there are none or the format is not known. */
export function hostMarkers(payload: Fields): HostMarkers | undefined {
  const format = formatOf(payload);
  if (format === undefined) return undefined;
  const messages = fieldsIn(payload["messages"]);
  let last: Place | undefined;
  let marker: Marker | undefined;
  for (const [message, value] of messages.entries()) {
    if (format === "completions" && isInstruction(value)) continue;
    for (const [block, content] of blocksOf(value).entries()) {
      const found = markerOf(content, format);
      if (found === undefined) continue;
      last = { message, block };
      marker = found;
    }
  }
  const inSystem = systemBlocks(payload, format).map((block) => markerOf(block, format));
  const inTools = fieldsIn(payload["tools"]).map((tool) => markerOf(tool, format));
  const system = inSystem.findLast((found) => found !== undefined);
  const tools = inTools.findLast((found) => found !== undefined);
  const head = system === undefined ? (tools === undefined ? undefined : "tools") : "system";
  const any = system ?? tools ?? marker;
  return any === undefined ? undefined : { format, marker: marker ?? any, head, last };
}

/** The blocks that user messages and tool results became, in order; images only if they can carry a breakpoint. */
export function keyedPlaces(payload: Fields): readonly KeyedPlace[] {
  return fieldsIn(payload["messages"]).flatMap((value, message) => {
    if (value["role"] === "tool") {
      const id = value["tool_call_id"];
      const block = blocksOf(value).length - 1;
      return typeof id === "string" && block >= 0 ? [{ message, block, key: resultKey(id) }] : [];
    }
    if (value["role"] !== "user") return [];
    return blocksOf(value).flatMap((content, block) => {
      const key = blockKey(content);
      return key === undefined ? [] : [{ message, block, key }];
    });
  });
}

/** The key of a tool result. Providers' adapters shorten ids and replace characters that are not word characters. */
export function resultKey(id: string): string {
  return `result ${id.replaceAll(/[^\w-]/gu, "_").slice(0, 40)}`;
}

/** The key of a text; undefined for a blank one, which no request contains. Lone surrogates are removed in requests. */
export function textKey(text: string): string | undefined {
  return text.trim() === "" ? undefined : `text ${text.replaceAll(/\p{Surrogate}/gu, "")}`;
}

export function imageKey(data: string): string {
  return `image ${data}`;
}

/** The blocks of a message; a plain text is one block. */
export function blocksOf(message: Fields): readonly Fields[] {
  const { content } = message;
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return fieldsIn(content);
}

/** Whether a block may carry a breakpoint: not an empty one, and not the model's thinking. */
export function canCarry(block: Fields): boolean {
  return blockKey(block) !== undefined;
}

/** The breakpoint that a block carries. */
export function markerOf(block: Fields, format: PayloadFormat): Marker | undefined {
  const value = block[format === "bedrock" ? "cachePoint" : "cache_control"];
  return isFields(value) ? value : undefined;
}

/** Whether a message is a system prompt among the messages. */
export function isInstruction(message: Fields): boolean {
  return message["role"] === "system" || message["role"] === "developer";
}

/** The blocks of the system prompt, wherever the format stores them. */
function systemBlocks(payload: Fields, format: PayloadFormat): readonly Fields[] {
  if (format !== "completions") return fieldsIn(payload["system"]);
  return fieldsIn(payload["messages"]).filter(isInstruction).flatMap(blocksOf);
}

/** The elements of a list of objects; empty for any other value. */
export function fieldsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) && value.every(isFields) ? value : [];
}

/** Detects the format by fields that the formats do not share; a request without messages has no format. */
function formatOf(payload: Fields): PayloadFormat | undefined {
  const messages = fieldsIn(payload["messages"]);
  if (messages.length === 0) return undefined;
  if (typeof payload["modelId"] === "string") return "bedrock";
  const hasRoles = messages.some((message) => message["role"] === "tool" || isLeading(message));
  if (hasRoles) return "completions";
  // Since 1.4 Anthropic's messages may contain system messages, but never as the first.
  return typeof payload["max_tokens"] === "number" ? "anthropic" : undefined;

  function isLeading(message: Fields): boolean {
    return message === messages[0] && isInstruction(message);
  }
}

function blockKey(block: Fields): string | undefined {
  const result = block["toolResult"];
  if (isFields(result)) return keyOfId(result["toolUseId"]);
  if (block["type"] === "tool_result") {
    return isEmpty(block["content"]) ? undefined : keyOfId(block["tool_use_id"]);
  }
  if (typeof block["text"] === "string") return textKey(block["text"]);
  const { source } = block;
  return isFields(source) && typeof source["data"] === "string"
    ? imageKey(source["data"])
    : undefined;
}

function keyOfId(id: unknown): string | undefined {
  return typeof id === "string" ? resultKey(id) : undefined;
}

function isEmpty(content: unknown): boolean {
  return (
    content === undefined || content === "" || (Array.isArray(content) && content.length === 0)
  );
}

/** Whether a value is an object with fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
