import {
  checkFollows,
  checkNicknames,
  checkSameVersion,
  laterPoint,
  type ObjectId,
  type PresentVersion,
  type RestoreOptions,
  type StoredVersion,
} from "@self-context-manager/objects";
import { randomUUID } from "node:crypto";

import { basisQuery, type CommitBasis } from "./commit-basis.ts";
import type { Head } from "../reading/head.ts";
import type { CallBudget } from "../client/call-budget.ts";
import type { JsonDocument, Operation } from "../client/node-client.ts";
import { giveWay, type TransactionsParts } from "./transactions.ts";
import type { PastVersions } from "../reading/past-versions.ts";
import { type PlannedTransaction, planWrites, type WritePlan } from "./write-plan.ts";
import { RequestFailure } from "../client/xtdb-errors.ts";

export interface RestoreParts extends Omit<TransactionsParts, "clock"> {
  readonly past: PastVersions;
}

/** Number of transactions that are sent before the outcome of the last one is asked for. */
const sentAtOnce = 64;

/**
 * Returns the operation `restore` of the port.
 *
 * Each transaction of the other store becomes one of XTDB, so that XTDB's history has every version, and the state as of
 * each transaction. A restore that is interrupted has stored whole transactions, and can be repeated.
 */
export function restoring({
  client,
  names,
  chunks,
  bases,
  past,
  heads,
  memory,
}: RestoreParts): (
  versions: readonly StoredVersion[],
  options: RestoreOptions | undefined,
  budget: CallBudget,
) => Promise<{ readonly added: number }> {
  /** Returns the versions that are not stored yet. Throws `HISTORY_CONFLICT` for one that contradicts the store. */
  async function missing(
    versions: readonly StoredVersion[],
    options: RestoreOptions | undefined,
    basis: CommitBasis,
    budget: CallBudget,
  ): Promise<readonly StoredVersion[]> {
    const earlier = versions.filter(
      ({ body, version }) => version <= (basis.head(body.id)?.stored.version ?? 0),
    );
    const found = await past.of(
      earlier.map(({ body, version }) => ({ id: body.id, version })),
      budget,
    );
    const present = new Map(
      [...found].map(([documentId, { at, objectHash }]) => [
        documentId,
        { at, hashes: { object_hash: objectHash } },
      ]),
    );
    const { staged, latest } = stageRestored(versions, present, basis, names, options);
    checkNicknames(
      [...latest].map(([id, after]) => ({ before: basis.head(id)?.stored, after })),
      basis,
    );
    return staged;
  }

  /**
   * Writes transactions in their order. Returns false if another client committed in between; the transactions up to
   * there are stored.
   */
  async function writeAll(
    transactions: readonly (readonly StoredVersion[])[],
    basis: CommitBasis,
  ): Promise<boolean> {
    const state = followed(basis);
    for (let start = 0; start < transactions.length; start += sentAtOnce) {
      const collection = chunks.collect(basis.clock.generation);
      let last: JsonDocument | undefined;
      let txId = 0;
      for (const versions of transactions.slice(start, start + sentAtOnce)) {
        const before = collection.documents().length;
        const plan = planWrites(restored(versions, state.basis), names, collection);
        const { seq } = plan.clock;
        const nonce = randomUUID();
        const commit = names.commit(plan.clock, nonce);
        const operations: Operation[] = [
          ["match", names.commitId(seq), null],
          // A transaction takes effect only if the one before it did.
          ...(last === undefined ? [] : [["match", last["xt/id"], last] satisfies Operation]),
          ["put", commit],
          ["put", names.clock(plan.clock)],
          ...collection
            .documents()
            .slice(before)
            .map((document): Operation => ["put", document]),
          ...plan.operations,
        ];
        ({ txId } = await client.submit(operations, client.budget(), { wait: false }));
        last = commit;
        state.follow(plan);
      }
      if (!(await client.isCommitted(txId, client.budget()))) return false;
      const { clock } = state.basis;
      if (clock.generation !== memory.clock.generation) return false;
      collection.committed();
      if (clock.seq > memory.clock.seq) memory.clock = clock;
      for (const head of state.heads()) heads.set(head.stored.body.id, head);
    }
    return true;
  }

  return async (versions, options, budget) => {
    const query = basisQuery(versions);
    let added = 0;
    let rest = Number.POSITIVE_INFINITY;
    let left = budget;
    for (let tries = 0, losses = 0; ;) {
      const basis = await bases.fresh(query, left);
      const staged = await missing(versions, options, basis, left);
      added = Math.max(added, staged.length);
      if (staged.length === 0) return { added };
      // The time of a call is for the transactions that it still has to write.
      if (staged.length < rest) {
        left = client.budget();
        tries = 0;
        losses = 0;
      }
      rest = staged.length;
      try {
        if (await writeAll(transactionsOf(staged), basis)) return { added };
        losses += 1;
        await giveWay(losses, left, client.url);
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        // What was stored is read again, so a transaction that was accepted without an answer is not sent twice.
        await client.again(error, tries, left);
        tries += 1;
      }
    }
  };
}

/** Returns the versions that are not present yet, and the last one of each object. Throws `HISTORY_CONFLICT`. */
function stageRestored(
  versions: readonly StoredVersion[],
  present: ReadonlyMap<string, PresentVersion>,
  basis: CommitBasis,
  names: RestoreParts["names"],
  options: RestoreOptions | undefined,
): {
  readonly staged: readonly StoredVersion[];
  readonly latest: ReadonlyMap<ObjectId, StoredVersion>;
} {
  const latest = new Map<ObjectId, StoredVersion>();
  const staged = new Map<string, StoredVersion>();
  for (const one of versions) {
    const { id } = one.body;
    const documentId = names.versionId(id, one.version);
    const there = present.get(documentId) ?? staged.get(documentId);
    if (there !== undefined) {
      checkSameVersion(there, one);
      continue;
    }
    checkFollows(latest.get(id) ?? basis.head(id)?.stored, one, options);
    latest.set(id, one);
    staged.set(documentId, Object.freeze({ ...one }));
  }
  return { staged: [...staged.values()], latest };
}

function restored(versions: readonly StoredVersion[], basis: CommitBasis): PlannedTransaction {
  const at = versions.reduce((last, stored) => laterPoint(last, stored.at), basis.clock.at);
  return { versions, at, basis, namesAreChecked: true };
}

/** A basis that follows the transactions that are sent on it. */
function followed(basis: CommitBasis): {
  readonly basis: CommitBasis;
  follow(plan: WritePlan): void;
  heads(): Iterable<Head>;
} {
  const known = new Map<ObjectId, Head>();
  const owners = new Map<string, ObjectId | undefined>();
  /** The objects that had a nickname at any time, because several can have it for a while. */
  const holders = new Map<string, Set<ObjectId>>();
  let { clock } = basis;
  return {
    basis: {
      ...basis,
      get clock() {
        return clock;
      },
      head: (id) => known.get(id) ?? basis.head(id),
      owner: (nickname) => (owners.has(nickname) ? owners.get(nickname) : basis.owner(nickname)),
      heir(nickname, without) {
        for (const id of holders.get(nickname) ?? [])
          if (!without.has(id) && known.get(id)?.stored.body.nickname === nickname) return id;
        const first = basis.owner(nickname);
        return first === undefined || without.has(first) || known.has(first) ? undefined : first;
      },
      isObject: (id) => known.has(id as ObjectId) || basis.isObject(id),
    },
    follow(plan) {
      clock = plan.clock;
      for (const [nickname, owner] of plan.owners) owners.set(nickname, owner);
      for (const head of plan.heads) {
        const { id, nickname } = head.stored.body;
        known.set(id, head);
        if (nickname === undefined) continue;
        holders.set(nickname, (holders.get(nickname) ?? new Set()).add(id));
      }
    },
    heads: () => known.values(),
  };
}

/** Returns versions by transaction, in their order. A new one begins where the transaction changes or an object recurs. */
function transactionsOf(versions: readonly StoredVersion[]): readonly (readonly StoredVersion[])[] {
  const transactions: StoredVersion[][] = [];
  let objects = new Set<ObjectId>();
  let last: StoredVersion | undefined;
  for (const one of versions) {
    if (last?.at.tx_id !== one.at.tx_id || objects.has(one.body.id)) {
      transactions.push([]);
      objects = new Set();
    }
    transactions.at(-1)?.push(one);
    objects.add(one.body.id);
    last = one;
  }
  return transactions;
}
