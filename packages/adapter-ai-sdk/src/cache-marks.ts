import type { JsonObject } from "@self-context-manager/core";
import { defined, fieldsOf, isJsonObject } from "@self-context-manager/core/host";

import type { SdkMessage } from "./sdk-messages.ts";

/**
 * Returns the messages of a request with marks for the provider's cache after those with these indexes, the newest last.
 * `tools` and the first messages, the system prompt, keep the app's marks. If they have none, the
 * system prompt gets one. All marks have the lifetime that the app asks for.
 */
export function withCacheMarks(
  messages: readonly SdkMessage[],
  tools: readonly object[],
  boundaries: readonly number[],
): readonly SdkMessage[] {
  const system = messages.findIndex(({ role }) => role !== "system") - 1;
  const own = [...tools, ...messages.slice(0, system + 1)].flatMap(marksOf);
  const { ttl } = own.at(-1) ?? {};
  // Anthropic and Bedrock accept four marks in a request.
  const places = boundaries.toReversed().slice(0, 4 - Math.max(1, own.length));
  if (own.length === 0) places.push(system);
  const lifetime = defined({ ttl });
  return messages.map((one, index) => (places.includes(index) ? marked(one, lifetime) : one));
}

/** Returns one mark of the app on a message or a tool, if it has any. */
function marksOf(one: object): readonly JsonObject[] {
  const { providerOptions } = fieldsOf(one);
  const marks = Object.values(fieldsOf(providerOptions)).flatMap((options) => {
    const { cacheControl, cachePoint = cacheControl } = fieldsOf(options);
    return isJsonObject(cachePoint) ? [cachePoint] : [];
  });
  return marks.slice(-1);
}

/** Marks a message for Anthropic, for gateways that pass on its options, and for Bedrock. */
function marked(message: SdkMessage, lifetime: JsonObject): SdkMessage {
  const { anthropic, bedrock, ...others } = fieldsOf(message["providerOptions"]);
  const cacheControl = { type: "ephemeral", ...lifetime };
  const cachePoint = { type: "default", ...lifetime };
  const marks = {
    anthropic: { ...fieldsOf(anthropic), cacheControl },
    bedrock: { ...fieldsOf(bedrock), cachePoint },
  };
  return { ...message, providerOptions: { ...others, ...marks } };
}
