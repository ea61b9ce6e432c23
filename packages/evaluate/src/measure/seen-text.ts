import { fieldsOf, isJsonList, isJsonObject } from "@self-context-manager/objects";

import { anthropicRequest } from "../loopback/anthropic-request.ts";
import { wireRequest } from "../loopback/wire-request.ts";
import { jsonIn } from "../meter/json-in.ts";
import { requestText } from "../meter/request-text.ts";
import { readText } from "../models/current-contents.ts";
import { seenAnthropic, seenCompletions } from "../models/seen-request.ts";

/**
 * Returns the text of a request as a model understands it: all texts in order, and behind each difference or edit of a file
 * the content that results from it. In protocols other than Anthropic's Messages and OpenAI's chat completions the texts
 * alone.
 */
export function seenText(body: string): string {
  const request = fieldsOf(jsonIn(body));
  const { messages } = request;
  if (!isJsonList(messages)) return requestText(body);
  // Without calls, the texts of both protocols are read in the same way.
  const isCompletions = messages.some(
    (message) => isJsonObject(message) && "tool_calls" in message,
  );
  const seen = isCompletions
    ? seenCompletions(wireRequest(Buffer.from(body), { index: 0, path: "" }), 0)
    : seenAnthropic(anthropicRequest(request, 0));
  return readText(seen.messages);
}
