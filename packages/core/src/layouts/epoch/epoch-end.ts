import { lostThinkingPrice } from "../../cost/thinking-binding.ts";
import type { EpochEnd } from "../../view/layout.ts";
import type { ViewEntry } from "../../view/view-entry.ts";
import { lostThinking } from "./bound-thinking.ts";
import { freeTokens } from "./free-texts.ts";
import type { Removable } from "./leaving.ts";
import { middleTokens } from "./long-outputs.ts";
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
  entries: readonly ViewEntry[],
  found: readonly Removable[],
  before: Readonly<Record<string, number>>,
  call: number,
): Weighing {
  const { read, write, rewrites } = context.cache;
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
    if (one.isDeactivated === true) deactivated += cost;
  }
  const leaving = found.filter(({ stays }) => !stays);
  const cut = leaving[0]?.index ?? entries.length;
  const lost = lostThinking(context, entries, cut);
  if (deadTokens === 0) return { deadTokens, carried, deactivated, rewrite: 0, lost, died };
  const first = rewrites === "everything" ? 0 : cut;
  let kept = 0;
  for (let index = first; index < entries.length; index += 1) kept += entries[index]?.tokens ?? 0;
  for (const { index, saves } of leaving) if (index >= first) kept -= saves;
  kept -= freeTokens(context, entries, cut, leaving);
  const written = Math.max(0, (write - read) * (kept - lost));
  const rewrite = written + lostThinkingPrice * lost;
  return { deadTokens, carried, deactivated, rewrite, lost, died };
}

/** The part of the share of deactivated contents at which an epoch ends at the first call of a turn. */
const deactivatedAtTurn = 0.5;

/** Returns why the epoch ends with this call, or undefined while it continues. */
export function epochEnd(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  found: readonly Removable[],
  { deadTokens, carried, deactivated, rewrite, lost }: Weighing,
  unsentFrom: number,
): EpochEnd | undefined {
  const { settings, cache } = context;
  if (isOverBudget(context, entries)) return "budget";
  const isTurnStart = entries.slice(unsentFrom).some(({ type }) => type === "user");
  // Within a turn the model still works with its thinking, so an end is not free even if the cache is cold.
  const isThinkingNeeded = lost > 0 && !isTurnStart;
  const canBeFree = unsentFrom > 0 && !isThinkingNeeded;
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

/** The same share for the middles of long outputs: the model seldom needs one again. */
const shareOfMiddles = 0.5;

/**
 * Returns the index of the first output whose middle leaves now, with those of all outputs behind it; undefined if none
 * leaves. Reading these middles again has then cost their share of what it costs to write again what follows. `sent`:
 * the number of entries that were sent before.
 */
export function cutOfMiddles(
  context: PlanningContext,
  entries: readonly ViewEntry[],
  sent: number,
  unsentFrom: number,
): number | undefined {
  const { read, write, rewrites, isCold } = context.cache;
  const isTurnStart = entries.slice(unsentFrom).some(({ type }) => type === "user");
  const before = rewrites === "everything" ? entries.slice(0, sent) : [];
  const all = before.reduce((sum, { tokens }) => sum + tokens, 0);
  let [answers, carried, gone, behind] = [0, 0, 0, 0];
  let found: number | undefined;
  for (let index = unsentFrom - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (entry?.type === "assistant") answers += 1;
    if (entry === undefined || index >= sent) continue;
    behind += entry.tokens;
    const middle = middleTokens(context, entry);
    if (middle === 0) continue;
    gone += middle;
    carried += read * middle * (answers - 1);
    const lost = lostThinking(context, entries, index);
    if (lost > 0 && !isTurnStart) continue;
    const written = isCold ? 0 : Math.max(0, Math.max(all, behind) - gone - lost);
    const rewrite = (write - read) * written + lostThinkingPrice * lost;
    if (carried >= shareOfMiddles * rewrite) found = index;
  }
  return found;
}

function isReplacedAtOnce(
  { settings, active }: PlanningContext,
  found: readonly Removable[],
): boolean {
  if (settings.superseded !== "at-once") return false;
  return found.some(({ isDead, keys }) => isDead && keys.every((key) => active.has(key)));
}

/** Whether a view has more tokens than the budget allows. */
export function isOverBudget(context: PlanningContext, entries: readonly ViewEntry[]): boolean {
  const { budget } = context.input;
  return budget !== undefined && context.total(entries) > budget;
}
