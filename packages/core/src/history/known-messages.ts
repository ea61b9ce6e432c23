import { isAssistantStep, isDiscarded, type TurnPosition } from "../chat/turn.ts";
import type { KnownMessage } from "../host/message-identity.ts";
import type { SessionState } from "../state/session-state.ts";

/** The messages of a host that a session knows. */
export interface KnownMessages {
  /** The host's list as it was last ingested. */
  readonly sequence: readonly KnownMessage[];
  /** All messages of the chat by key, in the order in which they came, including those that the host no longer sends. */
  readonly known: ReadonlyMap<string, KnownMessage>;
  /** Whether a known message is a failed or aborted answer. */
  readonly isDiscarded: (known: KnownMessage) => boolean;
  /** The place of the chat before which a summary, or another beginning of the host's list, replaces everything. */
  readonly replacedUntil?: TurnPosition | undefined;
}

/** Returns what a session knows of its host's messages. */
export function knownMessages({ chat }: SessionState): KnownMessages {
  return {
    sequence: chat.sequence,
    known: chat.known,
    isDiscarded: ({ position }) => {
      if (position === undefined) return true;
      const step = chat.turns[position.turn]?.steps[position.step];
      return step !== undefined && isAssistantStep(step) && isDiscarded(step);
    },
    replacedUntil: chat.compaction?.from,
  };
}
