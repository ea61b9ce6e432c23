import type { JsonValue } from "@self-context-manager/objects";
import { setTimeout as delay } from "node:timers/promises";

import { queryBody } from "./edn.ts";
import { NodeError } from "./node/node-error.ts";
import type { NodeRequest, Requests } from "./requests.ts";
import {
  type Answer,
  checkRefusal,
  field,
  isOutOfSync,
  reasonOf,
  RequestFailure,
} from "./xtdb-errors.ts";

/** A document of the database as it is read: its attributes by name, namespace and all. */
export type Document = Readonly<Record<string, unknown>>;

/** One operation of a transaction, as XTDB takes it in JSON. */
export type Operation =
  | readonly ["put", JsonDocument]
  | readonly ["delete", string]
  | readonly ["match", string, null];

/** A document as it is written: JSON, so that every client writes numbers in the same class. */
export type JsonDocument = { readonly "xt/id": string; readonly [attribute: string]: JsonValue };

/** A transaction that was taken into the log. */
interface Submitted {
  readonly txId: number;
  /** Whether it held, where the node said so at once; else `isCommitted` tells. */
  readonly held: boolean | undefined;
}

/** The time that the calls to the node for one call of the port may take in all. */
export interface CallBudget {
  /** Milliseconds that remain. */
  remaining(): number;
  /** False where a failure is reported at once, because the node was found to be away before. */
  readonly tries: boolean;
  /** What failed so far: a try that was cut off at the end says less than one that was answered. */
  failure: RequestFailure | undefined;
}

/**
 * The calls of XTDB's HTTP API that the store is made of. Each waits until the node has indexed what this client
 * submitted last, and reads are tried again while the budget lasts.
 */
export interface NodeClient {
  readonly url: string;
  budget(): CallBudget;
  /** What the node says of itself. */
  status(budget: CallBudget): Promise<Document>;
  /** The latest state of a document, undefined where there is none. */
  entity(id: string, budget: CallBudget): Promise<Document | undefined>;
  /** The rows that a query finds, in no order. */
  query(
    query: string,
    args: readonly JsonValue[],
    budget: CallBudget,
    at?: { readonly txId: number },
  ): Promise<readonly (readonly unknown[])[]>;
  /**
   * Sends a transaction, once. It is then in the log. Rejects with `RequestFailure` where nobody knows what became of it.
   */
  submit(operations: readonly Operation[], budget: CallBudget): Promise<Submitted>;
  isCommitted(txId: number, budget: CallBudget): Promise<boolean>;
  /** Waits until everything that the node's log holds is indexed; later reads see no less. */
  sync(budget: CallBudget): Promise<void>;
  /** Waits before another try; rejects with the failure where the budget does not allow one. */
  again(failure: RequestFailure, attempt: number, budget: CallBudget): Promise<void>;
}

export interface NodeClientOptions {
  /** Milliseconds that one call of the port may take, tries included. */
  readonly timeout: number;
  /** Makes sure that the node runs and answers where, for a node that moves when it is started anew. */
  readonly relocate?: () => Promise<string>;
}

/** Milliseconds for one look at a node that was found to be away. */
const shortLook = 2_000;

/** Seconds that a submit may wait for its outcome. */
const longestWait = 5;

/** Milliseconds that an answer may take to arrive after the node has waited as long as it was asked to. */
const grace = 1_000;

export function nodeClient(
  requests: Requests,
  { timeout, relocate }: NodeClientOptions,
): NodeClient {
  /** The last transaction that this client submitted: every read waits for it. */
  let lastTx: number | undefined;
  /** Whether the last call found no node: then nobody is kept waiting again until one answers. */
  let away = false;

  function awaiting(left: number): Readonly<Record<string, number>> {
    if (lastTx === undefined) return {};
    return { awaitTxId: lastTx, awaitTxTimeout: Math.max(1, Math.ceil(left)) };
  }

  /** One try; whatever may be otherwise the next time is a `RequestFailure`. */
  async function attempt(request: NodeRequest): Promise<Answer> {
    const answer = await requests.send(request);
    const { status, body } = answer;
    if (status >= 500 || status === 408 || status === 429 || isLate(answer)) {
      throw new RequestFailure(failureText(status, body), true, { kind: "node-error" });
    }
    checkRefusal(answer, requests.url);
    away = false;
    return answer;
  }

  async function read(
    budget: CallBudget,
    make: (left: number) => Omit<NodeRequest, "timeout">,
  ): Promise<Answer> {
    for (let tries = 0; ; tries += 1) {
      const left = Math.max(1, budget.remaining());
      try {
        return await attempt({ ...make(left), timeout: left + grace });
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        await again(error, tries, budget);
      }
    }
  }

  async function again(failure: RequestFailure, tries: number, budget: CallBudget): Promise<void> {
    if (failure.kind !== "late" || budget.failure === undefined) budget.failure = failure;
    const found = relocate === undefined ? "unknown" : await moved(failure, relocate, budget);
    const wait = Math.min(500, 25 * 2 ** tries) * (0.5 + Math.random() / 2);
    if ((!budget.tries && found !== "running") || budget.remaining() <= wait) {
      away = true;
      throw found instanceof RequestFailure ? found : await diagnosed(budget.failure);
    }
    await delay(wait);
  }

  /** Whether the node is known to run again, or still; else what is known of why it does not answer. */
  async function moved(
    failure: RequestFailure,
    locate: () => Promise<string>,
    budget: CallBudget,
  ): Promise<"running" | "unknown" | RequestFailure> {
    if (failure.kind !== "connection" && !(await hasStoppedIndexing(failure))) return "unknown";
    const giveUp = new AbortController();
    try {
      const url = await Promise.race([
        locate(),
        delay(Math.max(0, budget.remaining()), undefined, { signal: giveUp.signal }),
      ]);
      if (url === undefined) return "unknown";
      requests.moveTo(url);
      return "running";
    } catch (cause) {
      const unreachable = new RequestFailure(messageOf(cause), failure.mayHaveRun, { cause });
      // A node that is only slow, or in another's hands, may answer the next time.
      if (NodeError.is(cause, "NODE_UNAVAILABLE") || NodeError.is(cause, "NODE_BUSY"))
        return unreachable;
      away = true;
      throw unreachable;
    } finally {
      giveUp.abort();
    }
  }

  /** Whether a node that answers errors has given up indexing, which only a new start changes. */
  async function hasStoppedIndexing({ kind }: RequestFailure): Promise<boolean> {
    if (kind !== "node-error") return false;
    try {
      const { body } = await requests.send({ path: "status", timeout: grace });
      return field(body, "ingester-failed?") === true;
    } catch {
      // A node that says nothing of itself is away, which the next try meets.
      return false;
    }
  }

  /** Says what is known to be wrong with a node that answers, in place of what it answered. */
  async function diagnosed(failure: RequestFailure): Promise<RequestFailure> {
    if (!(await hasStoppedIndexing(failure))) return failure;
    return new RequestFailure(
      "it takes no more transactions, because its ingester failed; its log says why, mostly a full disk. " +
        "Restart it, which loses nothing that was committed",
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

    async entity(id, budget) {
      const answer = await read(budget, (left) => ({
        path: "entity",
        search: { eid: id, ...awaiting(left) },
      }));
      return answer.status === 404 ? undefined : documentOf(answer.body);
    },

    async query(query, args, budget, at) {
      const body = { type: "application/edn", text: queryBody(query, args) };
      const { body: rows } = await read(budget, (left) => ({
        path: "query",
        body,
        search: { ...awaiting(left), ...at },
      }));
      return rows as readonly (readonly unknown[])[];
    },

    async submit(operations, budget) {
      const { body } = await attempt({
        path: "submit-tx",
        body: { type: "application/json", text: JSON.stringify({ "tx-ops": operations }) },
        // Well within the timeout, so that an answer which comes without it is not lost.
        wait: Math.min(longestWait, Math.floor(budget.remaining() / 2_000)),
        timeout: Math.max(1, budget.remaining()),
      });
      const txId = field(body, "tx-id");
      if (typeof txId !== "number")
        throw new RequestFailure("it took a transaction and named no id", true);
      lastTx = Math.max(lastTx ?? 0, txId);
      const held = field(body, "tx-committed?");
      return { txId, held: typeof held === "boolean" ? held : undefined };
    },

    async isCommitted(txId, budget) {
      const { body } = await read(budget, (left) => ({
        path: "tx-committed",
        search: { txId, awaitTxId: txId, awaitTxTimeout: Math.max(1, Math.ceil(left)) },
      }));
      return field(body, "tx-committed?") === true;
    },

    async sync(budget) {
      await read(budget, (left) => ({
        path: "sync",
        search: { timeout: Math.max(1, Math.ceil(left)) },
      }));
      const { status, body } = await read(budget, () => ({ path: "latest-completed-tx" }));
      const txId = field(body, "tx-id");
      if (status === 200 && typeof txId === "number") lastTx = Math.max(lastTx ?? 0, txId);
    },

    again,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isLate({ status, body }: Answer): boolean {
  return status === 400 && isOutOfSync(body);
}

function failureText(status: number, body: unknown): string {
  const reason = reasonOf(body);
  if (/TimeoutException/u.test(reason)) {
    return "it has not caught up with the last transaction in time; it is under load, or builds its index anew";
  }
  if (/SQL\w*Exception/u.test(reason)) {
    return `its database failed (${reason}), mostly because the disk is full or the database away; its log says more`;
  }
  return `it failed with ${status} (${reason}); its log says why`;
}

function documentOf(body: unknown): Document {
  if (typeof body !== "object" || body === null)
    throw new RequestFailure("it answered something that is no document", true);
  return body as Document;
}
