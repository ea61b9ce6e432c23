import { defined, fieldsOf, isJsonList, type JsonObject } from "@self-context-manager/objects";

import type { CallUsage } from "../../model/run-record.ts";
import { type AnswerReader, type GrowingCall, textIn, tokensIn } from "./answer-reader.ts";

/**
 * Reads an answer of OpenAI's chat completions. A stream has its usage in the last event, and only if the request asked
 * for it. Of several choices only the first is read.
 */
export const completionsAnswer: AnswerReader = (events) => {
  const calls = new Map<unknown, GrowingCall>();
  let text = "";
  let usage: CallUsage | undefined;
  let isComplete = false;
  let error: string | undefined;

  for (const event of events) {
    const choices = event["choices"];
    const choice = fieldsOf(isJsonList(choices) ? choices[0] : undefined);
    const message = fieldsOf(choice["delta"] ?? choice["message"]);
    text += textIn(message["content"]);
    const toolCalls = message["tool_calls"];
    for (const [place, part] of (isJsonList(toolCalls) ? toolCalls : []).entries()) {
      const { index, function: called } = fieldsOf(part);
      const { name, arguments: args } = fieldsOf(called);
      const call = calls.get(index ?? place) ?? { name: "", arguments: "" };
      call.name += textIn(name);
      call.arguments += textIn(args);
      calls.set(index ?? place, call);
    }
    isComplete ||= choice["finish_reason"] != null;
    // Some providers put the usage into the choice.
    usage = usageOf(fieldsOf(event["usage"] ?? choice["usage"])) ?? usage;
    if (event["error"] != null) error = textIn(fieldsOf(event["error"])["message"]);
  }
  return {
    answer: { text, toolCalls: [...calls.values()] },
    isComplete: isComplete && error === undefined,
    ...defined({ usage, error }),
  };
};

/** `prompt_tokens` is the whole prompt. The names of the parts that a cache holds differ between providers. */
function usageOf(usage: JsonObject): CallUsage | undefined {
  const prompt = tokensIn(usage["prompt_tokens"]);
  const output = tokensIn(usage["completion_tokens"]);
  if (prompt === undefined || output === undefined) return undefined;
  const details = fieldsOf(usage["prompt_tokens_details"]);
  const cacheRead =
    tokensIn(details["cached_tokens"]) ?? tokensIn(usage["prompt_cache_hit_tokens"]) ?? 0;
  const cacheWrite = tokensIn(details["cache_write_tokens"]) ?? 0;
  return { input: Math.max(prompt - cacheRead - cacheWrite, 0), cacheRead, cacheWrite, output };
}
