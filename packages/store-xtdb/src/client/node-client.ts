import {
  defined,
  fixedPatience,
  type JsonValue,
  messageOf,
  type Patience,
} from "@self-context-manager/objects";
import { setTimeout as delay } from "node:timers/promises";

import { queryBody } from "./edn.ts";
import { NodeError } from "../node/node-error.ts";
import type { NodePlace, NodeRequest, Requests } from "./requests.ts";
import {
  type Answer,
  checkRefusal,
  DamageError,
  field,
  isOutOfSync,
  reasonOf,
  RequestFailure,
} from "./xtdb-errors.ts";

/** A document that was read from the database: its attributes by name, with the namespace. */
export type Document = Readonly<Record<string, unknown>>;

/** One operation of a transaction, in XTDB's JSON form. */
export type Operation =
  | readonly ["put", JsonDocument]
  | readonly ["delete", string]
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

/** The total time for the requests to the node that one call of the port makes. */
export interface CallBudget {
  /** Returns the remaining milliseconds. */
  remaining(): number;
  /** Whether a failed request is repeated; false after a call that did not reach the node, and for `query`. */
  readonly tries: boolean;
  /** The failure to report: an earlier answer explains more than a last request that ran out of time. */
  failure: RequestFailure | undefined;
}

/**
 * The calls of XTDB's HTTP API that the store uses. Each read waits until the node has indexed the last transaction of
 * this client, and is repeated after a failure while the budget lasts.
 */
export interface NodeClient {
  readonly url: string;
  budget(): CallBudget;
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
   */
  submit(
    operations: readonly Operation[],
    budget: CallBudget,
    options?: { readonly wait?: boolean },
  ): Promise<Submitted>;
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

/** Milliseconds for the transfer of an answer, in addition to the time that the node may wait. */
const grace = 1_000;

export function nodeClient(
  requests: Requests,
  { timeout, relocate, patience = fixedPatience(timeout) }: NodeClientOptions,
): NodeClient {
  /** The last transaction of this client. Every read waits for it. */
  let lastTx: number | undefined;
  /** Whether the last call did not reach the node. Calls are then short until the node answers. */
  let away = false;

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
    away = false;
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
        await again(error, tries, budget);
      }
    }
  }

  async function latestTransaction(budget: CallBudget): Promise<number> {
    const { status, body } = await read(budget, () => ({ path: "latest-completed-tx" }));
    const txId = field(body, "tx-id");
    return status === 200 && typeof txId === "number" ? txId : 0;
  }

  async function again(failure: RequestFailure, tries: number, budget: CallBudget): Promise<void> {
    const mayWait = patience.left();
    if (failure.kind === "connection" || failure.kind === "late") patience.blocked();
    if (failure.kind !== "late" || budget.failure === undefined) budget.failure = failure;
    const found = relocate === undefined ? "unknown" : await moved(failure, relocate, budget);
    const wait = Math.min(500, 25 * 2 ** tries) * (0.5 + Math.random() / 2);
    if (
      (!budget.tries && found !== "running") ||
      budget.remaining() <= wait ||
      patience.left() <= wait ||
      (failure.kind === "late" && mayWait < timeout)
    ) {
      away = true;
      throw found instanceof RequestFailure ? found : await diagnosed(budget.failure);
    }
    await delay(wait);
  }

  /** Returns whether the node runs (again), or the reason why it cannot be reached, as far as it is known. */
  async function moved(
    failure: RequestFailure,
    locate: () => Promise<NodePlace>,
    budget: CallBudget,
  ): Promise<"running" | "unknown" | RequestFailure> {
    if (failure.kind !== "connection" && !(await hasStoppedIndexing(failure))) return "unknown";
    const giveUp = new AbortController();
    try {
      const place = await Promise.race([
        locate(),
        delay(Math.max(0, Math.min(budget.remaining(), patience.left())), undefined, {
          signal: giveUp.signal,
        }),
      ]);
      if (place === undefined) return "unknown";
      requests.moveTo(place);
      return "running";
    } catch (cause) {
      const unreachable = new RequestFailure(messageOf(cause), failure.mayHaveRun, { cause });
      // A slow node, or one that another process is starting or stopping, may answer the next time.
      if (NodeError.is(cause, "NODE_UNAVAILABLE") || NodeError.is(cause, "NODE_BUSY"))
        return unreachable;
      away = true;
      throw unreachable;
    } finally {
      giveUp.abort();
    }
  }

  /** Whether a node that answers with errors has stopped indexing. Only a restart helps then. */
  async function hasStoppedIndexing({ kind }: RequestFailure): Promise<boolean> {
    if (kind !== "node-error") return false;
    try {
      const { body } = await requests.send({ path: "status", timeout: grace });
      return field(body, "ingester-failed?") === true;
    } catch {
      // A node without a status cannot be reached. The next attempt reports that.
      return false;
    }
  }

  /** Returns the known cause of a node's failure instead of its answer, or the failure unchanged. */
  async function diagnosed(failure: RequestFailure): Promise<RequestFailure> {
    if (!(await hasStoppedIndexing(failure))) return failure;
    return new RequestFailure(
      "it accepts no more transactions, because its ingester failed; its log contains the reason, mostly a full disk. " +
        "Restart it; no committed data is lost",
      true,
      { cause: failure },
    );
  }

  return {
    get url() {
      return requests.url;
    },

    budget() {
      const end = performance.now() + (away ? Math.min(timeout, shortLook) : timeout);
      return { remaining: () => end - performance.now(), tries: !away, failure: undefined };
    },

    async status(budget) {
      return documentOf((await read(budget, () => ({ path: "status" }))).body);
    },

    async entity(id, budget, at) {
      const answer = await read(budget, (remaining) => ({
        path: "entity",
        search: { eid: id, ...awaiting(remaining), ...at },
      }));
      return answer.status === 404 ? undefined : documentOf(answer.body);
    },

    async transactionOf(id, budget) {
      const { status, body } = await read(budget, (remaining) => ({
        path: "entity-tx",
        search: { eid: id, ...awaiting(remaining) },
      }));
      const txId = field(body, "tx-id");
      return status !== 404 && typeof txId === "number" ? txId : undefined;
    },

    async states(id, { from, to }, budget) {
      const { body } = await read(budget, (remaining) => ({
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
      const { body: rows } = await read(budget, (remaining) => ({
        path: "query",
        body,
        search: { ...awaiting(remaining), ...at },
      }));
      return rows as readonly (readonly unknown[])[];
    },

    async submit(operations, budget, { wait = true } = {}) {
      const { body } = await attempt({
        path: "submit-tx",
        body: { type: "application/json", text: JSON.stringify({ "tx-ops": operations }) },
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

    latestTransaction,

    again,
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
