import { messageKey } from "@self-context-manager/core/host";

import { openClawCodec, type OpenClawMessage } from "./openclaw-messages.ts";

/**
 * Keeps the messages of the turns that go on. OpenClaw appends them to those of an engine by itself and does not show them
 * to it, but reports each one when it writes it.
 */
export interface CurrentTurns {
  /** A message was written to the transcript of a session. */
  written(place: string, message: OpenClawMessage): void;
  /** Returns the messages that were written after the last of these, which are the messages before the turn. */
  after(place: string, earlier: readonly OpenClawMessage[]): readonly OpenClawMessage[];
  /** The turn of a session has ended. */
  ended(place: string): void;
}

/** Returns turns by the places of their sessions. */
export function currentTurns(): CurrentTurns {
  const turns = new Map<string, readonly OpenClawMessage[]>();
  return {
    written: (place, message) => void turns.set(place, [...(turns.get(place) ?? []), message]),
    after(place, earlier) {
      const known = new Set(earlier.map(timeKey));
      const turn = turns.get(place) ?? [];
      const rest = turn.slice(turn.findLastIndex((message) => known.has(timeKey(message))) + 1);
      turns.set(place, rest);
      return rest;
    },
    ended: (place) => void turns.delete(place),
  };
}

/** The name of a message without the id of its call, which is another one in later turns. */
function timeKey({ toolCallId: _callId, ...message }: OpenClawMessage): string {
  return messageKey(message, openClawCodec);
}
