import {
  checkGeneration,
  checkRepeated,
  checkWrites,
  type Clock,
  type CommitOptions,
  type CommitResult,
  type CommittedVersion,
  type ObjectWrite,
  requestDigest,
  stageCommit,
  type StoredVersion,
  type VersionPoint,
} from "@self-context-manager/objects";
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
import { writeCommit } from "./write-commit.ts";
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
      /** The point of the first of two commits. */
      readonly before: VersionPoint | undefined;
      readonly further: (chunks: ChunkCollection) => readonly Operation[];
      readonly answer: CommitResult;
    };

/** Thrown if a basis lacks what the writes of `next` need. */
const uncovered = new Error("the basis of a commit lacks objects");

export function transactions(parts: TransactionsParts): Transactions {
  const { client, names, chunks, bases, clock } = parts;

  /**
   * Repeats a commit until it is stored or refused. It is prepared again on a fresh basis in three cases: a refusal that
   * follows from a basis in memory, a basis without what the writes of `next` need, and a commit of another client that came
   * first.
   */
  async function run(
    query: () => BasisQuery,
    start: CommitBasis | undefined,
    budget: CallBudget,
    decide: (basis: CommitBasis) => Outcome,
  ): Promise<CommitResult> {
    let known = start;
    for (let losses = 0; ;) {
      const basis = known ?? (await bases.fresh(query(), budget));
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
        if (basis.isFresh && error !== uncovered) throw error;
        continue;
      }
      const further = outcome.further(collection);
      if (await writeCommit({ ...outcome, basis, plan, collection, further }, parts, budget))
        return outcome.answer;
      losses += 1;
      await giveWay(losses, budget, client.url);
    }
  }

  return {
    async commit(writes, options, budget) {
      const { requestId, generation, next } = options;
      checkWrites(writes, { requestId, next });
      const digest = requestId === undefined ? undefined : requestDigest(writes);
      const needs = commitNeeds(writes, options);
      return run(needs.query, bases.remembered(needs.query(), writes), budget, (basis) => {
        checkGeneration(generation, basis.clock.generation);
        if (basis.request !== undefined) {
          checkRepeated(requestId, basis.request.digest, digest);
          return {
            type: "answer",
            answer: { versions: basis.request.versions, replayed: true },
          };
        }
        const time = { last: basis.clock.at, clock };
        const { staged, versions, at, before } = stageCommit(
          writes,
          (id) => basis.head(id)?.stored,
          time,
          next && ((first) => needs.second(first, basis)),
        );
        const answer: CommitResult = { versions, replayed: false };
        if (staged.length === 0 && requestId === undefined) return { type: "answer", answer };
        return {
          type: "write",
          versions: staged,
          at: staged.length === 0 ? time.last : at,
          before,
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

/** What a commit needs from its basis. */
interface CommitNeeds {
  readonly query: () => BasisQuery;
  /** Returns the writes of `next`. If the basis lacks what they need, it throws, and the query has it from then on. */
  second(first: readonly CommittedVersion[], basis: CommitBasis): readonly ObjectWrite[];
}

function commitNeeds(
  writes: readonly ObjectWrite[],
  { requestId, next }: CommitOptions,
): CommitNeeds {
  const objects = writes.map(({ object }) => object);
  let query = basisQuery(objects, requestId);
  let isExtended = false;
  return {
    query: () => query,
    second(first, basis) {
      const second = next?.(first) ?? [];
      if (basis.covers(second)) return second;
      if (isExtended) throw new TypeError("`next` of a commit returns other objects each time");
      isExtended = true;
      query = basisQuery([...objects, ...second.map(({ object }) => object)]);
      throw uncovered;
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
