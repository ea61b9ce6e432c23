import { isTransactionTime, normalTime } from "@self-context-manager/objects";

import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import type { CallBudget } from "../client/call-budget.ts";
import type { Document, NodeClient } from "../client/node-client.ts";

/**
 * A state of the store: after a transaction of the store, at a time (ISO 8601), or after a transaction of XTDB. Versions
 * that were imported later, with lower numbers or earlier times, are not in such a state.
 */
export type AsOf =
  | { readonly txId: number }
  | { readonly txTime: string }
  | { readonly xtdbTxId: number };

/** Number of commits that one query asks about, for the search of a transaction. */
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
  const number =
    "txId" in asOf
      ? await lastUpTo(asOf.txId, client, names, budget)
      : await lastAt(normalTime(asOf.txTime), client, names, budget);
  return number === 0 ? undefined : await client.transactionOf(names.commitId(number), budget);
}

/**
 * Returns the number of the last commit that is not after a time; 0 if there is none. All commits are compared, because a
 * clock that was set back makes earlier times.
 */
async function lastAt(
  time: string,
  client: NodeClient,
  names: XtdbDocuments,
  budget: CallBudget,
): Promise<number> {
  const milliseconds = Date.parse(time);
  if (milliseconds < 0) return 0;
  // The texts of the times that a transaction can have are in the order of the times.
  const [commit, at] = [names.attribute("commit"), names.attribute("time")];
  const rows = await client.query(
    `{:find [(max n)] :in [x] :where [[c :${commit} n] [c :${at} t] [(<= t x)]]}`,
    [isTransactionTime(milliseconds) ? time : "2201"],
    budget,
  );
  return Number(rows[0]?.[0] ?? 0);
}

/** Returns the number of the last commit with a transaction up to a number; 0 if there is none. */
async function lastUpTo(
  txId: number,
  client: NodeClient,
  names: XtdbDocuments,
  budget: CallBudget,
): Promise<number> {
  const isReached = (commit: Document): boolean => Number(names.read(commit, "tx")) <= txId;
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
  return from;
}
