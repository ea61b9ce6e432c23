import { madeOnce } from "@self-context-manager/objects";
import { partOfBlock } from "../../calls/user-object.ts";
import { isText } from "../../chat/message.ts";
import type { Turn } from "../../chat/turn.ts";
import { rawEstimator } from "../../cost/calibrated-estimator.ts";
import { mediaOf } from "../../cost/media-facts.ts";
import type { InView } from "../../policy/activation-policy.ts";
import { withoutEmpty } from "../../render/step-content.ts";
import { leftPart } from "../../render/left-user-parts.ts";
import { firstMarked } from "../../view/entry-groups.ts";
import { hasLeft, type UserEntry, type UserPart, type ViewEntry } from "../../view/view-entry.ts";
import type { PlanningContext } from "./planning-context.ts";

/**
 * Returns the entry of a turn's user message, or undefined if the message is empty or left out. Of an earlier message
 * than the newest, long parts whose objects are inactive have left: of a text the ends are shown, of a file a line.
 */
export function userEntry(context: PlanningContext, turn: number): UserEntry | undefined {
  const said = context.input.turns[turn]?.user ?? null;
  if (context.leftOut.has({ turn, step: -1 })) return undefined;
  if (said === null || withoutEmpty(said).length === 0) return undefined;
  const whole = wholeUserEntry(context, turn);
  if (turn === context.newestUser) return whole;
  const isInactive = ({ of }: UserPart): boolean => {
    const active = context.active.get(of);
    return active === undefined || active.ranges !== undefined;
  };
  const leaving = (whole.parts ?? []).filter(isInactive).map(({ block }) => block);
  return withoutParts(context, whole, new Set(leaving));
}

/** Returns the entry of a user message that is shown whole. */
export function wholeUserEntry(context: PlanningContext, turn: number): UserEntry {
  const { turns, pool } = context.input;
  const parts = (turns[turn]?.user_objects ?? []).flatMap(({ block, id }): readonly UserPart[] => {
    const object = pool.get(id);
    return object === undefined
      ? []
      : [{ block, of: object.handle, version: object.stored.version }];
  });
  return context.sized({ type: "user", turn, ...(parts.length === 0 ? {} : { parts }) });
}

/** Returns the entry of a user message without some of its long parts; default: without all of them. */
export function withoutParts(
  context: PlanningContext,
  entry: UserEntry,
  blocks?: ReadonlySet<number>,
): UserEntry {
  const { parts = [] } = entry;
  const user = context.input.turns[entry.turn]?.user ?? null;
  const shown = parts.map((one) => {
    if (hasLeft(one) || blocks?.has(one.block) === false) return one;
    const part = partOfBlock(user, one.block);
    return part === undefined ? one : { ...one, ...leftPart(part) };
  });
  if (shown.every((one, index) => one === parts[index])) return entry;
  return context.sized({ ...entry, parts: shown });
}

/** A long part of a user message in view that can leave. */
export interface LeavingPart extends Pick<InView, "key" | "tokens"> {
  readonly block: number;
  /** Tokens that leave the view with it. */
  readonly saves: number;
}

const none: readonly LeavingPart[] = [];

/** Returns the long parts of a user message that are shown whole and can leave. Those of the newest message cannot. */
export function leavingParts(context: PlanningContext, entry: ViewEntry): readonly LeavingPart[] {
  if (entry.type !== "user" || entry.parts === undefined) return none;
  const turn = context.input.turns[entry.turn];
  if (turn === undefined || context.isNewestUser(entry)) return none;
  return entry.parts
    .filter((part) => !hasLeft(part))
    .map(({ block, of }) => ({ block, key: of, ...partTokens(context, turn, block) }))
    .filter(({ saves }) => saves > 0);
}

/** Whether a view shows the newest user message without one of its long parts, as after the user went back to it. */
export function lacksNewestParts(context: PlanningContext, entries: readonly ViewEntry[]): boolean {
  return firstMarked(entries, "shortened", (entry) => context.isNewestUser(entry)) !== -1;
}

type PartTokens = Pick<LeavingPart, "tokens" | "saves">;

/** The line that names the object of a part. */
const markTokens = 20;

function partTokens(
  { input: { estimator } }: PlanningContext,
  turn: Turn,
  block: number,
): PartTokens {
  const part = partOfBlock(turn.user, block);
  if (part === undefined) return { tokens: 0, saves: 0 };
  if (!isText(part)) {
    const file = mediaOf(part);
    const tokens = file === undefined ? 0 : Math.ceil(estimator.media(file));
    return { tokens, saves: tokens - markTokens };
  }
  const known = madeOnce(textTokens, turn, () => new Map<number, PartTokens>());
  return madeOnce(known, block, () => {
    const { text } = part;
    const { head = 0, tail = 0 } = leftPart(part);
    const tokens = rawEstimator.text(text);
    const kept = rawEstimator.text(text.slice(0, head)) + rawEstimator.text(text.slice(-tail));
    return { tokens, saves: tokens - kept - markTokens };
  });
}

/** The tokens of the long texts of user messages, by the place of the text in its message. */
const textTokens = new WeakMap<Turn, Map<number, PartTokens>>();
