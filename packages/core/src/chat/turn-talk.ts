import { sha256 } from "@self-context-manager/objects";
import { turnText } from "./turn-text.ts";
import type { Turn } from "./turn.ts";

/** The talk of a turn: what was said, and its calls without their outputs. */
export interface TurnTalk {
  /**
   * The hash of the talk. A turn that a fork shares with another session has the same key, and a turn that was extended has
   * another one.
   */
  readonly key: string;
  readonly characters: number;
}

const talks = new WeakMap<Turn, TurnTalk>();

/** Returns the talk of a turn. */
export function turnTalk(turn: Turn): TurnTalk {
  const known = talks.get(turn);
  if (known !== undefined) return known;
  const text = turnText(turn, (id) => ({ name: id, line: "" }));
  const talk = { key: sha256(text), characters: text.length };
  talks.set(turn, talk);
  return talk;
}
