import type { Move } from "../model/task.ts";
import { chance } from "./chance.ts";

/** A move that an agent makes by mistake. The right one follows. */
export interface Mistake {
  readonly kind: "wrong-path" | "wrong-text" | "repeated-read" | "needless-run";
  readonly move: Exclude<Move, { readonly type: "answer" }>;
}

export interface MistakeOptions {
  readonly seed: number;
  /** The share of moves before which a mistake is made. */
  readonly share: number;
  /** The place of the move: the task, the index of the step, and the index of the move. */
  readonly place: readonly [task: string, step: number, move: number];
  /** The path that was read last. */
  readonly lastRead?: string;
}

/** Returns the mistake that comes before a move, if there is one. */
export function mistakeBefore(
  move: Move,
  { seed, share, place, lastRead }: MistakeOptions,
): Mistake | undefined {
  if (chance(seed, ...place, "mistake") >= share) return undefined;
  const possible: readonly Mistake[] = [
    { kind: "needless-run", move: { type: "run", command: "ls" } },
    ...(lastRead === undefined
      ? []
      : [{ kind: "repeated-read" as const, move: { type: "read" as const, path: lastRead } }]),
    ...(move.type === "read"
      ? [{ kind: "wrong-path" as const, move: { ...move, path: `${move.path}.txt` } }]
      : []),
    ...(move.type === "edit"
      ? [{ kind: "wrong-text" as const, move: { ...move, oldText: `${move.oldText} ?` } }]
      : []),
  ];
  return possible[Math.floor(chance(seed, ...place, "kind") * possible.length)];
}

/** Of mistakes, the share that is a wrong value in an answer. */
const wrongAnswers = 0.25;

/**
 * Returns an answer's text, in a few cases with a wrong value: the last number is another one, or without a number, the
 * last word is missing. An answer of one word is another word, because a message cannot be empty.
 */
export function answerWithMistake(
  text: string,
  { seed, share, place }: MistakeOptions,
): { readonly text: string; readonly isWrong: boolean } {
  if (chance(seed, ...place, "answer") >= share * wrongAnswers) return { text, isWrong: false };
  const changed = text.replace(/\d(?=\D*$)/u, (digit) => String((Number(digit) + 1) % 10));
  if (changed !== text) return { text: changed, isWrong: true };
  return { text: text.replace(/\S+\s*$/u, "").trim() || "Perhaps.", isWrong: true };
}
