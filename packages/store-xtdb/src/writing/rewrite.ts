import type { RewriteRequest, RewriteResult } from "@self-context-manager/objects";
import { randomUUID } from "node:crypto";

import type { CallBudget, Operation } from "../client/node-client.ts";
import { pullDocuments } from "../client/pull-documents.ts";
import { RequestFailure, storeError } from "../client/xtdb-errors.ts";
import { unbound } from "../reading/steady.ts";
import type { Journal, RewriteState } from "../xtdb-documents/rewrite-documents.ts";
import type { StoreClock } from "../xtdb-documents/xtdb-documents.ts";
import { keptPrivacy } from "./privacy.ts";
import { planRewrite, type RewritePlan, type RewritePlanParts } from "./rewrite-plan.ts";
import { sendCommit } from "./send-commit.ts";
import { giveWay } from "./transactions.ts";

export interface Rewrites {
  /** Rewrites versions. The caller refreshes its memory afterwards, and then calls `erase`. */
  rewrite(request: RewriteRequest, budget: CallBudget): Promise<RewriteResult>;
  /** Makes the remaining transactions of a rewrite that has begun. Several clients can do so at the same time. */
  complete(): Promise<void>;
}

/** The transactions of a rewrite, as its journal has them. */
type JournalText = Pick<RewritePlan, "steps" | "last">;

/** Number of transactions that are sent before the outcome of the last one is asked for. */
const sentAtOnce = 64;

/** Number of documents of a journal in one transaction. */
const piecesAtOnce = 8;

/** Number of commits of others before which a rewrite gives way. Each time it reads the objects again. */
const mostLosses = 10;

/**
 * The rewrites of a store.
 *
 * XTDB cannot evict a document and put it again in one transaction. So the first transaction puts a journal with all that
 * follow. It is a commit, so no other client's commit comes between the read versions and the journal, and none follows
 * it until the last transaction. Each transaction matches and changes the state, so each takes effect once, and whoever
 * notices the state can continue.
 */
export function rewriting(parts: RewritePlanParts): Rewrites {
  const { client, names } = parts;
  const { rewrites } = names;

  /** Puts a journal and begins its rewrite. Returns false if another commit came first. */
  async function begin(plan: RewritePlan, clock: StoreClock): Promise<boolean> {
    const journal = randomUUID();
    const former = await formerPieces();
    const last = [...plan.last, ...endOf(clock, journal)];
    // The pieces evict themselves. Their number does not change with it by more than one.
    let documents = rewrites.pieces(journal, textOf(plan, last, former));
    for (;;) {
      const pieces = documents.map((document) => document["xt/id"]);
      const made = rewrites.pieces(journal, textOf(plan, last, [...former, ...pieces]));
      const isSame = made.length === documents.length;
      documents = made;
      if (isSame) break;
    }
    for (let start = 0; start < documents.length; start += piecesAtOnce) {
      const part = documents.slice(start, start + piecesAtOnce);
      await submit(part.map((document) => ["put", document]));
    }
    const next = { ...clock, seq: clock.seq + 1, isRewriting: true };
    const nonce = randomUUID();
    const state: RewriteState = {
      generation: clock.generation,
      journal: { name: journal, pieces: documents.length, step: 0 },
    };
    return await sendCommit(
      [
        ["match", names.commitId(next.seq), null],
        ["put", names.commit(next, nonce)],
        ["put", names.clock(next)],
        ["put", rewrites.state(state)],
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

  /** Returns the ids of pieces of journals that have not begun, because their clients were killed or came too late. */
  async function formerPieces(): Promise<readonly string[]> {
    const rows = await client.query(
      `{:find [d] :where [[d :${names.attribute("journal")}]]}`,
      [],
      client.budget(),
    );
    return rows.map(([id]) => String(id)).filter((id) => id !== rewrites.stateId);
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
    { name, pieces }: Journal,
    budget: CallBudget,
  ): Promise<JournalText | undefined> {
    const ids = Array.from({ length: pieces }, (_, piece) => rewrites.pieceId(name, piece));
    const found = new Map(await pullDocuments(client, ids, budget, { atOnce: piecesAtOnce }));
    const documents = ids.map((id) => found.get(id)).filter((document) => document !== undefined);
    if (documents.length < pieces) return undefined;
    return JSON.parse(rewrites.readPieces(documents)) as JournalText;
  }

  async function complete(): Promise<void> {
    let read: { readonly name: string; readonly text: JournalText } | undefined;
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
    { steps, last }: JournalText,
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
      for (let losses = 1; ; losses += 1) {
        const clock = names.readClock(await client.entity(names.clockId, client.budget()));
        const plan = await planRewrite(request, clock, privacy, parts);
        if (plan !== undefined && (await begin(plan, clock))) {
          await complete();
          const { changed, removed } = plan;
          return { changed, removed, generation: clock.generation + 1 };
        }
        if (losses === mostLosses)
          throw storeError(
            "STORE_BUSY",
            client.url,
            `other clients committed first ${losses} times; end them, and try again`,
          );
        await giveWay(losses, client.budget(), client.url);
      }
    },
  };
}

/** Returns the text of a journal whose last transaction also evicts documents. */
function textOf(
  { steps }: RewritePlan,
  last: readonly Operation[],
  evicted: readonly string[],
): string {
  const text: JournalText = {
    steps,
    last: [...last, ...evicted.map((id): Operation => ["evict", id])],
  };
  return JSON.stringify(text);
}
