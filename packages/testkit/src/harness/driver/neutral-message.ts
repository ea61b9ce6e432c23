import { defined } from "@self-context-manager/objects";

import type { ModelMessage } from "../model-request.ts";

/** A message without the fields that have a default. */
export type NeutralParts = Pick<ModelMessage, "role" | "text"> & Partial<ModelMessage>;

/**
 * Returns a message of a request in the neutral form. Default of `images` and `toolCalls`: none. Default of `bytes`: the
 * JSON of all other fields except the thinking.
 */
export function neutralMessage({ thinking, bytes, ...given }: NeutralParts): ModelMessage {
  const { role, text, images = [], toolCalls = [], toolCallId } = given;
  const sent = { role, text, images, toolCalls, ...defined({ toolCallId }) };
  return { ...sent, ...defined({ thinking }), bytes: bytes ?? JSON.stringify(sent) };
}
