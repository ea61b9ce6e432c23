import { defined, fieldsOf, isJsonList, type JsonObject } from "@self-context-manager/objects";

import type { CallUsage } from "../../model/run-record.ts";
import { type AnswerReader, type GrowingCall, textIn, tokensIn } from "./answer-reader.ts";

/** The last events of a stream. Each has the whole response. */
const ends: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);

/** Reads an answer of OpenAI's Responses: the items as they end, and the usage of the last event. */
export const responsesAnswer: AnswerReader = (events) => {
  const toolCalls: GrowingCall[] = [];
  let text = "";
  let usage: CallUsage | undefined;
  let isComplete = false;
  let error: string | undefined;

  const addItem = (item: JsonObject): void => {
    if (item["type"] === "function_call")
      toolCalls.push({ name: textIn(item["name"]), arguments: textIn(item["arguments"]) });
    if (item["type"] === "custom_tool_call")
      toolCalls.push({ name: textIn(item["name"]), arguments: textIn(item["input"]) });
    const content = item["type"] === "message" ? item["content"] : undefined;
    for (const part of isJsonList(content) ? content : []) text += textIn(fieldsOf(part)["text"]);
  };

  for (const event of events) {
    const response = fieldsOf(event["response"]);
    if (event["object"] === "response") {
      const output = event["output"];
      for (const item of isJsonList(output) ? output : []) addItem(fieldsOf(item));
      usage = usageOf(fieldsOf(event["usage"]));
      isComplete = true;
    } else if (event["type"] === "response.output_item.done") {
      addItem(fieldsOf(event["item"]));
    } else if (ends.has(event["type"])) {
      usage = usageOf(fieldsOf(response["usage"]));
      isComplete = true;
    } else if (event["type"] === "response.failed") {
      usage = usageOf(fieldsOf(response["usage"]));
      error = textIn(fieldsOf(response["error"])["message"]);
    } else if (event["type"] === "error") {
      error = textIn(event["message"] ?? fieldsOf(event["error"])["message"]);
    }
  }
  return { answer: { text, toolCalls }, isComplete, ...defined({ usage, error }) };
};

/** `input_tokens` is the whole prompt. */
function usageOf(usage: JsonObject): CallUsage | undefined {
  const prompt = tokensIn(usage["input_tokens"]);
  const output = tokensIn(usage["output_tokens"]);
  if (prompt === undefined || output === undefined) return undefined;
  const details = fieldsOf(usage["input_tokens_details"]);
  const cacheRead = tokensIn(details["cached_tokens"]) ?? 0;
  const cacheWrite = tokensIn(details["cache_write_tokens"]) ?? 0;
  return { input: Math.max(prompt - cacheRead - cacheWrite, 0), cacheRead, cacheWrite, output };
}
