import type { RequestFailure } from "./xtdb-errors.ts";

/** The total time for the requests to the node that one call of the port makes. */
export interface CallBudget {
  /** Returns the remaining milliseconds. */
  remaining(): number;
  /** Whether a failed request is repeated; false after a call that did not reach the node, and for `query`. */
  readonly tries: boolean;
  /** The failure to report: an earlier answer explains more than a last request that ran out of time. */
  failure: RequestFailure | undefined;
  /**
   * The last change of the watched document that this client knows. A read that can be after another one rejects with
   * `RewriteNoticed`. Undefined for reads that no rewrite concerns.
   */
  readonly since: number | undefined;
}

/** Returns a budget for reads that no rewrite concerns. */
export function unbound(budget: CallBudget): CallBudget {
  return {
    remaining: () => budget.remaining(),
    tries: budget.tries,
    failure: budget.failure,
    since: undefined,
  };
}
