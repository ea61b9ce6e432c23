import { normalTime } from "@self-context-manager/objects";

import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import type { CallBudget, Document, NodeClient } from "../client/node-client.ts";

/**
 * A state of the store: after a transaction of the store, at a time (ISO 8601), or after a transaction of XTDB. Versions
 * that were imported later, with lower numbers or earlier times, are not in such a state.
 */
export type AsOf =
  | { readonly txId: number }
  | { readonly txTime: string }
  | { readonly xtdbTxId: number };

/** Number of commits that one query asks about. */
const probes = 32;

/**
 * Returns the transaction of XTDB that made a state; undefined for a state before the first commit. The documents of the
 * commits have the store's numbers and times, and XTDB knows which of its transactions wrote each.
 */
export async function xtdbTransaction(
  asOf: AsOf,
  client: NodeClient,
  names: XtdbDocuments,
  budget: CallBudget,
): Promise<number | undefined> {
  if ("xtdbTxId" in asOf) return asOf.xtdbTxId;
  const isReached =
    "txId" in asOf
      ? (commit: Document) => Number(names.read(commit, "tx")) <= asOf.txId
      : isBefore(normalTime(asOf.txTime), names);
  let from = 0;
  let to = names.readClock(await client.entity(names.clockId, budget)).seq;
  while (from < to) {
    const step = Math.ceil((to - from) / probes);
    const numbers: number[] = [];
    for (let number = from + step; number < to; number += step) numbers.push(number);
    numbers.push(to);
    const rows = await client.query(
      `{:find [c (pull c [*])] :in [[c ...]] :where [[c :${names.attribute("commit")}]]}`,
      [numbers.map((number) => names.commitId(number))],
      budget,
    );
    const commits = new Map(
      rows.map(([id, commit]) => [String(id), names.checked(commit as Document)]),
    );
    const later = numbers.findIndex((number) => {
      const commit = commits.get(names.commitId(number));
      return commit !== undefined && !isReached(commit);
    });
    const last = later === -1 ? numbers.length - 1 : later - 1;
    if (later !== -1) to = (numbers[later] ?? 1) - 1;
    from = numbers[last] ?? from;
  }
  return from === 0 ? undefined : await client.transactionOf(names.commitId(from), budget);
}

function isBefore(time: string, names: XtdbDocuments): (commit: Document) => boolean {
  return (commit) => Date.parse(String(names.read(commit, "time"))) <= Date.parse(time);
}
