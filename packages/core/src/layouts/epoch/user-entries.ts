import { textOfBlock } from "../../calls/user-object.ts";
import type { Turn } from "../../chat/turn.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import type { InView } from "../../policy/activation-policy.ts";
import { withoutEmpty } from "../../render/step-content.ts";
import { endsOfUserText } from "../../render/user-object-ends.ts";
import { hasLeft, type UserEntry, type UserText, type ViewEntry } from "../../view/view-entry.ts";
import type { PlanningContext } from "./planning-context.ts";

/**
 * Returns the entry of a turn's user message, or undefined if the message is empty or left out. Of an earlier message
 * than the newest, long texts whose objects are inactive are shown by their ends.
 */
export function userEntry(context: PlanningContext, turn: number): UserEntry | undefined {
  const said = context.input.turns[turn]?.user ?? null;
  if (context.leftOut.has({ turn, step: -1 })) return undefined;
  if (said === null || withoutEmpty(said).length === 0) return undefined;
  const whole = wholeUserEntry(context, turn);
  if (turn === context.newestUser) return whole;
  const isInactive = ({ of }: UserText): boolean => {
    const active = context.active.get(of);
    return active === undefined || active.ranges !== undefined;
  };
  const leaving = (whole.texts ?? []).filter(isInactive).map(({ block }) => block);
  return withoutTexts(context, whole, new Set(leaving));
}

/** Returns the entry of a user message that is shown whole. */
export function wholeUserEntry(context: PlanningContext, turn: number): UserEntry {
  const { turns, pool } = context.input;
  const texts = (turns[turn]?.user_objects ?? []).flatMap(({ block, id }): readonly UserText[] => {
    const object = pool.get(id);
    return object === undefined
      ? []
      : [{ block, of: object.handle, version: object.stored.version }];
  });
  const named = texts.length === 0 ? {} : { texts };
  return context.sized({ type: "user", turn, ...named });
}

/** Returns the entry of a user message that shows some of its long texts by their ends; default: all of them. */
export function withoutTexts(
  context: PlanningContext,
  entry: UserEntry,
  blocks?: ReadonlySet<number>,
): UserEntry {
  const { texts = [] } = entry;
  const isLeaving = (text: UserText): boolean =>
    !hasLeft(text) && (blocks === undefined || blocks.has(text.block));
  if (!texts.some(isLeaving)) return entry;
  const user = context.input.turns[entry.turn]?.user ?? null;
  const shown = texts.map((text) =>
    isLeaving(text) ? { ...text, ...endsOfUserText(textOfBlock(user, text.block) ?? "") } : text,
  );
  return context.sized({ ...entry, texts: shown });
}

/** A long text of a user message in view that can leave. */
export interface LeavingText extends Pick<InView, "key" | "tokens"> {
  readonly block: number;
  /** Tokens that leave the view with it. */
  readonly saves: number;
}

const none: readonly LeavingText[] = [];

/** Returns the long texts of a user message that are shown whole and can leave. Those of the newest message cannot. */
export function leavingTexts(context: PlanningContext, entry: ViewEntry): readonly LeavingText[] {
  if (entry.type !== "user" || entry.texts === undefined) return none;
  const turn = context.input.turns[entry.turn];
  if (turn === undefined || entry.turn === context.newestUser) return none;
  return entry.texts
    .filter((text) => !hasLeft(text))
    .map(({ block, of }) => ({ block, key: of, ...textTokens(turn, block) }))
    .filter(({ saves }) => saves > 0);
}

/** Whether a view shows the newest user message without one of its long texts, as after the user went back to it. */
export function lacksNewestTexts(
  { newestUser }: PlanningContext,
  entries: readonly ViewEntry[],
): boolean {
  return entries.some(
    (entry) =>
      entry.type === "user" && entry.turn === newestUser && entry.texts?.some(hasLeft) === true,
  );
}

/** The line that names the object of a text. */
const markTokens = 20;

function textTokens(turn: Turn, block: number): Pick<LeavingText, "tokens" | "saves"> {
  const text = textOfBlock(turn.user, block) ?? "";
  const { head, tail } = endsOfUserText(text);
  const tokens = rawEstimator.text(text);
  const kept = rawEstimator.text(text.slice(0, head)) + rawEstimator.text(text.slice(-tail));
  return { tokens, saves: tokens - kept - markTokens };
}
