import type { ViewEntry } from "../../view/view-entry.ts";
import type { Leavable } from "./sweep.ts";
import type { ViewDraft } from "./view-draft.ts";

/** What the end of an epoch is weighed by, in uncached input tokens. */
export interface Weighing {
  /** Tokens in view of what is dead. */
  readonly deadTokens: number;
  /** What carrying them has cost since each died. */
  readonly carried: number;
  /** What an end would cost: writing again what follows the first that leaves. */
  readonly rewrite: number;
  /** The call at which each died, by place. */
  readonly died: Readonly<Record<string, number>>;
}

/** The place of something that can leave, as it is remembered. */
function placeName({ index, call }: Leavable): string {
  return call === undefined ? String(index) : `${index}.${call}`;
}

/**
 * Weighs carrying against rewriting (design §7): the online rule of renting or buying, whose accumulated rent is the
 * price of reading dead bytes again and again.
 */
export function weigh(
  draft: ViewDraft,
  entries: readonly ViewEntry[],
  found: readonly Leavable[],
  before: Readonly<Record<string, number>>,
  call: number,
): Weighing {
  const { read, write, rewrites } = draft.cache;
  const died: Record<string, number> = {};
  let deadTokens = 0;
  let carried = 0;
  for (const one of found) {
    if (!one.isDead) continue;
    const place = placeName(one);
    const since = before[place] ?? call;
    died[place] = since;
    deadTokens += one.saves;
    carried += read * one.saves * (call - since);
  }
  if (deadTokens === 0) return { deadTokens, carried, rewrite: 0, died };
  const leaving = found.filter(({ stays }) => !stays);
  const first = rewrites === "everything" ? 0 : (leaving[0]?.index ?? entries.length);
  let kept = 0;
  for (let index = first; index < entries.length; index += 1) kept += entries[index]?.tokens ?? 0;
  for (const { index, saves } of leaving) if (index >= first) kept -= saves;
  return { deadTokens, carried, rewrite: Math.max(0, (write - read) * kept), died };
}
