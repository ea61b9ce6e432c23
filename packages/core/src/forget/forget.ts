import type { ObjectStore, RewriteResult } from "@self-context-manager/objects";

import { type ForgetPlan, type ForgetTarget, planForget, type PlanOptions } from "./plan-forget.ts";

/** How often it is looked for what a session has stored meanwhile. */
const mostRounds = 5;

/**
 * Carries out a plan, and then looks again whether a text that matches is left: a session can have stored one since. The
 * wholes of the target are not looked for again. Resolves when nothing is left, and rejects with a `StoreError`, after which
 * it can be repeated.
 */
export async function forget(
  store: ObjectStore,
  plan: ForgetPlan,
  { matches }: ForgetTarget,
  options: PlanOptions,
): Promise<Pick<RewriteResult, "changed">> {
  let { changed } = await store.rewrite(plan.request);
  if (matches === undefined) return { changed };
  for (let round = 1; round <= mostRounds; round += 1) {
    const left = await planForget(store, { matches }, options);
    if (left.objects.length === 0) return { changed };
    changed += (await store.rewrite(left.request)).changed;
  }
  return { changed };
}
