import {
  type AssistantMessage,
  type Block,
  isText,
  type Message,
  type ViewMessage,
} from "@self-context-manager/core";
import {
  areBlocks,
  blocksIn,
  canonicalJson,
  defined,
  fieldsOf,
  jsonObject,
  type MessageCodec,
  type MessageIdentity,
  messageKey,
  sha256,
  soundUsage,
  timeIn,
  toJson,
} from "@self-context-manager/core/host";

import { leftOfCut } from "./cut-texts.ts";
import { answerSaid } from "./shown-content.ts";

/** A message as OpenClaw gives it to a context engine. */
export interface OpenClawMessage {
  readonly role: string;
  readonly [field: string]: unknown;
}

/** The kind of the messages that the adapter adds to a request. */
export const ownKind = "self-context-manager";

/** Reads OpenClaw's messages. A message that it cannot read becomes an opaque message. */
export const openClawCodec: MessageCodec<OpenClawMessage> = {
  // The notices of OpenClaw's own `read` below lines that are not the whole rest of the file.
  fileRendering: { notice: /\n\n\[[^\n]*Use offset=\d+ to continue\.?\]$/u },
  marksSummaries: true,
  identify(raw): MessageIdentity {
    const message = fieldsOf(raw);
    const { role, toolCallId, customType, content } = message;
    if (role === "custom") {
      return {
        role,
        key: `custom ${typeof customType === "string" ? customType : ""} ${sha256(canonicalJson(toJson(content)))}`,
      };
    }
    return {
      role: typeof role === "string" ? role : "",
      ...timeIn(message),
      ...(typeof toolCallId === "string" ? { callId: toolCallId } : {}),
    };
  },
  decode(raw): Message {
    const message = fieldsOf(raw);
    const kind = typeof message["role"] === "string" ? message["role"] : "";
    return (
      decoders[kind]?.(message) ?? {
        role: "opaque",
        kind,
        raw: toJson(raw),
        ...timeIn(message),
      }
    );
  },
};

type Fields = Readonly<Record<string, unknown>>;

const decoders: Readonly<Record<string, (message: Fields) => Message | undefined>> = {
  user({ role: _role, content, timestamp: _timestamp, ...meta }) {
    if (typeof content !== "string" && !areBlocks(content)) return undefined;
    return { role: "user", content, meta: jsonObject(meta), ...timeIn({ timestamp: _timestamp }) };
  },
  assistant({ role: _role, content, timestamp, ...meta }) {
    const blocks = blocksIn(content);
    if (blocks === undefined) return undefined;
    const { stopReason } = meta;
    const usage = usageOf(meta);
    return {
      role: "assistant",
      content: blocks,
      ...(stopReason === "error" || stopReason === "aborted" ? { isFailed: true } : {}),
      ...defined({ usage }),
      meta: jsonObject(meta),
      ...timeIn({ timestamp }),
    };
  },
  toolResult({ toolCallId, toolName, content, isError, details, timestamp, wholeText }) {
    const blocks = blocksIn(content);
    if (typeof toolCallId !== "string" || blocks === undefined) return undefined;
    return {
      role: "toolResult",
      toolCallId,
      toolName: typeof toolName === "string" ? toolName : "",
      content: toolName === "activate" ? blocks.map(said) : blocks,
      ...(typeof wholeText === "string" ? { wholeText } : {}),
      ...(isCut(wholeText, blocks) ? { isKeptInPart: true } : {}),
      isError: isError === true,
      ...(hasFailed(details) ? { hasFailed: true } : {}),
      ...(details === undefined ? {} : { details: toJson(details) }),
      ...timeIn({ timestamp }),
    };
  },
  compactionSummary(message) {
    return {
      role: "summary",
      kind: "compactionSummary",
      raw: toJson(message),
      isFromManager: false,
      ...timeIn(message),
    };
  },
};

/** Whether the host has cut the longest known text of a result. */
function isCut(wholeText: unknown, blocks: readonly Block[]): boolean {
  if (typeof wholeText === "string") return leftOfCut(wholeText) !== undefined;
  return blocks.some((block) => isText(block) && leftOfCut(block.text) !== undefined);
}

/** A block of an answer of `activate`, as requests have it. */
function said(block: Block): Block {
  return isText(block) ? { ...block, text: answerSaid(block.text) } : block;
}

/** Names a message. Two copies of one message have the same name. */
export function keyOf(message: OpenClawMessage): string {
  return messageKey(message, openClawCodec);
}

/** Converts a message of a view to OpenClaw's form. */
export function openClawMessage(message: ViewMessage): OpenClawMessage {
  switch (message.role) {
    case "user": {
      const { content, meta, timestamp } = message;
      // OpenClaw writes the time before the text of a user's message, so a text of the context manager has another role.
      return timestamp === undefined
        ? { role: "custom", customType: ownKind, content, display: false, timestamp: 0 }
        : { ...meta, role: "user", content, timestamp };
    }
    case "assistant":
      return { ...message.meta, role: "assistant", content: message.content, ...timeIn(message) };
    case "toolResult": {
      const { toolCallId, toolName, content, isError } = message;
      return { role: "toolResult", toolCallId, toolName, content, isError, ...timeIn(message) };
    }
    case "opaque":
      return { ...jsonObject(message.raw), role: message.kind };
  }
}

/** Whether a command has failed: OpenClaw passes it as a success, with its exit code in the details. */
function hasFailed(details: unknown): boolean {
  const { exitCode } = fieldsOf(details);
  return typeof exitCode === "number" && exitCode !== 0;
}

/** Whether a message of a request is one that the adapter added. */
export function isOwnMessage({ role, customType }: OpenClawMessage): boolean {
  return role === "custom" && customType === ownKind;
}

/** Returns the tokens that the provider has reported with an answer. */
export function usageOf({ usage }: Fields): AssistantMessage["usage"] {
  const { input, cacheRead, cacheWrite } = fieldsOf(usage);
  return soundUsage({ input, cacheRead, cacheWrite });
}
