import { defined } from "@self-context-manager/objects";
import type { JsonObject, JsonValue } from "@self-context-manager/core";

import {
  imageBlock,
  objectOf,
  objectsOf,
  saidIn,
  type ShownBlocks,
  shownIn,
  stringValue,
  textBlock,
  timeOf,
  usageIn,
} from "./fields.ts";
import type { RecordedAssistant, RecordedText } from "./recorded-session.ts";
import type { ModelCallFacts, Recording } from "./recording.ts";
import type { RowReader } from "./row-reader.ts";

/** Whether a line belongs to a Claude Code session. */
export function isClaudeCode(value: JsonObject): boolean {
  const { type } = value;
  if (type === "summary") return "leafUuid" in value;
  if (type === "file-history-snapshot") return "messageId" in value;
  const isChat = type === "user" || type === "assistant" || type === "system";
  return isChat && typeof value["uuid"] === "string" && "sessionId" in value;
}

/** The beginnings of texts that Claude Code itself writes into user rows; a user's slash command begins differently. */
const machineText = /^<(?:local-command-|command-name>|system-reminder>|user-prompt-submit-hook>)/u;

/**
 * Reads a Claude Code session.
 *
 * A model call has a row for each of its blocks; these rows are joined by the message's id. Rows of sub-agents within a
 * session are left out, but a file that begins with such a row is a sub-agent's own session. Rows count in the order of
 * the file, including those that the user took back by a rewind.
 */
export function claudeCodeReader(rows: Recording): RowReader {
  const seen = new Set<string>();
  let sidechain: boolean | undefined;
  let messageId: string | undefined;
  return {
    read(value, line) {
      const { type, uuid } = value;
      if (type !== "user" && type !== "assistant") return;
      if (value["message"] === undefined) {
        rows.damaged(line, `a row of type ${type} without a message`);
        return;
      }
      sidechain ??= value["isSidechain"] === true;
      if ((value["isSidechain"] === true) !== sidechain) return;
      // A resumed session contains its earlier rows a second time.
      if (typeof uuid === "string") {
        if (seen.has(uuid)) return;
        seen.add(uuid);
      }
      const message = objectOf(value["message"]);
      if (type === "user") {
        readUser(value, message, rows, line);
        return;
      }
      // A message that the program itself wrote as the model's, usually about an error.
      if (message["model"] === "<synthetic>") return;
      const id = stringValue(message["id"]);
      const facts = factsOf(message);
      const content = objectsOf(message["content"]).flatMap(answerBlock);
      if (id === undefined || id !== messageId) {
        rows.call(content, { ...facts, ...timeOf(value["timestamp"]) });
      } else rows.extendCall(content, facts);
      messageId = id;
      for (const block of objectsOf(message["content"])) {
        const { type: kind, tool_use_id: callId } = block;
        if (kind === "tool_result" || typeof callId !== "string") continue;
        rows.answer({ toolCallId: callId, content: serverResult(block), isError: false }, line);
      }
    },
  };
}

function readUser(value: JsonObject, message: JsonObject, rows: Recording, line: number): void {
  const time = timeOf(value["timestamp"]);
  const { content } = message;
  for (const block of objectsOf(content)) {
    if (block["type"] !== "tool_result") continue;
    rows.answer(
      {
        toolCallId: stringValue(block["tool_use_id"]) ?? "",
        content: shownBlocks(block["content"]),
        isError: block["is_error"] === true,
        ...time,
      },
      line,
    );
  }
  const said = shownBlocks(content);
  const [first] = said;
  if (first === undefined) return;
  const isSummary = value["isCompactSummary"] === true;
  const isMachine =
    value["isMeta"] === true || (first.type === "text" && machineText.test(first.text));
  rows.add({
    role: "user",
    content: said,
    ...time,
    ...(isSummary || isMachine ? { synthetic: true } : {}),
    ...(isSummary ? { compaction: true } : {}),
  });
}

function shownBlocks(content: JsonValue | undefined): ShownBlocks {
  return shownIn(content, (block) => {
    if (block["type"] === "image") {
      const source = objectOf(block["source"]);
      const encoded = stringValue(source["data"]) ?? stringValue(source["url"]);
      return [imageBlock(stringValue(source["media_type"]), encoded)];
    }
    // The result of a tool search is a list of tool names.
    const tool = stringValue(block["tool_name"]);
    return tool === undefined ? [] : [textBlock(tool)];
  });
}

function answerBlock(block: JsonObject): RecordedAssistant["content"] {
  return saidIn(block, () => {
    const { type, id, name } = block;
    const isCall = type === "tool_use" || type === "server_tool_use";
    if (!isCall || typeof id !== "string" || typeof name !== "string") return [];
    return [{ type: "toolCall", id, name, arguments: objectOf(block["input"]) }];
  });
}

/** The result of a tool that the provider ran, which is part of the model's message. */
function serverResult(block: JsonObject): readonly RecordedText[] {
  const content = block["content"];
  const pages = objectsOf(content).map((page) =>
    [page["title"], page["url"]].filter((part) => typeof part === "string").join(" "),
  );
  return [textBlock(pages.length > 0 ? pages.join("\n") : (JSON.stringify(content) ?? ""))];
}

function factsOf(message: JsonObject): ModelCallFacts {
  return defined({
    provider: "anthropic",
    model: stringValue(message["model"]),
    stopReason: stringValue(message["stop_reason"]),
    usage: usageIn(message["usage"], usageNames),
  });
}

const usageNames = {
  input: "input_tokens",
  output: "output_tokens",
  cacheRead: "cache_read_input_tokens",
  cacheWrite: "cache_creation_input_tokens",
};
