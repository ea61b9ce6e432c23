import {
  bodyCache,
  type Clock,
  type JsonValue,
  type ObjectStore,
  type Patience,
  StoreError,
} from "@self-context-manager/objects";

import { chunks as chunkStore } from "./documents/chunks.ts";
import { documents, schemaVersion } from "./documents/documents.ts";
import type { Memory } from "./reading/memory.ts";
import type { Head, Rebuilt } from "./reading/head.ts";
import {
  type Document,
  nodeClient,
  type NodeClient,
  type CallBudget,
} from "./client/node-client.ts";
import { queries } from "./reading/queries.ts";
import { requests } from "./client/requests.ts";
import { transactions } from "./writing/transactions.ts";
import { versionReader } from "./reading/version-reader.ts";
import { field, queryFailureOf, storeError, storeErrorOf } from "./client/xtdb-errors.ts";

export interface XtdbStoreOptions {
  /** The URL of the node, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The store's name within the database. All ids and attributes begin with it. Default: `scm`. */
  readonly space?: string;
  /** The bearer token, if the node requires one. Default: none. */
  readonly token?: string;
  /** The source of transaction times. Default: the system's clock. */
  readonly clock?: Clock;
  /** Milliseconds that a call may take, including repeated requests. Default: 10,000. */
  readonly timeout?: number;
  /** How long calls wait for a node that does not answer. Default: `timeout` for each. */
  readonly patience?: Patience;
  /**
   * Makes sure that the node runs and returns its URL, which can change after a crash: `ensure` of `joinNode`. Default:
   * none; the URL stays the same.
   */
  readonly relocate?: () => Promise<string>;
  /** Characters of latest versions that are kept in memory. Default: 32 million. */
  readonly cacheCharacters?: number;
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
}

export interface XtdbQueryOptions {
  /** The transaction of XTDB, not of the store, as of which the query runs. Default: the latest. */
  readonly txId?: number;
}

/** Opens the store in a database of XTDB 1.24. The first commit is the first write. */
export async function openXtdbStore(options: XtdbStoreOptions): Promise<XtdbStore> {
  const { clock = { now: () => Date.now() }, token, timeout = 10_000 } = options;
  const sender = requests({ url: options.url, ...(token === undefined ? {} : { token }) });
  const { relocate } = options;
  const client = nodeClient(sender, {
    timeout,
    ...(relocate === undefined ? {} : { relocate }),
    ...(options.patience === undefined ? {} : { patience: options.patience }),
  });
  const names = documents(options.space ?? "scm");
  const heads = bodyCache<Head>(options.cacheCharacters ?? 32_000_000);
  const rebuilt = bodyCache<Rebuilt>((options.cacheCharacters ?? 32_000_000) / 2);
  const chunks = chunkStore(client, names);
  const reader = versionReader({ client, names, chunks, heads, rebuilt });
  const memory = await answered(client, () => firstLook(client, client.budget()));
  const write = transactions({ client, names, chunks, reader, heads, memory, clock });
  const ask = queries({ client, names, reader, heads, memory });
  let closed = false;
  /** Settles when all earlier writes are done, so that writes run in the order of the calls. */
  let writes: Promise<unknown> = Promise.resolve();

  async function firstLook(node: NodeClient, budget: CallBudget): Promise<Memory> {
    checkEngine(await node.status(budget), node.url);
    // A node already answers while it still indexes its log.
    await node.sync(budget);
    const document = await node.entity(names.clockId, budget);
    if (document !== undefined) checkSchema(document);
    const known = names.readClock(document);
    return { clock: known, since: known.seq };
  }

  function checkSchema(document: Document): void {
    const schema = names.read(document, "schema");
    if (typeof schema !== "number") {
      throw storeError(
        "STORE_FOREIGN",
        client.url,
        `its document ${names.clockId} belongs to another program; give the store another name in this database`,
      );
    }
    if (schema > schemaVersion) {
      throw storeError(
        "STORE_TOO_NEW",
        client.url,
        `its store has schema version ${schema}, but this program supports only versions up to ${schemaVersion}; update the program`,
      );
    }
  }

  async function run<Result>(work: (budget: CallBudget) => Promise<Result>): Promise<Result> {
    checkOpen();
    return await answered(client, () => work(client.budget()));
  }

  function checkOpen(): void {
    if (closed) {
      throw new StoreError("STORE_CLOSED", `the store at ${client.url} is closed; open it again`);
    }
  }

  function inTurn<Result>(work: (budget: CallBudget) => Promise<Result>): Promise<Result> {
    if (closed) return run(work);
    const result = writes.then(() => answered(client, () => work(client.budget())));
    writes = result.catch(() => undefined);
    return result;
  }

  return {
    name: "xtdb",
    supports: { durable: true, shared: true, losable: false, lockable: false },
    commit: (objects, commitOptions = {}) =>
      inTurn((budget) => write.commit(objects, commitOptions, budget)),
    restore: (versions) => inTurn((budget) => write.restore(versions, budget)),
    get: (id, at) => run((budget) => ask.get(id, at, budget)),
    getMany: (ids) => run((budget) => ask.getMany(ids, budget)),
    describe: (ids) => run((budget) => ask.describe(ids, budget)),
    history: (id, historyOptions = {}) => run((budget) => ask.history(id, historyOptions, budget)),
    find: (query) => run((budget) => ask.find(query, budget)),
    lookup: (nickname) => run((budget) => ask.lookup(nickname, budget)),
    referrers: (id, referrersOptions = {}) =>
      run((budget) => ask.referrers(id, referrersOptions, budget)),
    changesSince: (position = "0", { limit } = {}) =>
      run((budget) => ask.changesSince(position, limit, budget)),
    query: (edn, args = [], queryOptions = {}) => {
      const at = queryOptions.txId === undefined ? undefined : { txId: queryOptions.txId };
      // The request is not repeated: a failure in the node is mostly caused by the query and would occur again.
      return run(async (budget) => {
        try {
          return await client.query(edn, args, { ...budget, tries: false }, at);
        } catch (error) {
          throw queryFailureOf(error, client.url);
        }
      });
    },

    async [Symbol.asyncDispose]() {
      closed = true;
      await writes;
    },
  };
}

async function answered<Result>(
  node: Pick<NodeClient, "url">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storeErrorOf(error, node.url);
  }
}

/** Refuses other versions of XTDB: the documents and queries are those of XTDB 1, and 1.24 is its last version. */
function checkEngine(status: Document, url: string): void {
  const version = field(status, "version");
  if (typeof version === "string" && /^1\.(?:2[3-9]|[3-9]\d)\./u.test(`${version}.`)) return;
  throw storeError(
    "STORE_FOREIGN",
    url,
    `it is ${typeof version === "string" ? `XTDB ${version.slice(0, 40)}` : "not an XTDB that reports its version"}; the store needs XTDB 1.24`,
  );
}
