import assert from "node:assert/strict";

import type { ModelMessage, ModelRequest } from "./model-request.ts";
import { wordsOf } from "./stage.ts";

/** Returns the newest of some requests. */
export function last(requests: readonly ModelRequest[]): ModelRequest {
  const request = requests.at(-1);
  assert.ok(request, "at least one request was sent");
  return request;
}

/** Returns the result that answers a tool call. */
export function resultOf({ messages }: ModelRequest, callId: string): ModelMessage {
  const results = messages.filter((message) => message.toolCallId === callId);
  assert.equal(results.length, 1, `results of ${callId}`);
  return results[0] as ModelMessage;
}

/** A line that begins with a handle: a reference line or a header. */
const handleLine = /^\[?([a-z]+\d+) [^\n]*/u;

/** Returns the handle that a tool call's result begins with. */
export function handleOf(request: ModelRequest, callId: string): string {
  const { text } = resultOf(request, callId);
  const handle = handleLine.exec(text)?.[1];
  assert.ok(handle, `the result of ${callId} begins with a handle, not ${JSON.stringify(text)}`);
  return handle;
}

/** Whether a tool call's result reports a failure or an unknown object. */
export function hasFailed(request: ModelRequest, callId: string): boolean {
  const [line = ""] = resultOf(request, callId).text.split("\n");
  return /^\[?[a-z]+\d+ failed\b|No object (?:is known as|was named)/u.test(line);
}

/**
 * Returns the names of the sample files whose words the messages contain. A name appears as often as its words do.
 */
export function shownWords(
  { messages }: Pick<ModelRequest, "messages">,
  names: readonly string[],
): readonly string[] {
  const text = messages.map((message) => message.text).join("\n");
  return names.flatMap((name) =>
    Array.from(text.matchAll(new RegExp(wordsOf(name), "gu")), () => name),
  );
}

/** Returns the images of all messages, in order. */
export function imagesIn({ messages }: ModelRequest): readonly string[] {
  return messages.flatMap(({ images }) => images);
}

/** Returns the user messages that are equal to one of these texts, in order. */
export function saidBy({ messages }: ModelRequest, texts: readonly string[]): readonly string[] {
  return messages
    .filter(({ role, text }) => role === "user" && texts.includes(text))
    .map(({ text }) => text);
}

/** Returns the bytes of the messages, as they were sent. */
export function bytesOf({ messages }: ModelRequest): readonly string[] {
  return messages.map(({ bytes }) => bytes);
}

/** Returns the errors in the order of tool calls and results for which a provider would refuse the request. */
export function pairingFaults({ messages }: ModelRequest): readonly string[] {
  const faults: string[] = [];
  let waiting: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const [expected, ...rest] = waiting;
      if (message.toolCallId !== expected)
        faults.push(`message ${index} answers ${message.toolCallId}, not ${expected}`);
      waiting = rest;
    } else {
      if (waiting.length > 0)
        faults.push(`message ${index} comes before the results of ${waiting.join(", ")}`);
      waiting = message.toolCalls.map(({ id }) => id);
    }
    if (message.text === "" && message.images.length === 0 && message.toolCalls.length === 0)
      faults.push(`message ${index} is empty`);
  }
  if (waiting.length > 0) faults.push(`no results of ${waiting.join(", ")}`);
  return faults;
}
