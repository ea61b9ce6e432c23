import { randomUUID } from "node:crypto";

import { type CallBudget, unbound } from "../client/call-budget.ts";
import type { NodeClient, Operation } from "../client/node-client.ts";
import { pullDocuments } from "../client/pull-documents.ts";
import { RequestFailure } from "../client/xtdb-errors.ts";
import type { Journal, RewriteState } from "../xtdb-documents/rewrite-documents.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import type { RewriteEnd, RewritePlan } from "./rewrite-plan.ts";

/** The documents with the transactions of a rewrite. */
export interface Journals {
  /** Puts the documents of a journal except the last one, and returns the journal. */
  put(plan: RewritePlan): Promise<Journal>;
  /** Returns the ids of all documents of a journal. */
  pieceIds(journal: Journal): readonly string[];
  /**
   * Returns the ids of the documents of other journals. Their rewrites have not begun, because their clients were killed or
   * came too late.
   */
  others(journal: Journal): Promise<readonly string[]>;
  /** Reads the state of the store and the journal of its rewrite; undefined if there is none. */
  current(
    budget: CallBudget,
  ): Promise<(RewriteState & { readonly journal: Journal; readonly text: RewriteEnd }) | undefined>;
}

export interface JournalsParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
}

/** Number of documents of a journal in one transaction or query. */
const piecesAtOnce = 8;

export function journals({ client, names }: JournalsParts): Journals {
  const { rewrites } = names;
  let known: { readonly name: string; readonly text: RewriteEnd } | undefined;

  function pieceIds({ name, pieces }: Journal): readonly string[] {
    return Array.from({ length: pieces + 1 }, (_, piece) => rewrites.pieceId(name, piece));
  }

  /** Puts documents until they are in the log. It does no harm if they are put twice. */
  async function submit(operations: readonly Operation[]): Promise<void> {
    const budget = client.budget();
    for (let tries = 0; ; tries += 1) {
      try {
        const { txId } = await client.submit(operations, budget);
        await client.isCommitted(txId, budget);
        return;
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        await client.again(error, tries, budget);
      }
    }
  }

  async function read(journal: Journal, budget: CallBudget): Promise<RewriteEnd | undefined> {
    if (known?.name === journal.name) return known.text;
    const ids = pieceIds(journal);
    const found = new Map(await pullDocuments(client, ids, budget, { atOnce: piecesAtOnce }));
    const documents = ids.map((id) => found.get(id)).filter((document) => document !== undefined);
    if (documents.length < ids.length) return undefined;
    const end = JSON.parse(rewrites.readPieces(documents.slice(-1))) as RewriteEnd;
    const steps = JSON.parse(rewrites.readPieces(documents.slice(0, -1))) as RewritePlan["steps"];
    known = { name: journal.name, text: { steps: [...end.steps, ...steps], last: end.last } };
    return known.text;
  }

  return {
    pieceIds,

    async put({ steps }) {
      const name = randomUUID();
      const documents = rewrites.pieces(name, JSON.stringify(steps));
      for (let start = 0; start < documents.length; start += piecesAtOnce) {
        const part = documents.slice(start, start + piecesAtOnce);
        await submit(part.map((document) => ["put", document]));
      }
      return { name, pieces: documents.length, step: 0 };
    },

    async others(journal) {
      const rows = await client.query(
        `{:find [d] :where [[d :${names.attribute("journal")}]]}`,
        [],
        client.budget(),
      );
      const own = new Set([rewrites.stateId, ...pieceIds(journal)]);
      return rows.map(([id]) => String(id)).filter((id) => !own.has(id));
    },

    async current(budget) {
      for (;;) {
        const document = await client.entity(rewrites.stateId, unbound(budget));
        const { generation, journal } = rewrites.readState(document);
        if (journal === undefined) {
          known = undefined;
          return undefined;
        }
        const text = await read(journal, unbound(budget));
        // Another client can have ended the rewrite between the two reads.
        if (text !== undefined) return { generation, journal, text };
      }
    },
  };
}
