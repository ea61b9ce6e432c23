import { withoutSignedThinking } from "../chat/signed-thinking.ts";
import type { MessageCodec } from "../host/message-codec.ts";
import type { ViewMessage } from "../view/layout.ts";

/**
 * Returns a host's own messages without signed thinking, for a request without a view to a model that binds its thinking: it
 * would refuse thinking of answers to views there. A message without such thinking is the same object. An answer that is
 * nothing but thinking is left out.
 */
export function messagesWithoutThinking<Raw>(
  messages: readonly Raw[],
  codec: MessageCodec<Raw>,
  encode: (message: ViewMessage) => Raw,
): readonly Raw[] {
  return messages.flatMap((raw) => {
    const message = codec.identify(raw).role === "assistant" ? codec.decode(raw) : undefined;
    if (message?.role !== "assistant") return [raw];
    const content = withoutSignedThinking(message.content);
    const isSame =
      content.length === message.content.length &&
      content.every((block, at) => block === message.content[at]);
    if (isSame) return [raw];
    return content.length === 0 ? [] : [encode({ ...message, content })];
  });
}
