import type { AssistantStep, Step, Turn } from "../../chat/turn.ts";
import type { LayoutInput } from "../../view/layout.ts";
import { type LeftOut, leftOutOf } from "../../view/left-out-rows.ts";

/**
 * Returns the input without the messages that are left out. A result that is left out alone stays as its reference line,
 * which has nothing of its content.
 */
export function withoutLeftOut(input: LayoutInput): LayoutInput {
  const leftOut = leftOutOf(input.leftOut ?? []);
  if (leftOut.rows.length === 0) return input;
  const turns = input.turns.map((turn, index) => withoutMessages(turn, index, leftOut));
  return { ...input, turns };
}

/** A step without messages keeps the other steps at their places. */
const noStep: AssistantStep = { assistant: [], toolcall_ids: [], assistant_meta: {} };

function withoutMessages(turn: Turn, index: number, leftOut: LeftOut): Turn {
  const isGone = (step: number): boolean => leftOut.has({ turn: index, step });
  const isUserGone = isGone(-1);
  if (!isUserGone && !turn.steps.some((_, step) => isGone(step))) return turn;
  const steps = turn.steps.map((step, at): Step => (isGone(at) ? noStep : step));
  return { ...turn, user: isUserGone ? null : turn.user, steps };
}
