import type { ObjectId } from "@self-context-manager/objects";

import type { XtdbDocuments, ObjectDocument } from "../xtdb-documents/xtdb-documents.ts";
import type { CallBudget, Document, NodeClient } from "../client/node-client.ts";
import type { VersionReader } from "./version-reader.ts";
import { DamageError } from "../client/xtdb-errors.ts";

interface VersionKey {
  readonly id: ObjectId;
  readonly version: number;
}

/** Reads the documents of objects as they were in earlier versions, from XTDB's history. */
export interface PastVersions {
  /** Returns those documents of an object that exist for the versions `from` to `to`, both included, oldest first. */
  between(
    id: ObjectId,
    from: number,
    to: number,
    budget: CallBudget,
  ): Promise<readonly ObjectDocument[]>;
  /**
   * Returns the documents of the objects of versions that exist, as they were in these versions, by the ids of the
   * versions. The given versions are in the order of their commits.
   */
  of(
    versions: readonly VersionKey[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<string, ObjectDocument>>;
}

/** Number of versions that one request asks for. */
const versionsAtOnce = 500;

export function pastVersions(
  client: NodeClient,
  names: XtdbDocuments,
  reader: VersionReader,
): PastVersions {
  /** Returns the transaction of XTDB that wrote a version: the one that wrote the version's own document. */
  async function transactionOf(id: ObjectId, version: number, budget: CallBudget): Promise<number> {
    const documentId = names.versionId(id, version);
    const txId = await client.transactionOf(documentId, budget);
    if (txId === undefined) throw new DamageError(`document ${documentId} is missing`);
    return txId;
  }

  async function between(
    id: ObjectId,
    from: number,
    to: number,
    budget: CallBudget,
  ): Promise<readonly ObjectDocument[]> {
    const found: ObjectDocument[] = [];
    for (let start = from; start <= to; start += versionsAtOnce) {
      const end = Math.min(to, start + versionsAtOnce - 1);
      found.push(...(await some(id, start, end, budget)));
    }
    return found;
  }

  async function some(
    id: ObjectId,
    from: number,
    to: number,
    budget: CallBudget,
  ): Promise<readonly ObjectDocument[]> {
    const objectId = names.objectId(id);
    let states: readonly Document[];
    if (from === to) {
      const txId = await transactionOf(id, from, budget);
      const state = await client.entity(objectId, budget, { txId });
      states = state === undefined ? [] : [state];
    } else {
      const [first, last] = await Promise.all([
        transactionOf(id, from, budget),
        transactionOf(id, to, budget),
      ]);
      states = await client.states(objectId, { from: first, to: last }, budget);
    }
    const versions = new Map<number, ObjectDocument>();
    for (const state of states) {
      const document = names.readObject(state);
      if (document.version >= from && document.version <= to)
        versions.set(document.version, document);
    }
    if (versions.size < to - from + 1)
      throw new DamageError(
        `the history of document ${objectId} lacks some of the versions ${from} to ${to}`,
      );
    return [...versions.values()].sort((one, other) => one.version - other.version);
  }

  return {
    between,

    async of(versions, budget) {
      const found = new Map<string, ObjectDocument>();
      let rest = versions;
      for (let isWorthwhile = true; rest.length > 0 && isWorthwhile;) {
        for (const document of await asOfLast(rest, budget))
          found.set(names.versionId(document.id, document.version), document);
        const missing = rest.filter(({ id, version }) => !found.has(names.versionId(id, version)));
        isWorthwhile = 2 * missing.length <= rest.length;
        rest = missing;
      }
      for (const [id, numbers] of byObject(rest)) {
        for (const [from, to] of spansOf(numbers))
          for (const document of await between(id, from, to, budget))
            found.set(names.versionId(id, document.version), document);
      }
      return found;
    },
  };

  /** Returns the documents of the objects of versions, as they were in the last of these versions. */
  async function asOfLast(
    versions: readonly VersionKey[],
    budget: CallBudget,
  ): Promise<readonly ObjectDocument[]> {
    const last = versions.at(-1);
    if (last === undefined) return [];
    const txId = await transactionOf(last.id, last.version, budget);
    const ids = versions.map(({ id }) => id);
    return await reader.objects(ids, budget, { txId });
  }
}

function byObject(versions: readonly VersionKey[]): ReadonlyMap<ObjectId, readonly number[]> {
  const numbers = new Map<ObjectId, number[]>();
  for (const { id, version } of versions) {
    const known = numbers.get(id);
    if (known === undefined) numbers.set(id, [version]);
    else known.push(version);
  }
  return numbers;
}

/**
 * Returns the numbers as spans, each of which is read at once. A span can contain other numbers too, as long as they are
 * fewer than those that are wanted.
 */
function spansOf(numbers: readonly number[]): readonly (readonly [from: number, to: number])[] {
  const spans: [from: number, to: number, wanted: number][] = [];
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const span = spans.at(-1);
    if (span !== undefined && number - span[0] < 2 * (span[2] + 1)) {
      span[1] = number;
      span[2] += 1;
    } else spans.push([number, number, 1]);
  }
  return spans.map(([from, to]) => [from, to]);
}
