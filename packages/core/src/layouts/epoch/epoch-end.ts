import { defined } from "@self-context-manager/objects";
import { lostThinkingPrice } from "../../cost/thinking-binding.ts";
import type { EpochEnd } from "../../view/layout.ts";
import { rawTokens } from "../../view/entry-groups.ts";
import type { ViewEntry } from "../../view/view-entry.ts";
import { lostThinking } from "./bound-thinking.ts";
import { freeTokens } from "./free-texts.ts";
import type { Removable } from "./leaving.ts";
import { cutOfMiddles, type Weighed } from "./long-outputs.ts";
import type { PlanningContext } from "./planning-context.ts";

/** The figures that decide when an epoch ends, in tokens of uncached input. */
export interface Weighing {
  /** Tokens of the dead content in view. */
  readonly deadTokens: number;
  /** Carried cost: the price paid so far for sending dead content again. */
  readonly carried: number;
  /** The part of the carried cost for contents that the model or the user deactivated. */
  readonly deactivated: number;
  /**
   * Rewrite cost: the price of writing the text after the first removed content again, and of the thinking that is lost
   * behind it.
   */
  readonly rewrite: number;
  /** Tokens of signed thinking that the model would not accept after the rewrite. */
  readonly lost: number;
  /** Where long outputs leave their middles if nothing else leaves, and the tokens of the thinking lost behind it. */
  readonly middles?: { readonly cut: number; readonly lost: number };
  /** The call at which each part became dead, by place. */
  readonly died: Readonly<Record<string, number>>;
}

/** Returns the key under which the place of a part is remembered. */
function placeName({ index, call }: Removable): string {
  return call === undefined ? String(index) : `${index}.${call}`;
}

/**
 * Returns the carried cost and the rewrite cost of a view. An epoch ends by the rule for renting or buying without
 * knowledge of the future: the rent paid so far is the price of reading dead content again and again.
 */
export function weigh(
  context: PlanningContext,
  { entries, sent, cachedBefore }: Weighed,
  found: readonly Removable[],
  before: Readonly<Record<string, number>>,
  call: number,
): Weighing {
  const { read, write, isCold } = context.cache;
  const died: Record<string, number> = {};
  let deadTokens = 0;
  let carried = 0;
  let deactivated = 0;
  for (const one of found) {
    if (!one.isDead) continue;
    const place = placeName(one);
    const since = before[place] ?? call;
    died[place] = since;
    deadTokens += one.saves;
    const cost = read * one.saves * (call - since);
    carried += cost;
    if (one.isDeactivated) deactivated += cost;
  }
  const leaving = found.filter(({ stays }) => !stays);
  const cut = leaving[0]?.index ?? entries.length;
  const free = deadTokens === 0 ? 0 : freeTokens(context, entries, cut, leaving);
  const from = cutOfMiddles(context, { entries, sent, cachedBefore });
  const lost = lostThinking(context, entries, cut);
  const middles =
    from === undefined ? undefined : { cut: from, lost: lostThinking(context, entries, from) };
  const known = { deadTokens, carried, deactivated, lost, died, ...defined({ middles }) };
  if (deadTokens === 0) return { ...known, rewrite: 0 };
  // With a cold cache all of the prompt is written again, with a change or without one.
  const first = isCold ? cut : Math.min(cut, cachedBefore(cut));
  let kept = rawTokens(entries, first);
  for (const { index, saves } of leaving) if (index >= first) kept -= saves;
  const written = Math.max(0, (write - read) * (kept - free - lost));
  return { ...known, rewrite: written + lostThinkingPrice * lost };
}

/** The part of the share of deactivated contents at which an epoch ends at the first call of a turn. */
const deactivatedAtTurn = 0.5;

/** Returns why the epoch ends with this call, or undefined while it continues. */
export function epochEnd(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  found: readonly Removable[],
  weighing: Weighing,
  unsentFrom: number,
): EpochEnd | undefined {
  const { middles } = weighing;
  if (context.total(entries) > context.budget) return "budget";
  const isTurnStart = entries.slice(unsentFrom).some(({ type }) => type === "user");
  const reason = endOfContents(context, found, weighing, isTurnStart, unsentFrom > 0);
  if (reason !== undefined || middles === undefined) return reason;
  return middles.lost > 0 && !isTurnStart ? undefined : "outputs";
}

/** Returns why contents leave with this call. */
function endOfContents(
  context: PlanningContext,
  found: readonly Removable[],
  { deadTokens, carried, deactivated, rewrite, lost }: Weighing,
  isTurnStart: boolean,
  isAnswered: boolean,
): EpochEnd | undefined {
  const { settings, cache } = context;
  // Within a turn the model still works with its thinking, so an end is not free even if the cache is cold.
  const isThinkingNeeded = lost > 0 && !isTurnStart;
  const canBeFree = isAnswered && !isThinkingNeeded;
  if (cache.isCold && canBeFree && found.some(({ stays }) => !stays)) return "cold";
  if (deadTokens === 0) return undefined;
  if (settings.deactivate === "immediate" || isReplacedAtOnce(context, found)) return "carried";
  if (isThinkingNeeded) return undefined;
  const share = isTurnStart ? settings.shareAtTurn : settings.share;
  if (carried >= share * rewrite) return "carried";
  // Nobody will need a deactivated content, so waiting with it gains nothing.
  const certain = settings.shareDeactivated * (isTurnStart ? deactivatedAtTurn : 1);
  return deactivated > 0 && deactivated >= certain * rewrite ? "carried" : undefined;
}

function isReplacedAtOnce(
  { settings, active }: PlanningContext,
  found: readonly Removable[],
): boolean {
  if (settings.superseded !== "at-once") return false;
  return found.some(({ isDead, keys }) => isDead && keys.every((key) => active.has(key)));
}
