import type { ReadList } from "../host/read-list.ts";

/** Follows which message answers the last view, while requests are sent without one. */
export interface ViewAnswer {
  /** The view for this list is sent. */
  sends(list: ReadList): void;
  /** This list is sent without a view. */
  misses(list: ReadList): void;
  /**
   * Returns the index of the answer to the last view in a list, and -1 if the list does not have it. Returns undefined if no
   * request was sent without a view since: then it is the first new answer.
   */
  indexIn(list: ReadList): number | undefined;
}

export function viewAnswer(): ViewAnswer {
  /** The newest message of the list that the last view was made for, and its index there. */
  let last: { readonly key: string; readonly index: number } | undefined;
  /** The answer that the host had when the first request was missed; its key is undefined if there was none. */
  let missed: { readonly answer: string | undefined } | undefined;

  function answerIn({ messages }: ReadList): string | undefined {
    if (last === undefined) return undefined;
    const { key, index } = last;
    const isWhole = messages[index]?.key === key;
    const from = isWhole ? index : messages.findLastIndex((one) => one.key === key);
    if (from === -1) return undefined;
    return messages.find(({ identity: { role } }, at) => at > from && role === "assistant")?.key;
  }

  return {
    sends({ messages }) {
      missed = undefined;
      const index = messages.length - 1;
      const key = messages[index]?.key;
      last = key === undefined ? undefined : { key, index };
    },
    misses(list) {
      missed ??= { answer: answerIn(list) };
    },
    indexIn({ messages }) {
      const answer = missed?.answer;
      if (answer === undefined) return missed === undefined ? undefined : -1;
      return messages.findIndex(({ key }) => key === answer);
    },
  };
}
