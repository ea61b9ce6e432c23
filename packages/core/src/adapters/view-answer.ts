import type { MessageCodec } from "../host/message-codec.ts";
import { messageKey } from "../host/message-identity.ts";

/** Follows which message answers the last view, while requests are sent without one. */
export interface ViewAnswer<Raw> {
  /** The view for this list is sent. */
  sends(messages: readonly Raw[]): void;
  /** This list is sent without a view. */
  misses(messages: readonly Raw[]): void;
  /**
   * Returns the index of the answer to the last view in a list, and -1 if the list does not have it. Returns undefined if no
   * request was sent without a view since: then it is the first new answer.
   */
  indexIn(messages: readonly Raw[]): number | undefined;
}

export function viewAnswer<Raw>(codec: MessageCodec<Raw>): ViewAnswer<Raw> {
  /** The newest message of the list that the last view was made for, and its index there. */
  let last: { readonly key: string; readonly index: number } | undefined;
  /** The answer that the host had when the first request was missed; its key is undefined if there was none. */
  let missed: { readonly answer: string | undefined } | undefined;

  function keyAt(messages: readonly Raw[], index: number): string | undefined {
    const message = messages[index];
    return message === undefined ? undefined : messageKey(message, codec);
  }

  function answerIn(messages: readonly Raw[]): string | undefined {
    if (last === undefined) return undefined;
    const { key, index } = last;
    const isWhole = keyAt(messages, index) === key;
    const from = isWhole ? index : messages.findLastIndex((one) => messageKey(one, codec) === key);
    if (from === -1) return undefined;
    const at = messages.findIndex(
      (one, place) => place > from && codec.identify(one).role === "assistant",
    );
    return keyAt(messages, at);
  }

  return {
    sends(messages) {
      missed = undefined;
      const index = messages.length - 1;
      const key = keyAt(messages, index);
      last = key === undefined ? undefined : { key, index };
    },
    misses(messages) {
      missed ??= { answer: answerIn(messages) };
    },
    indexIn(messages) {
      const answer = missed?.answer;
      if (answer === undefined) return missed === undefined ? undefined : -1;
      return messages.findIndex((one) => messageKey(one, codec) === answer);
    },
  };
}
