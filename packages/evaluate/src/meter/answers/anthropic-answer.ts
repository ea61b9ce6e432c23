import { defined, fieldsOf, isJsonList, type JsonObject } from "@self-context-manager/objects";

import type { CallUsage } from "../../model/run-record.ts";
import { type AnswerReader, type GrowingCall, textIn, tokensIn } from "./answer-reader.ts";

/** Reads an answer of Anthropic's Messages. Its usage is in the first event, and the last one has the later counts. */
export const anthropicAnswer: AnswerReader = (events) => {
  const calls = new Map<unknown, GrowingCall>();
  let text = "";
  let usage: JsonObject | undefined;
  let isComplete = false;
  let error: string | undefined;

  const addBlock = (index: unknown, block: JsonObject): void => {
    text += textIn(block["text"]);
    if (block["type"] !== "tool_use") return;
    const input = fieldsOf(block["input"]);
    // A stream begins with an empty input and sends its text in pieces.
    const whole = Object.keys(input).length === 0 ? "" : JSON.stringify(input);
    calls.set(index, { name: textIn(block["name"]), arguments: whole });
  };

  for (const event of events) {
    switch (event["type"]) {
      case "message": {
        const content = event["content"];
        if (isJsonList(content))
          for (const [index, block] of content.entries()) addBlock(index, fieldsOf(block));
        usage = fieldsOf(event["usage"]);
        isComplete = true;
        break;
      }
      case "message_start":
        usage = fieldsOf(fieldsOf(event["message"])["usage"]);
        break;
      case "content_block_start":
        addBlock(event["index"], fieldsOf(event["content_block"]));
        break;
      case "content_block_delta": {
        const delta = fieldsOf(event["delta"]);
        text += textIn(delta["text"]);
        const call = calls.get(event["index"]);
        if (call !== undefined) call.arguments += textIn(delta["partial_json"]);
        break;
      }
      case "message_delta":
        usage = { ...usage, ...presentIn(fieldsOf(event["usage"])) };
        isComplete = true;
        break;
      case "error":
        error = textIn(fieldsOf(event["error"])["message"]);
        isComplete = false;
        break;
      default:
    }
  }
  return {
    answer: { text, toolCalls: [...calls.values()].map(finished) },
    isComplete,
    ...defined({ usage: usage === undefined ? undefined : usageOf(usage), error }),
  };
};

function finished({ name, arguments: args }: GrowingCall): GrowingCall {
  return { name, arguments: args === "" ? "{}" : args };
}

/** Some servers repeat the counts of the first event as null. */
function presentIn(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

function usageOf(usage: JsonObject): CallUsage | undefined {
  const input = tokensIn(usage["input_tokens"]);
  const output = tokensIn(usage["output_tokens"]);
  if (input === undefined || output === undefined) return undefined;
  const long = tokensIn(fieldsOf(usage["cache_creation"])["ephemeral_1h_input_tokens"]) ?? 0;
  const cacheWrite = tokensIn(usage["cache_creation_input_tokens"]) ?? 0;
  return {
    input,
    cacheRead: tokensIn(usage["cache_read_input_tokens"]) ?? 0,
    cacheWrite,
    ...(long === 0 ? {} : { cacheWriteLong: Math.min(long, cacheWrite) }),
    output,
  };
}
