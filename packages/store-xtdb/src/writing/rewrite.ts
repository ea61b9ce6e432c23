import type { RewriteRequest, RewriteResult } from "@self-context-manager/objects";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import { type CallBudget, unbound } from "../client/call-budget.ts";
import type { Operation } from "../client/node-client.ts";
import { RequestFailure, storeError } from "../client/xtdb-errors.ts";
import type { Journal, RewriteState } from "../xtdb-documents/rewrite-documents.ts";
import type { StoreClock } from "../xtdb-documents/xtdb-documents.ts";
import { journals } from "./journal.ts";
import { keptPrivacy } from "./privacy.ts";
import {
  planEnd,
  planRewrite,
  type RewriteEnd,
  type RewritePlan,
  type RewritePlanParts,
  stillHolds,
} from "./rewrite-plan.ts";
import { sendCommit } from "./send-commit.ts";
import { giveWay } from "./transactions.ts";

export interface Rewrites {
  /** Rewrites versions. The caller refreshes its memory afterwards, and then calls `erase`. */
  rewrite(request: RewriteRequest, budget: CallBudget): Promise<RewriteResult>;
  /** Makes the remaining transactions of a rewrite that has begun. Several clients can do so at the same time. */
  complete(): Promise<void>;
}

/** Number of transactions that are sent before the outcome of the last one is asked for. */
const sentAtOnce = 64;

/**
 * Milliseconds after which other nodes of the database know that a rewrite has begun. They read the log every 100 ms. A
 * node that does not know it could look for documents that are evicted in the common database.
 */
const noticedAfter = 300;

/** Number of commits of others to which a rewrite gives way. */
const mostLosses = 100;

/** Number of times that the objects are read again, because others have committed versions of them. */
const mostReadings = 10;

/**
 * The rewrites of a store.
 *
 * XTDB cannot evict a document and put it again in one transaction. So the first transaction puts a journal with all that
 * follow. It is a commit, so no other client's commit comes between the state that was read and the journal, and none
 * follows it until the last transaction. Each transaction matches and changes the state, so each takes effect once, and whoever
 * notices the state can continue.
 */
export function rewriting(parts: RewritePlanParts): Rewrites {
  const { client, names } = parts;
  const { rewrites } = names;
  const journal = journals(parts);

  /** Begins a rewrite. Returns false if another commit came first. */
  async function begin(own: Journal, end: RewriteEnd, clock: StoreClock): Promise<boolean> {
    const pieces = [...(await journal.others(own)), ...journal.pieceIds(own)];
    const last: RewriteEnd["last"] = [
      ...end.last,
      ...endOf(clock, own.name),
      ...pieces.map((id): Operation => ["evict", id]),
    ];
    const next = { ...clock, seq: clock.seq + 1, isRewriting: true };
    const nonce = randomUUID();
    return await sendCommit(
      [
        ["match", names.commitId(next.seq), null],
        ["put", names.commit(next, nonce)],
        ["put", names.clock(next)],
        ["put", rewrites.lastPiece(own, JSON.stringify({ ...end, last }))],
        ["put", rewrites.state({ generation: clock.generation, journal: own })],
      ],
      { seq: next.seq, nonce },
      parts,
      unbound(client.budget()),
    );
  }

  /** Returns the operations that end a rewrite. */
  function endOf(clock: StoreClock, nonce: string): readonly Operation[] {
    const generation = clock.generation + 1;
    const end = { ...clock, seq: clock.seq + 2, generation, isRewriting: false };
    return [
      // The state as of this commit has the rewritten objects.
      ["put", names.commit(end, nonce)],
      ["put", names.clock(end)],
      ["put", rewrites.state({ generation, journal: undefined })],
    ];
  }

  async function complete(): Promise<void> {
    for (let tries = 0, left = client.budget(); ;) {
      const current = await journal.current(left);
      if (current === undefined) return;
      try {
        await makeSteps(current.text, current);
        left = client.budget();
        tries = 0;
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        await client.again(error, tries, left);
        tries += 1;
      }
    }
  }

  /** Sends the next transactions of a journal, and waits for the outcome of the last one. */
  async function makeSteps(
    { steps, last }: RewriteEnd,
    { generation, journal: own }: RewriteState & { readonly journal: Journal },
  ): Promise<void> {
    const budget = client.budget();
    let txId = 0;
    const end = Math.min(steps.length, own.step + sentAtOnce - 1);
    for (let step = own.step; step <= end; step += 1) {
      const stateAt = (reached: number) =>
        rewrites.state({ generation, journal: { ...own, step: reached } });
      const operations: readonly Operation[] = [
        ["match", rewrites.stateId, stateAt(step)],
        ...(step < steps.length ? [["put", stateAt(step + 1)] satisfies Operation] : []),
        ...(steps[step] ?? last),
      ];
      const options = { wait: false, evicts: names.space };
      ({ txId } = await client.submit(operations, client.budget(), options));
    }
    await client.isCommitted(txId, budget);
  }

  return {
    complete,

    async rewrite(request, budget) {
      const privacy = await keptPrivacy(client, names, budget);
      let prepared: { readonly plan: RewritePlan; readonly own: Journal } | undefined;
      for (let losses = 0, readings = 0; losses < mostLosses && readings < mostReadings;) {
        const clock = names.readClock(await client.entity(names.clockId, client.budget()));
        if (prepared === undefined || !(await stillHolds(prepared.plan, clock, parts))) {
          const plan = await planRewrite(request, clock, parts);
          prepared = { plan, own: await journal.put(plan) };
          readings += 1;
          continue;
        }
        const { plan, own } = prepared;
        const end = await planEnd(plan, request.forgotten, privacy, clock, parts);
        if (end !== undefined && (await begin(own, end, clock))) {
          await delay(noticedAfter);
          await complete();
          const { changed, removed } = plan;
          return { changed, removed, generation: clock.generation + 1 };
        }
        losses += 1;
        await giveWay(losses, client.budget(), client.url);
      }
      throw storeError(
        "STORE_BUSY",
        client.url,
        "other clients commit without a pause; end them, and try again",
      );
    },
  };
}
