import {
  checkedVersion,
  type Clock,
  type JsonValue,
  type ObjectStore,
  type StoredVersion,
  StoreError,
  versionsInOrder,
} from "@self-context-manager/objects";

import { type AsOf, xtdbTransaction } from "./reading/as-of.ts";
import { firstLook } from "./first-look.ts";
import type { CallBudget } from "./client/call-budget.ts";
import type { VersionList } from "./reading/changes-since.ts";
import { steady } from "./reading/steady.ts";
import { versionsAtOnce } from "./reading/version-pages.ts";
import { queries } from "./reading/queries.ts";
import { documentQueries } from "./writing/document-index.ts";
import { keptPrivacy } from "./writing/privacy.ts";
import { restoring } from "./writing/restore.ts";
import { rewriting } from "./writing/rewrite.ts";
import { type ConnectionOptions, storeParts } from "./store-parts.ts";
import { transactions } from "./writing/transactions.ts";
import { answered, damageIn, DamageError, queryFailureOf } from "./client/xtdb-errors.ts";

export interface XtdbStoreOptions extends ConnectionOptions {
  /** The source of transaction times. Default: the system's clock. */
  readonly clock?: Clock;
}

/** The store on XTDB with its own query language. Code that calls `query` runs on no other store. */
export interface XtdbStore extends ObjectStore {
  /**
   * Runs a Datalog query in XTDB's EDN, with arguments for `:in`; docs/architecture/xtdb.md describes the documents. The
   * query only reads. Its rows are in no particular order, and a row can occur twice. Rejects with `RangeError` for a
   * query that XTDB refuses.
   */
  query(
    edn: string,
    args?: readonly JsonValue[],
    options?: XtdbQueryOptions,
  ): Promise<readonly (readonly unknown[])[]>;
  /** Lists all versions, whether they can be read or not, so that a check can read each of them. */
  listVersions(): Promise<VersionList>;
}

export interface XtdbQueryOptions {
  /** The state of the store that the query sees. Default: the latest. */
  readonly asOf?: AsOf;
}

/** Opens the store in a database of XTDB 1.24. The first commit is the first write. */
export async function openXtdbStore(options: XtdbStoreOptions): Promise<XtdbStore> {
  const { clock = { now: () => Date.now() } } = options;
  const parts = storeParts(options);
  const { client, names } = parts;
  const rewrites = rewriting(parts);
  const calls = steady(parts, () => rewrites.complete());
  await answered(client, async () => {
    const budget = client.budget();
    await firstLook(parts, budget);
    await calls.refresh(budget);
  });
  const write = transactions({ ...parts, clock });
  const restore = restoring(parts);
  const ask = queries(parts);
  const documents = documentQueries(parts);
  let closed = false;
  /** Settles when all earlier writes are done, so that writes run in the order of the calls. */
  let writes: Promise<unknown> = Promise.resolve();

  async function run<Result>(work: (budget: CallBudget) => Promise<Result>): Promise<Result> {
    checkOpen();
    return await answered(client, () => calls.run(work, { isRead: true }));
  }

  function checkOpen(): void {
    if (closed) {
      throw new StoreError("STORE_CLOSED", `the store at ${client.url} is closed; open it again`);
    }
  }

  function inTurn<Result>(work: (budget: CallBudget) => Promise<Result>): Promise<Result> {
    if (closed) return run(work);
    const result = writes.then(() => answered(client, () => calls.run(work, { isRead: false })));
    writes = result.catch(() => undefined);
    return result;
  }

  return {
    name: "xtdb",
    supports: { durable: true, shared: true, losable: false, lockable: false },
    documents: {
      position: (parser) => run((budget) => documents.position(parser, budget)),
      keep: (parser, entries, position) =>
        inTurn((budget) => documents.keep(parser, entries, position, budget)),
      entries: (parser, ids) => run((budget) => documents.entries(parser, ids, budget)),
      named: (parser, keys) => run((budget) => documents.named(parser, keys, budget)),
      linking: (parser, keys) => run((budget) => documents.linking(parser, keys, budget)),
      tagged: (parser, tag) => run((budget) => documents.tagged(parser, tag, budget)),
      tags: (parser) => run((budget) => documents.tags(parser, budget)),
      links: (parser, { after = "", limit = 1000 } = {}) =>
        run((budget) => documents.links(parser, after, limit, budget)),
    },
    commit: (objects, commitOptions = {}) =>
      inTurn((budget) => write.commit(objects, commitOptions, budget)),
    restore: (versions, restoreOptions) =>
      inTurn((budget) => restore(versions, restoreOptions, budget)),
    get: (id, at) => run(async (budget) => checked(await ask.get(id, at, budget))),
    getMany: (ids) => run(async (budget) => (await ask.getMany(ids, budget)).map(checked)),
    describe: (ids) => run((budget) => ask.describe(ids, budget)),
    history: (id, historyOptions = {}) => run((budget) => ask.history(id, historyOptions, budget)),
    versions: (id, range) =>
      versionsInOrder(
        {
          length: versionsAtOnce,
          latest: () => run((budget) => ask.latest(id, budget)),
          page: (from, to, before) => run((budget) => ask.page(id, from, to, before, budget)),
          get: (version) => run((budget) => ask.get(id, { version }, budget)),
          checked: (stored) => checkedVersion(stored, (what) => damageIn(client.url, what)),
        },
        range,
      ),
    find: (query) => run((budget) => ask.find(query, budget)),
    lookup: (nickname) => run((budget) => ask.lookup(nickname, budget)),
    referrers: (id, referrersOptions = {}) =>
      run((budget) => ask.referrers(id, referrersOptions, budget)),
    changesSince: (position, changesOptions = {}) =>
      run((budget) => ask.changesSince(position, changesOptions, budget)),
    rewrite: (request) =>
      inTurn(async (budget) => {
        const result = await rewrites.rewrite(request, budget);
        await calls.refresh(client.budget());
        await client.erase();
        return result;
      }),
    privacy: () =>
      run(async (budget) => {
        const kept = await keptPrivacy(client, names, budget);
        return { ...kept, generation: parts.memory.rewrites.generation };
      }),
    listVersions: () => run((budget) => ask.listVersions(budget)),
    query: (edn, args = [], { asOf } = {}) =>
      run(async (budget) => {
        const txId =
          asOf === undefined ? undefined : await xtdbTransaction(asOf, client, names, budget);
        if (asOf !== undefined && txId === undefined) return [];
        try {
          // The request is not repeated: a failure in the node is mostly caused by the query and would occur again.
          const once = { ...budget, tries: false };
          return await client.query(edn, args, once, txId === undefined ? undefined : { txId });
        } catch (error) {
          throw queryFailureOf(error, client.url);
        }
      }),

    async [Symbol.asyncDispose]() {
      closed = true;
      await writes;
    },
  };
}

function checked(stored: StoredVersion | undefined): StoredVersion | undefined {
  return stored && checkedVersion(stored, (what) => new DamageError(what));
}
