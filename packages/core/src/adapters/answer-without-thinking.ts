import { withoutSignedThinking } from "../chat/signed-thinking.ts";
import type { MessageCodec } from "../host/message-codec.ts";
import type { ViewMessage } from "../view/layout.ts";

/**
 * Returns a host's own answer without signed thinking, for a request without a view to a model that binds its thinking: it
 * would refuse thinking of answers to views there. An answer without such thinking is the same object, and one that is
 * nothing but thinking is undefined.
 */
export function answerWithoutThinking<Raw>(
  raw: Raw,
  codec: MessageCodec<Raw>,
  encode: (message: ViewMessage) => Raw,
): Raw | undefined {
  const message = codec.decode(raw);
  if (message.role !== "assistant") return raw;
  const content = withoutSignedThinking(message.content);
  const isSame =
    content.length === message.content.length &&
    content.every((block, at) => block === message.content[at]);
  if (isSame) return raw;
  return content.length === 0 ? undefined : encode({ ...message, content });
}
