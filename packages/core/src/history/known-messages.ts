import { isAssistantStep, isDiscarded } from "../chat/turn.ts";
import type { SessionState } from "../state/session-state.ts";
import type { KnownMessages } from "./known-keys.ts";

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
  };
}
