import {
  defined,
  fixedPatience,
  type JsonValue,
  type Patience,
} from "@self-context-manager/objects";
import { setTimeout as delay } from "node:timers/promises";

import { attempts } from "./attempts.ts";
import type { CallBudget } from "./call-budget.ts";
import { queryBody } from "./edn.ts";
import type { NodePlace, NodeRequest, Requests } from "./requests.ts";
import {
  type Answer,
  checkRefusal,
  DamageError,
  field,
  isOutOfSync,
  reasonOf,
  RequestFailure,
  RewriteNoticed,
} from "./xtdb-errors.ts";

/** A document that was read from the database: its attributes by name, with the namespace. */
export type Document = Readonly<Record<string, unknown>>;

/** One operation of a transaction, in XTDB's JSON form. */
export type Operation =
  | readonly ["put", JsonDocument]
  | readonly ["delete", string]
  | readonly ["evict", string]
  | readonly ["match", string, JsonDocument | null];

/** A document to write. It is JSON, so that every client writes numbers in the same Java class. */
export type JsonDocument = { readonly "xt/id": string; readonly [attribute: string]: JsonValue };

/** A transaction that is in the log. */
interface Submitted {
  readonly txId: number;
  /** Whether its matches held; undefined if the node did not report it, and then `isCommitted` returns it. */
  readonly held: boolean | undefined;
}

/** The transaction of XTDB as of which a request is answered. */
export interface Basis {
  readonly txId: number;
}

/**
 * The calls of XTDB's HTTP API that the store uses. Each read waits until the node has indexed the last transaction of
 * this client, and is repeated after a failure while the budget lasts.
 */
export interface NodeClient {
  readonly url: string;
  budget(): CallBudget;
  /**
   * Whether the node says with each answer when the watched document changed last, as the local node does; undefined if
   * nothing has been read yet.
   */
  readonly watches: boolean | undefined;
  /** Sets the last change of the watched document that the budgets of later calls expect. */
  expect(change: number): void;
  /** Returns the node's status. */
  status(budget: CallBudget): Promise<Document>;
  /** Returns the state of a document, by default the latest; undefined if it does not exist. */
  entity(id: string, budget: CallBudget, at?: Basis): Promise<Document | undefined>;
  /** Returns the transaction of XTDB that made the latest state of a document; undefined if it does not exist. */
  transactionOf(id: string, budget: CallBudget): Promise<number | undefined>;
  /** Returns the states of a document from one transaction of XTDB to another, both included, oldest first. */
  states(
    id: string,
    span: { readonly from?: number; readonly to?: number },
    budget: CallBudget,
  ): Promise<readonly Document[]>;
  /** Returns the rows of a query in no particular order. */
  query(
    query: string,
    args: readonly JsonValue[],
    budget: CallBudget,
    at?: Basis,
  ): Promise<readonly (readonly unknown[])[]>;
  /**
   * Sends a transaction once. When the promise resolves, the transaction is in the log. Rejects with `RequestFailure` if
   * the outcome is unknown. Without `wait` (default: true) the node answers before it has indexed the transaction.
   * `evicts` is the name of the store whose documents the transaction may evict.
   */
  submit(
    operations: readonly Operation[],
    budget: CallBudget,
    options?: { readonly wait?: boolean; readonly evicts?: string },
  ): Promise<Submitted>;
  /**
   * Makes the node remove all traces of evicted documents from its files. Returns false if it is not a local node, which
   * cannot do this.
   */
  erase(): Promise<boolean>;
  isCommitted(txId: number, budget: CallBudget): Promise<boolean>;
  /** Returns the latest transaction that the node has indexed; 0 if there is none. */
  latestTransaction(budget: CallBudget): Promise<number>;
  /** Waits until the node has indexed its whole log. Later reads see at least that state. */
  sync(budget: CallBudget): Promise<void>;
  /** Waits before the next attempt. Rejects with the failure if the budget does not allow one. */
  again(failure: RequestFailure, attempt: number, budget: CallBudget): Promise<void>;
}

export interface NodeClientOptions {
  /** Milliseconds that one call of the port may take, including repeated requests. */
  readonly timeout: number;
  /** Makes sure that the node runs and returns its place, for a node whose place changes when it is started again. */
  readonly relocate?: () => Promise<NodePlace>;
  /** How long calls wait for a node that does not answer. Default: the timeout. */
  readonly patience?: Patience;
}

/** Milliseconds for a call if the last call did not reach the node. */
const shortLook = 2_000;

/** Most seconds that the node may wait for the outcome of a submit. */
const longestWait = 5;

/** Milliseconds that a request may take even if no patience is left, so that a slow node is found again. */
const leastWait = 1_000;

/** Milliseconds for the removal of traces, which writes all files of the node again. */
const longestErasing = 3_600_000;

/** Milliseconds for the transfer of an answer, in addition to the time that the node may wait. */
const grace = 1_000;

export function nodeClient(
  requests: Requests,
  { timeout, relocate, patience = fixedPatience(timeout) }: NodeClientOptions,
): NodeClient {
  /** The last transaction of this client. Every read waits for it. */
  let lastTx: number | undefined;
  const trying = attempts(requests, { timeout, relocate, patience });
  let since: number | undefined;
  let watches: boolean | undefined;

  function awaiting(remaining: number): Readonly<Record<string, number>> {
    if (lastTx === undefined) return {};
    return { awaitTxId: lastTx, awaitTxTimeout: Math.max(1, Math.ceil(remaining)) };
  }

  /** Sends a request once. A failure that may not occur the next time is a `RequestFailure`. */
  async function attempt(request: NodeRequest): Promise<Answer> {
    const answer = await watched(request);
    patience.worked();
    const failure = failureOf(answer, relocate !== undefined);
    if (failure !== undefined) throw failure;
    checkRefusal(answer, requests.url);
    trying.away = false;
    return answer;
  }

  /**
   * Sends a request. If the answer takes long, the node's status shows whether the node is at work, so that a long write
   * is waited for and a node that hangs is not.
   */
  async function watched(request: NodeRequest): Promise<Answer> {
    const limit = Math.max(patience.left(), leastWait);
    if (request.timeout <= limit) return await requests.send(request);
    const giveUp = new AbortController();
    const { signal } = giveUp;
    try {
      return await Promise.race([requests.send({ ...request, signal }), hangs(limit / 2, signal)]);
    } finally {
      giveUp.abort();
    }
  }

  /** Rejects when the node no longer answers. It is asked at intervals of some milliseconds. */
  async function hangs(interval: number, signal: AbortSignal): Promise<never> {
    for (;;) {
      await delay(interval, undefined, { signal, ref: false });
      await requests.send({ path: "status", timeout: Math.max(1, interval), signal });
    }
  }

  async function read(
    budget: CallBudget,
    make: (remaining: number) => Omit<NodeRequest, "timeout">,
  ): Promise<Answer> {
    for (let tries = 0; ; tries += 1) {
      const remaining = Math.max(1, budget.remaining());
      try {
        return await attempt({ ...make(remaining), timeout: remaining + grace });
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        await trying.again(error, tries, budget);
      }
    }
  }

  /** Reads data of the store. Rejects with `RewriteNoticed` if the watched document is not as the budget expects. */
  async function readData(
    budget: CallBudget,
    make: (remaining: number) => Omit<NodeRequest, "timeout">,
  ): Promise<Answer> {
    const answer = await read(budget, make);
    watches = answer.watched !== undefined;
    if (budget.since !== undefined && watches && answer.watched !== budget.since)
      throw new RewriteNoticed();
    return answer;
  }

  async function latestTransaction(budget: CallBudget): Promise<number> {
    const { status, body } = await read(budget, () => ({ path: "latest-completed-tx" }));
    const txId = field(body, "tx-id");
    return status === 200 && typeof txId === "number" ? txId : 0;
  }

  return {
    get url() {
      return requests.url;
    },

    budget() {
      const { away } = trying;
      const end = performance.now() + (away ? Math.min(timeout, shortLook) : timeout);
      return { remaining: () => end - performance.now(), tries: !away, failure: undefined, since };
    },

    get watches() {
      return watches;
    },

    expect(change) {
      since = change;
    },

    async status(budget) {
      return documentOf((await read(budget, () => ({ path: "status" }))).body);
    },

    async entity(id, budget, at) {
      const answer = await readData(budget, (remaining) => ({
        path: "entity",
        search: { eid: id, ...awaiting(remaining), ...at },
      }));
      return answer.status === 404 ? undefined : documentOf(answer.body);
    },

    async transactionOf(id, budget) {
      const { status, body } = await readData(budget, (remaining) => ({
        path: "entity-tx",
        search: { eid: id, ...awaiting(remaining) },
      }));
      const txId = field(body, "tx-id");
      return status !== 404 && typeof txId === "number" ? txId : undefined;
    },

    async states(id, { from, to }, budget) {
      const { body } = await readData(budget, (remaining) => ({
        path: "entity",
        search: {
          eid: id,
          history: "true",
          sortOrder: "asc",
          // Without it, XTDB returns only one of several states of one millisecond.
          withCorrections: "true",
          withDocs: "true",
          ...defined({ startTxId: from }),
          ...(to === undefined ? {} : { endTxId: to + 1 }),
          ...awaiting(remaining),
        },
      }));
      return (body as readonly unknown[]).flatMap((state) => {
        const document = field(state, "doc");
        return document === undefined || document === null ? [] : [documentOf(document)];
      });
    },

    async query(query, args, budget, at) {
      const body = { type: "application/edn", text: queryBody(query, args) };
      const { body: rows } = await readData(budget, (remaining) => ({
        path: "query",
        body,
        search: { ...awaiting(remaining), ...at },
      }));
      return rows as readonly (readonly unknown[])[];
    },

    async submit(operations, budget, { wait = true, evicts } = {}) {
      const { body } = await attempt({
        path: "submit-tx",
        body: { type: "application/json", text: JSON.stringify({ "tx-ops": operations }) },
        ...defined({ evicts }),
        // Half of the remaining time, so that an answer without the outcome arrives before the timeout. Not even a wait of
        // 0 is asked for otherwise: XTDB keeps a listener for each wait that ends before the transaction.
        ...(wait ? { wait: Math.min(longestWait, Math.floor(budget.remaining() / 2_000)) } : {}),
        timeout: Math.max(1, budget.remaining()),
      });
      const txId = field(body, "tx-id");
      if (typeof txId !== "number")
        throw new RequestFailure("it accepted a transaction and returned no id", true);
      lastTx = Math.max(lastTx ?? 0, txId);
      const held = field(body, "tx-committed?");
      return { txId, held: typeof held === "boolean" ? held : undefined };
    },

    async isCommitted(txId, budget) {
      const { body } = await read(budget, (remaining) => ({
        path: "tx-committed",
        search: { txId, awaitTxId: txId, awaitTxTimeout: Math.max(1, Math.ceil(remaining)) },
      }));
      return field(body, "tx-committed?") === true;
    },

    async sync(budget) {
      await read(budget, (remaining) => ({
        path: "sync",
        search: { timeout: Math.max(1, Math.ceil(remaining)) },
      }));
      const txId = await latestTransaction(budget);
      if (txId > 0) lastTx = Math.max(lastTx ?? 0, txId);
    },

    async erase() {
      if (watches !== true) return false;
      const body = { type: "application/json", text: "{}" };
      await attempt({ path: "erase", isOwn: true, body, timeout: longestErasing });
      return true;
    },

    latestTransaction,

    again: (failure, tries, budget) => trying.again(failure, tries, budget),
  };
}

/** Returns the failure of an answer that can be another one the next time. A node that moves can have another token. */
function failureOf(answer: Answer, moves: boolean): RequestFailure | DamageError | undefined {
  const { status, body } = answer;
  const damage = field(body, "damage");
  // Another attempt would read the same bytes.
  if (status === 500 && typeof damage === "string") return new DamageError(damage);
  if (status >= 500 || status === 408 || status === 429 || isLate(answer))
    return new RequestFailure(failureText(status, body), true, { kind: "node-error" });
  if (status !== 401 || !moves) return undefined;
  return new RequestFailure("it refuses the token", false, { kind: "connection" });
}

function isLate({ status, body }: Answer): boolean {
  return status === 400 && isOutOfSync(body);
}

function failureText(status: number, body: unknown): string {
  const reason = reasonOf(body);
  if (/TimeoutException/u.test(reason)) {
    return "it did not index the last transaction in time; it is under load or rebuilds its index";
  }
  if (/SQL\w*Exception/u.test(reason)) {
    return `its database failed (${reason}), mostly because the disk is full or the database is not reachable; its log contains more`;
  }
  return `it failed with status ${status} (${reason}); its log contains the reason`;
}

function documentOf(body: unknown): Document {
  if (typeof body !== "object" || body === null)
    throw new RequestFailure("its answer is not a document", true);
  return body as Document;
}
