import { defined, fieldsOf, isJsonList, type JsonObject } from "@self-context-manager/objects";

import type { CallUsage } from "../../model/run-record.ts";
import { type AnswerReader, type GrowingCall, textIn, tokensIn } from "./answer-reader.ts";

/** Reads an answer of Google's `generateContent`. Each event can have the usage up to it; the last one counts. */
export const googleAnswer: AnswerReader = (events) => {
  const toolCalls: GrowingCall[] = [];
  let text = "";
  let usage: CallUsage | undefined;
  let isComplete = false;
  let error: string | undefined;

  for (const event of events) {
    const candidates = event["candidates"];
    const candidate = fieldsOf(isJsonList(candidates) ? candidates[0] : undefined);
    const parts = fieldsOf(candidate["content"])["parts"];
    for (const part of isJsonList(parts) ? parts : []) {
      const { text: said, thought, functionCall } = fieldsOf(part);
      if (thought !== true) text += textIn(said);
      if (functionCall == null) continue;
      const { name, args } = fieldsOf(functionCall);
      toolCalls.push({ name: textIn(name), arguments: JSON.stringify(args ?? {}) });
    }
    isComplete ||= candidate["finishReason"] != null;
    // A prompt that the provider blocks gets no candidate.
    isComplete ||= fieldsOf(event["promptFeedback"])["blockReason"] != null;
    usage = usageOf(fieldsOf(event["usageMetadata"])) ?? usage;
    if (event["error"] != null) error = textIn(fieldsOf(event["error"])["message"]);
  }
  return {
    answer: { text, toolCalls },
    isComplete: isComplete && error === undefined,
    ...defined({ usage, error }),
  };
};

/** The counts leave out those that are 0. `promptTokenCount` is the whole prompt, without the results of own tools. */
function usageOf(usage: JsonObject): CallUsage | undefined {
  const prompt = tokensIn(usage["promptTokenCount"]);
  if (prompt === undefined) return undefined;
  const cacheRead = tokensIn(usage["cachedContentTokenCount"]) ?? 0;
  const ofTools = tokensIn(usage["toolUsePromptTokenCount"]) ?? 0;
  const said = tokensIn(usage["candidatesTokenCount"]) ?? 0;
  const thought = tokensIn(usage["thoughtsTokenCount"]) ?? 0;
  return {
    input: Math.max(prompt - cacheRead, 0) + ofTools,
    cacheRead,
    cacheWrite: 0,
    output: said + thought,
  };
}
