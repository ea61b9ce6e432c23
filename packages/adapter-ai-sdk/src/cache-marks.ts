import type { JsonObject } from "@self-context-manager/core";

import { fieldsOf, isFields } from "./json-fields.ts";
import type { SdkMessage } from "./sdk-messages.ts";

/**
 * Returns the messages of a request with marks for Anthropic's cache after those with these indexes, the newest last. `tools`
 * and the first messages, the system prompt, keep the app's own marks. If they have none, the system prompt gets one. All
 * marks have the lifetime that the app asks for.
 */
export function withCacheMarks(
  messages: readonly SdkMessage[],
  tools: readonly object[],
  boundaries: readonly number[],
): readonly SdkMessage[] {
  const system = messages.findIndex(({ role }) => role !== "system") - 1;
  const heads = [...tools, ...messages.slice(0, system + 1)];
  const own = heads.map((one) => anthropicOptions(one)["cacheControl"]).filter(isFields);
  const mark = own.at(-1) ?? { type: "ephemeral" };
  // Anthropic accepts four marks in a request.
  const places = boundaries.toReversed().slice(0, 4 - Math.max(1, own.length));
  if (own.length === 0) places.push(system);
  return messages.map((one, index) => (places.includes(index) ? marked(one, mark) : one));
}

function marked(message: SdkMessage, cacheControl: JsonObject): SdkMessage {
  const anthropic = { ...anthropicOptions(message), cacheControl };
  return { ...message, providerOptions: { ...fieldsOf(message["providerOptions"]), anthropic } };
}

function anthropicOptions(one: object): JsonObject {
  return fieldsOf(fieldsOf(fieldsOf(one)["providerOptions"])["anthropic"]);
}
