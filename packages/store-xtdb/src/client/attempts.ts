import { messageOf, type Patience } from "@self-context-manager/objects";
import { setTimeout as delay } from "node:timers/promises";

import { NodeError } from "../node/node-error.ts";
import type { CallBudget } from "./call-budget.ts";
import type { NodePlace, Requests } from "./requests.ts";
import { field, RequestFailure } from "./xtdb-errors.ts";

/** Milliseconds in which the node's status is answered. */
const grace = 1_000;

/** Decides whether a failed request is sent again. */
export interface Attempts {
  /** Whether the last call did not reach the node. Calls are then short until the node answers. */
  away: boolean;
  /** Waits before the next attempt. Rejects with the failure if the budget does not allow one. */
  again(failure: RequestFailure, attempt: number, budget: CallBudget): Promise<void>;
}

export interface AttemptsOptions {
  readonly timeout: number;
  readonly relocate: (() => Promise<NodePlace>) | undefined;
  readonly patience: Patience;
}

export function attempts(
  requests: Requests,
  { timeout, relocate, patience }: AttemptsOptions,
): Attempts {
  async function again(failure: RequestFailure, tries: number, budget: CallBudget): Promise<void> {
    const mayWait = patience.left();
    if (failure.kind === "connection" || failure.kind === "late") patience.blocked();
    if (failure.kind !== "late" || budget.failure === undefined) budget.failure = failure;
    const found = relocate === undefined ? "unknown" : await moved(failure, relocate, budget);
    const wait = Math.min(500, 25 * 2 ** tries) * (0.5 + Math.random() / 2);
    if (
      (!budget.tries && found !== "running") ||
      budget.remaining() <= wait ||
      patience.left() <= wait ||
      (failure.kind === "late" && mayWait < timeout)
    ) {
      state.away = true;
      throw found instanceof RequestFailure ? found : await diagnosed(budget.failure);
    }
    await delay(wait);
  }

  /** Returns whether the node runs (again), or the reason why it cannot be reached, as far as it is known. */
  async function moved(
    failure: RequestFailure,
    locate: () => Promise<NodePlace>,
    budget: CallBudget,
  ): Promise<"running" | "unknown" | RequestFailure> {
    if (failure.kind !== "connection" && !(await hasStoppedIndexing(failure))) return "unknown";
    const giveUp = new AbortController();
    try {
      const place = await Promise.race([
        locate(),
        delay(Math.max(0, Math.min(budget.remaining(), patience.left())), undefined, {
          signal: giveUp.signal,
        }),
      ]);
      if (place === undefined) return "unknown";
      requests.moveTo(place);
      return "running";
    } catch (cause) {
      const unreachable = new RequestFailure(messageOf(cause), failure.mayHaveRun, { cause });
      // A slow node, or one that another process is starting or stopping, may answer the next time.
      if (NodeError.is(cause, "NODE_UNAVAILABLE") || NodeError.is(cause, "NODE_BUSY"))
        return unreachable;
      state.away = true;
      throw unreachable;
    } finally {
      giveUp.abort();
    }
  }

  /** Whether a node that answers with errors has stopped indexing. Only a restart helps then. */
  async function hasStoppedIndexing({ kind }: RequestFailure): Promise<boolean> {
    if (kind !== "node-error") return false;
    try {
      const { body } = await requests.send({ path: "status", timeout: grace });
      return field(body, "ingester-failed?") === true;
    } catch {
      // A node without a status cannot be reached. The next attempt reports that.
      return false;
    }
  }

  /** Returns the known cause of a node's failure instead of its answer, or the failure unchanged. */
  async function diagnosed(failure: RequestFailure): Promise<RequestFailure> {
    if (!(await hasStoppedIndexing(failure))) return failure;
    return new RequestFailure(
      "it accepts no more transactions, because its ingester failed; its log contains the reason, mostly a full disk. " +
        "Restart it; no committed data is lost",
      true,
      { cause: failure },
    );
  }

  const state: Attempts = { away: false, again };
  return state;
}
