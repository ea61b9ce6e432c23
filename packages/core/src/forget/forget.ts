import { type ObjectStore, type RewriteResult, StoreError } from "@self-context-manager/objects";

import { type ForgetPlan, type ForgetTarget, planForget, type PlanOptions } from "./plan-forget.ts";

/** How often the store is rewritten because of what a session has stored meanwhile. */
const mostRewrites = 6;

/**
 * Carries out a plan, and then looks again whether a text that matches is left: a session can have stored one since. The
 * wholes of the target are not looked for again. Resolves when nothing is left, and rejects with a `StoreError`, after which
 * it can be repeated: `STORE_BUSY` if a program stores such texts again and again.
 */
export async function forget(
  store: ObjectStore,
  plan: ForgetPlan,
  { matches }: ForgetTarget,
  options: PlanOptions,
): Promise<Pick<RewriteResult, "changed">> {
  let { changed } = await store.rewrite(plan.request);
  if (matches === undefined) return { changed };
  for (let rewrites = 1; ; rewrites += 1) {
    const left = await planForget(store, { matches }, options);
    if (left.objects.length === 0) return { changed };
    if (rewrites === mostRewrites)
      throw new StoreError(
        "STORE_BUSY",
        `a program stores what is to be forgotten again and again: after ${mostRewrites} rewrites it is still there; end that program, and repeat the command`,
      );
    changed += (await store.rewrite(left.request)).changed;
  }
}
