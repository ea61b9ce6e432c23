import type { BodyCache } from "@self-context-manager/objects";
import { setTimeout as delay } from "node:timers/promises";

import type { Chunks } from "../xtdb-documents/chunks.ts";
import type { RewriteState } from "../xtdb-documents/rewrite-documents.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import { type CallBudget, unbound } from "../client/call-budget.ts";
import type { NodeClient } from "../client/node-client.ts";
import { pullDocuments } from "../client/pull-documents.ts";
import { DamageError, RewriteNoticed, storeError } from "../client/xtdb-errors.ts";
import type { Head, Rebuilt } from "./head.ts";
import type { Memory } from "./memory.ts";

/** Keeps the answers of a store apart from the states that it has during a rewrite. */
export interface Steady {
  /**
   * Runs a call of the port, and runs it again if a rewrite was noticed that the call could have seen. `isRead` is false
   * for a call whose commit checks this itself.
   */
  run<Result>(
    work: (budget: CallBudget) => Promise<Result>,
    options: { readonly isRead: boolean },
  ): Promise<Result>;
  /**
   * Reads the state of rewrites, and drops what was remembered from before. Waits for a rewrite that is under way, and
   * completes it if its client makes no progress. Rejects with `STORE_BUSY` if it takes longer than the call may.
   */
  refresh(budget: CallBudget): Promise<void>;
}

export interface SteadyParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly chunks: Chunks;
  readonly heads: BodyCache<Head>;
  readonly rebuilt: BodyCache<Rebuilt>;
  readonly memory: Memory;
}

/** Milliseconds without progress after which another client completes a rewrite. */
const stalled = 2_000;
const roundMilliseconds = 50;

/** `complete` makes the remaining transactions of a rewrite. */
export function steady(
  { client, names, chunks, heads, rebuilt, memory }: SteadyParts,
  complete: () => Promise<void>,
): Steady {
  const { stateId } = names.rewrites;
  /** The last change of the state on which the answers of this client are based. */
  let known = 0;

  async function lastChange(budget: CallBudget): Promise<number> {
    return (await client.transactionOf(stateId, unbound(budget))) ?? 0;
  }

  async function refresh(budget: CallBudget): Promise<void> {
    let moved = performance.now();
    let before: number | undefined;
    for (;;) {
      // The change is read first: if the state changes in between, the next read notices it.
      const change = await lastChange(budget);
      const { state, clock } = await readState(budget);
      if (state.journal === undefined) {
        known = change;
        client.expect(change);
        const recent = { after: clock.arrivals, versions: [] };
        Object.assign(memory, { clock, since: clock.seq, recent, rewrites: state });
        heads.clear();
        rebuilt.clear();
        chunks.forget();
        return;
      }
      if (change !== before) moved = performance.now();
      before = change;
      if (performance.now() - moved > stalled) await complete();
      else if (budget.remaining() > roundMilliseconds) await delay(roundMilliseconds);
      else
        throw storeError(
          "STORE_BUSY",
          client.url,
          "another client rewrites versions; try again when it has finished, or raise the timeout",
        );
    }
  }

  async function readState(
    budget: CallBudget,
  ): Promise<{ readonly state: RewriteState; readonly clock: Memory["clock"] }> {
    const ids = [stateId, names.clockId];
    const found = new Map(await pullDocuments(client, ids, unbound(budget)));
    return {
      state: names.rewrites.readState(found.get(stateId)),
      clock: names.readClock(found.get(names.clockId)),
    };
  }

  /** Whether the state has changed since a call began. The local node has said so with each answer. */
  async function hasChanged(start: number, budget: CallBudget): Promise<boolean> {
    return known !== start || (await lastChange(budget)) !== start;
  }

  return {
    refresh,

    async run(work, { isRead }) {
      for (;;) {
        const budget = client.budget();
        const start = known;
        try {
          const result = await work(budget);
          if (!isRead || client.watches !== false || !(await hasChanged(start, budget)))
            return result;
        } catch (error) {
          // What a rewrite has removed in the meantime looks like damage.
          const isDamage = error instanceof DamageError;
          if (
            !(error instanceof RewriteNoticed) &&
            !(isDamage && (await hasChanged(start, budget)))
          )
            throw error;
        }
        await refresh(budget);
      }
    },
  };
}
