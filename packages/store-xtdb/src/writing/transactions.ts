import {
  checkGeneration,
  checkRepeated,
  checkWrites,
  type Clock,
  type CommitOptions,
  type CommitResult,
  type ObjectWrite,
  requestDigest,
  stageCommit,
  type StoredVersion,
  type VersionPoint,
} from "@self-context-manager/objects";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import type { ChunkCollection } from "../xtdb-documents/chunks.ts";
import {
  type BasisParts,
  basisQuery,
  type BasisReader,
  type CommitBasis,
  type BasisQuery,
} from "./commit-basis.ts";
import type { CallBudget } from "../client/call-budget.ts";
import type { Operation } from "../client/node-client.ts";
import { sendCommit } from "./send-commit.ts";
import { planWrites, type WritePlan } from "./write-plan.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import { storeError } from "../client/xtdb-errors.ts";

/** The commits of the store. One call runs at a time. */
export interface Transactions {
  commit(
    writes: readonly ObjectWrite[],
    options: CommitOptions,
    budget: CallBudget,
  ): Promise<CommitResult>;
}

export interface TransactionsParts extends Omit<BasisParts, "reader"> {
  readonly bases: BasisReader;
  readonly clock: Clock;
}

/** The outcome of a commit on its basis: an answer without a write, or the versions to write and the answer after it. */
type Outcome =
  | { readonly type: "answer"; readonly answer: CommitResult }
  | {
      readonly type: "write";
      readonly versions: readonly StoredVersion[];
      readonly at: VersionPoint;
      readonly further: (chunks: ChunkCollection) => readonly Operation[];
      readonly answer: CommitResult;
    };

export function transactions(parts: TransactionsParts): Transactions {
  const { client, names, chunks, bases, heads, memory, clock } = parts;

  /**
   * Repeats a commit until it is stored or refused. It is prepared again on a fresh basis in two cases: a refusal that
   * follows from a basis in memory, and a commit of another client that came first.
   */
  async function run(
    query: BasisQuery,
    start: CommitBasis | undefined,
    budget: CallBudget,
    decide: (basis: CommitBasis) => Outcome,
  ): Promise<CommitResult> {
    let known = start;
    for (let losses = 0; ;) {
      const basis = known ?? (await bases.fresh(query, budget));
      known = undefined;
      const collection = chunks.collect(basis.clock.generation);
      let outcome: Outcome;
      let plan: WritePlan;
      try {
        outcome = decide(basis);
        if (outcome.type === "answer") {
          if (basis.isFresh) return outcome.answer;
          continue;
        }
        plan = planWrites({ ...outcome, basis, namesAreChecked: false }, names, collection);
      } catch (error) {
        if (basis.isFresh) throw error;
        continue;
      }
      const further = outcome.further(collection);
      const committed = await write(basis, plan, collection, further, budget);
      if (committed) return outcome.answer;
      losses += 1;
      await giveWay(losses, budget, client.url);
    }
  }

  /** Writes a plan as the next commit. Returns false if another commit came first. */
  async function write(
    basis: CommitBasis,
    plan: WritePlan,
    collection: ChunkCollection,
    further: readonly Operation[],
    budget: CallBudget,
  ): Promise<boolean> {
    const { seq } = plan.clock;
    const nonce = randomUUID();
    const operations: Operation[] = [
      ["match", names.commitId(seq), null],
      ...[...basis.assumed].map((id): Operation => ["match", id, null]),
      ["put", names.commit(plan.clock, nonce)],
      ["put", names.clock(plan.clock)],
      ...collection.documents().map((document): Operation => ["put", document]),
      ...plan.operations,
      ...further,
    ];
    // If the commit failed or its outcome is unknown, the memory stays as it is: a commit based on it will fail its match
    // and read a fresh basis.
    if (!(await sendCommit(operations, { seq, nonce }, { client, names }, budget))) return false;
    // A read in the meantime may have noticed a rewrite.
    if (plan.clock.generation !== memory.clock.generation) return true;
    collection.committed();
    // A read in the meantime may have recorded a later commit.
    if (seq > memory.clock.seq) memory.clock = plan.clock;
    for (const head of plan.heads) heads.set(head.stored.body.id, head);
    return true;
  }

  return {
    async commit(writes, { requestId, generation }, budget) {
      checkWrites(writes);
      const digest = requestId === undefined ? undefined : requestDigest(writes);
      const query = basisQuery(
        writes.map(({ object }) => object),
        requestId,
      );
      return run(query, bases.remembered(query, writes), budget, (basis) => {
        checkGeneration(generation, basis.clock.generation);
        if (basis.request !== undefined) {
          checkRepeated(requestId, basis.request.digest, digest);
          return {
            type: "answer",
            answer: { versions: basis.request.versions, replayed: true },
          };
        }
        const time = { last: basis.clock.at, clock };
        const { staged, versions, at } = stageCommit(writes, (id) => basis.head(id)?.stored, time);
        const answer: CommitResult = { versions, replayed: false };
        if (staged.length === 0 && requestId === undefined) return { type: "answer", answer };
        return {
          type: "write",
          versions: staged,
          at: staged.length === 0 ? time.last : at,
          further: (collection) =>
            requestId === undefined || digest === undefined
              ? []
              : [
                  requestOperation(
                    names.requestId(requestId, basis.clock.generation),
                    digest,
                    versions,
                    { names, collection },
                  ),
                ],
          answer,
        };
      });
    },
  };
}

/** Waits before the next attempt of a writer that lost to others. Rejects with `STORE_BUSY` if no time is left. */
export async function giveWay(losses: number, budget: CallBudget, url: string): Promise<void> {
  if (budget.remaining() <= 0) {
    throw storeError(
      "STORE_BUSY",
      url,
      `other clients committed first ${losses} times; try again when they write less, or raise the timeout`,
    );
  }
  // The first loss is mostly due to a single commit of another writer, so there is no pause.
  if (losses > 1) await delay(Math.random() * Math.min(100, 10 * losses));
}

/** Keeps the outcome of a request. */
function requestOperation(
  documentId: string,
  digest: string,
  versions: CommitResult["versions"],
  { names, collection }: { readonly names: XtdbDocuments; readonly collection: ChunkCollection },
): Operation {
  collection.used();
  const outcome = collection.attribute(JSON.stringify(versions));
  const used = collection.used();
  return [
    "put",
    names.sealed({
      "xt/id": documentId,
      [names.attribute("digest")]: digest,
      [names.attribute("outcome")]: outcome,
      ...(used.length === 0 ? {} : { [names.attribute("chunks")]: used }),
    }),
  ];
}
