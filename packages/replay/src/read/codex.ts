import { defined } from "@self-context-manager/objects";
import type { JsonObject } from "@self-context-manager/core";

import { callOf, isAnswer, outputOf, saidBlocks, thought } from "./codex-items.ts";
import { numberOf, objectOf, objectsOf, stringValue, textBlock, timeOf } from "./fields.ts";
import type { RecordedAssistant, RecordedUsage } from "./recorded-session.ts";
import type { Recording } from "./recording.ts";
import type { RowReader } from "./row-reader.ts";

/** The row types of newer rollouts, which have an item or an event in `payload`. */
const envelopes = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
]);

/** Whether a line belongs to a rollout of Codex CLI: a row with a payload, or a plain item of the Responses API. */
export function isCodex(value: JsonObject): boolean {
  const { type } = value;
  if (typeof type === "string" && envelopes.has(type)) return "payload" in value;
  if (value["record_type"] === "state") return true;
  if (type === undefined) return "instructions" in value && typeof value["id"] === "string";
  return isItem(value);
}

function isItem({ type, call_id, role, content, message }: JsonObject): boolean {
  if (type === "message")
    return typeof role === "string" && Array.isArray(content) && message === undefined;
  return typeof type === "string" && (type === "reasoning" || typeof call_id === "string");
}

/** The beginnings of texts that Codex itself writes into user messages. */
const machineText =
  /^(?:# AGENTS\.md instructions|<(?:environment_context|user_instructions|permissions|skills?|INSTRUCTIONS|turn_aborted|subagent_notification|collaboration_mode|app-context|apps_instructions|plugins?_instructions|personality_spec|model_switch|user_shell_command)\b)/u;

/**
 * Reads a rollout of Codex CLI.
 *
 * A rollout does not show which items belong to one model call. A call ends with the first result, message of another
 * role, or token count after it.
 */
export function codexReader(rows: Recording): RowReader {
  let model: string | undefined;
  let hasSystem = false;
  let isOpen = false;
  let searches = 0;

  const system = (text: string | undefined, time: { readonly timestamp?: number }): void => {
    if (text === undefined || text === "" || hasSystem) return;
    hasSystem = true;
    rows.add({ role: "system", content: [textBlock(text)], ...time });
  };
  const addToCall = (
    content: RecordedAssistant["content"],
    time: { readonly timestamp?: number },
  ): void => {
    if (isOpen) rows.extendCall(content, {});
    else rows.call(content, { provider: "openai", ...defined({ model }), ...time });
    isOpen = true;
  };

  const readItem = (
    item: JsonObject,
    time: { readonly timestamp?: number },
    line: number,
  ): void => {
    const { type, role } = item;
    if (type === "message") {
      const content = saidBlocks(item["content"]);
      if (role === "assistant") {
        addToCall(
          content.filter((block) => block.type === "text"),
          time,
        );
        return;
      }
      isOpen = false;
      const [first] = content;
      if (first === undefined) return;
      const isMachine = role !== "user" || (first.type === "text" && machineText.test(first.text));
      rows.add({ role: "user", content, ...time, ...(isMachine ? { synthetic: true } : {}) });
    } else if (type === "reasoning") {
      addToCall(thought(item), time);
    } else if (isAnswer(item)) {
      isOpen = false;
      rows.answer({ ...outputOf(item), ...time }, line);
    } else {
      if (stringValue(item["call_id"]) === undefined && stringValue(item["id"]) === undefined)
        searches += 1;
      const call = callOf(item, `search-${searches}`);
      if (call === undefined) return;
      addToCall([call], time);
      if (item["call_id"] !== undefined) return;
      // For a tool that the provider ran, the rollout contains no result.
      const text = "[run by the provider; no result recorded]";
      rows.answer(
        {
          toolCallId: call.id,
          content: [textBlock(text)],
          isError: false,
          synthetic: true,
          ...time,
        },
        line,
      );
    }
  };

  return {
    read(value, line) {
      const time = timeOf(value["timestamp"]);
      const payload = objectOf(value["payload"]);
      switch (value["type"]) {
        case "session_meta":
          system(
            stringValue(objectOf(payload["base_instructions"])["text"]) ??
              stringValue(payload["instructions"]),
            time,
          );
          break;
        case "turn_context":
          model = stringValue(payload["model"]) ?? model;
          break;
        case "event_msg":
          if (payload["type"] !== "token_count" || payload["info"] === null) break;
          isOpen = false;
          // The same count is reported again when limits change, so only the first one is used.
          if (rows.newestCall()?.usage === undefined)
            rows.extendCall([], defined({ usage: usageOf(payload) }));
          break;
        case "compacted":
          isOpen = false;
          rows.add({
            role: "user",
            content: [textBlock(compactedText(payload))],
            synthetic: true,
            compaction: true,
            ...time,
          });
          break;
        case "response_item":
          readItem(payload, time, line);
          break;
        case undefined:
          system(stringValue(value["instructions"]), time);
          break;
        default:
          if (isItem(value)) readItem(value, time, line);
      }
    },
  };
}

/**
 * The new history after a compaction: the messages that replace the old ones, or in older rollouts only the summary.
 */
function compactedText(payload: JsonObject): string {
  const kept = objectsOf(payload["replacement_history"])
    .filter((item) => item["type"] === "message")
    .flatMap((item) => saidBlocks(item["content"]))
    .flatMap((block) =>
      block.type === "text" && !machineText.test(block.text) ? [block.text] : [],
    );
  return kept.length > 0 ? kept.join("\n\n") : (stringValue(payload["message"]) ?? "");
}

function usageOf(payload: JsonObject): RecordedUsage | undefined {
  const used = objectOf(objectOf(payload["info"])["last_token_usage"]);
  const input = numberOf(used["input_tokens"]);
  if (input === undefined) return undefined;
  const cacheRead = numberOf(used["cached_input_tokens"]) ?? 0;
  return {
    input: Math.max(0, input - cacheRead),
    output: numberOf(used["output_tokens"]) ?? 0,
    cacheRead,
    cacheWrite: 0,
  };
}
