import type { ObjectId } from "@self-context-manager/objects";

import type {
  ObjectDocument,
  VersionKey,
  XtdbDocuments,
} from "../xtdb-documents/xtdb-documents.ts";
import type { CallBudget } from "../client/call-budget.ts";
import type { NodeClient } from "../client/node-client.ts";
import type { VersionReader } from "./version-reader.ts";
import { DamageError } from "../client/xtdb-errors.ts";

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
  function transactionOf(
    id: ObjectId,
    version: number,
    budget: CallBudget,
  ): Promise<number | undefined> {
    return client.transactionOf(names.versionId(id, version), budget);
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

  /** Versions of a damaged store can be missing in the span. They have no document of their own. */
  async function some(
    id: ObjectId,
    from: number,
    to: number,
    budget: CallBudget,
  ): Promise<readonly ObjectDocument[]> {
    let found = await states(id, from, to, budget);
    if (found.size < to - from + 1) {
      const numbers = await numbersOf(id, [from, to], client, names, budget);
      const [first, last] = [numbers[0], numbers.at(-1)];
      if (first === undefined || last === undefined) return [];
      if (first !== from || last !== to) found = await states(id, first, last, budget);
      const lost = numbers.find((version) => !found.has(version));
      if (lost !== undefined)
        throw new DamageError(
          `the history of document ${names.objectId(id)} lacks version ${lost}`,
        );
    }
    const sorted = [...found.values()].sort((one, other) => one.version - other.version);
    checkFollowing(sorted, from - 1);
    return sorted;
  }

  /** Returns the states of an object's document in the versions `from` to `to`; none if one of these two is missing. */
  async function states(
    id: ObjectId,
    from: number,
    to: number,
    budget: CallBudget,
  ): Promise<ReadonlyMap<number, ObjectDocument>> {
    const objectId = names.objectId(id);
    const found = new Map<number, ObjectDocument>();
    const [first, last] = await Promise.all(
      (from === to ? [from] : [from, to]).map((version) => transactionOf(id, version, budget)),
    );
    if (first === undefined || (from !== to && last === undefined)) return found;
    const span =
      last === undefined
        ? [await client.entity(objectId, budget, { txId: first })]
        : await client.states(objectId, { from: first, to: last }, budget);
    for (const state of span) {
      if (state === undefined) continue;
      const document = names.readObject(state);
      if (document.version >= from && document.version <= to) found.set(document.version, document);
    }
    return found;
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
    if (txId === undefined) return [];
    const ids = versions.map(({ id }) => id);
    return await reader.objects(ids, budget, { txId });
  }
}

/**
 * Throws `DamageError` if a version is missing among those that are read in order: each names the one before. `after` is a
 * number below that of the first one.
 */
export function checkFollowing(
  versions: readonly (VersionKey & { readonly previous: number })[],
  after: number,
): void {
  for (const [index, { id, version, previous }] of versions.entries()) {
    const before = versions[index - 1]?.version;
    if (before === undefined ? previous > after : previous !== before)
      throw new DamageError(`version ${version} of object ${id} follows a lost version`);
  }
}

/** Returns the numbers of an object's versions in a span, in order. */
export async function numbersOf(
  id: ObjectId,
  [from, to]: readonly [from: number, to: number],
  client: NodeClient,
  names: XtdbDocuments,
  budget: CallBudget,
): Promise<readonly number[]> {
  const rows = await client.query(
    `{:find [n] :in [o a b] :where [[v :${names.attribute("of")} o] [v :${names.attribute("version")} n] [(>= n a)] [(<= n b)]]}`,
    [names.objectId(id), from, to],
    budget,
  );
  return rows.map(([number]) => Number(number)).sort((one, other) => one - other);
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
