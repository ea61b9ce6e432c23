import type { RewriteRequest, RewriteResult } from "@self-context-manager/objects";
import { randomUUID } from "node:crypto";

import type { CallBudget, Operation } from "../client/node-client.ts";
import { pullDocuments } from "../client/pull-documents.ts";
import { RequestFailure, storeError } from "../client/xtdb-errors.ts";
import { unbound } from "../reading/steady.ts";
import type { Journal, RewriteState } from "../xtdb-documents/rewrite-documents.ts";
import type { StoreClock } from "../xtdb-documents/xtdb-documents.ts";
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

/** Number of documents of a journal in one transaction. */
const piecesAtOnce = 8;

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

  /** Puts the documents of a journal, but for the last one, and returns the journal. */
  async function putJournal({ steps }: RewritePlan): Promise<Journal> {
    const name = randomUUID();
    const documents = rewrites.pieces(name, JSON.stringify(steps));
    for (let start = 0; start < documents.length; start += piecesAtOnce) {
      const part = documents.slice(start, start + piecesAtOnce);
      await submit(part.map((document) => ["put", document]));
    }
    return { name, pieces: documents.length, step: 0 };
  }

  /** Begins a rewrite. Returns false if another commit came first. */
  async function begin(journal: Journal, end: RewriteEnd, clock: StoreClock): Promise<boolean> {
    const former = await formerPieces(journal);
    const last: RewriteEnd["last"] = [
      ...end.last,
      ...endOf(clock, journal.name),
      ...[...former, ...pieceIds(journal)].map((id): Operation => ["evict", id]),
    ];
    const next = { ...clock, seq: clock.seq + 1, isRewriting: true };
    const nonce = randomUUID();
    return await sendCommit(
      [
        ["match", names.commitId(next.seq), null],
        ["put", names.commit(next, nonce)],
        ["put", names.clock(next)],
        ["put", rewrites.lastPiece(journal, JSON.stringify({ ...end, last }))],
        ["put", rewrites.state({ generation: clock.generation, journal })],
      ],
      { seq: next.seq, nonce },
      parts,
      unbound(client.budget()),
    );
  }

  /** Returns the ids of all documents of a journal. */
  function pieceIds({ name, pieces }: Journal): readonly string[] {
    return Array.from({ length: pieces + 1 }, (_, piece) => rewrites.pieceId(name, piece));
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

  /** Returns the ids of pieces of journals that have not begun, because their clients were killed or came too late. */
  async function formerPieces(journal: Journal): Promise<readonly string[]> {
    const rows = await client.query(
      `{:find [d] :where [[d :${names.attribute("journal")}]]}`,
      [],
      client.budget(),
    );
    const own = new Set([rewrites.stateId, ...pieceIds(journal)]);
    return rows.map(([id]) => String(id)).filter((id) => !own.has(id));
  }

  /** Submits operations until they are in the log. They can be submitted twice. */
  async function submit(operations: readonly Operation[]): Promise<void> {
    const budget = client.budget();
    for (let tries = 0; ; tries += 1) {
      try {
        const { txId } = await client.submit(operations, budget, { evicts: names.space });
        await client.isCommitted(txId, budget);
        return;
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        await client.again(error, tries, budget);
      }
    }
  }

  async function readState(budget: CallBudget): Promise<RewriteState> {
    return rewrites.readState(await client.entity(rewrites.stateId, budget));
  }

  /** Reads a journal; undefined if its rewrite has ended in the meantime. */
  async function readJournal(
    journal: Journal,
    budget: CallBudget,
  ): Promise<RewriteEnd | undefined> {
    const ids = pieceIds(journal);
    const found = new Map(await pullDocuments(client, ids, budget, { atOnce: piecesAtOnce }));
    const documents = ids.map((id) => found.get(id)).filter((document) => document !== undefined);
    if (documents.length < ids.length) return undefined;
    const end = JSON.parse(rewrites.readPieces(documents.slice(-1))) as RewriteEnd;
    const steps = JSON.parse(rewrites.readPieces(documents.slice(0, -1))) as RewritePlan["steps"];
    return { steps: [...end.steps, ...steps], last: end.last };
  }

  async function complete(): Promise<void> {
    let read: { readonly name: string; readonly text: RewriteEnd } | undefined;
    for (let tries = 0, left = unbound(client.budget()); ;) {
      const { generation, journal } = await readState(left);
      if (journal === undefined) return;
      if (read?.name !== journal.name) {
        const text = await readJournal(journal, left);
        if (text === undefined) continue;
        read = { name: journal.name, text };
      }
      try {
        await makeSteps(read.text, { generation, journal });
        left = unbound(client.budget());
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
    { generation, journal }: RewriteState & { readonly journal: Journal },
  ): Promise<void> {
    const budget = client.budget();
    let txId = 0;
    const end = Math.min(steps.length, journal.step + sentAtOnce - 1);
    for (let step = journal.step; step <= end; step += 1) {
      const at = (reached: number) =>
        rewrites.state({ generation, journal: { ...journal, step: reached } });
      const own: readonly Operation[] = steps[step] ?? last;
      const further: readonly Operation[] =
        step < steps.length ? [["put", at(step + 1)], ...own] : own;
      const operations: readonly Operation[] = [["match", rewrites.stateId, at(step)], ...further];
      ({ txId } = await client.submit(operations, client.budget(), {
        wait: false,
        evicts: names.space,
      }));
    }
    await client.isCommitted(txId, budget);
  }

  return {
    complete,

    async rewrite(request, budget) {
      const privacy = await keptPrivacy(client, names, budget);
      let prepared: { readonly plan: RewritePlan; readonly journal: Journal } | undefined;
      for (let losses = 0, readings = 0; losses < mostLosses && readings < mostReadings;) {
        const clock = names.readClock(await client.entity(names.clockId, client.budget()));
        if (prepared === undefined || !(await stillHolds(prepared.plan, clock, parts))) {
          const plan = await planRewrite(request, clock, parts);
          prepared = { plan, journal: await putJournal(plan) };
          readings += 1;
          continue;
        }
        const { plan, journal } = prepared;
        const end = await planEnd(plan, request.forgotten, privacy, clock, parts);
        if (end !== undefined && (await begin(journal, end, clock))) {
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
