import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { randomBytes } from "node:crypto";

import { messageOf } from "@self-context-manager/objects";

import { EvaluateError } from "../model/evaluate-error.ts";
import type { MeteredAnswer } from "../model/metered-answer.ts";
import type { ModelAccess } from "../model/model-access.ts";
import type { CallRecord } from "../model/run-record.ts";
import { answerCall, type CallScope, type ClientRequest, forwarded } from "./answer-call.ts";
import { budgetAccount } from "./budget.ts";
import { callApi, mayCost } from "./call-path.ts";
import { type MeterClock, systemClock } from "./clock.ts";
import { standInFor } from "./credentials.ts";
import { rateLimits, type RateLimits } from "./rate-limits.ts";
import { refuseStopped, sendError } from "./refusal.ts";
import { relayBody, sendHead } from "./relay.ts";
import { type RunLedger, runLedger, type RunOptions, type StopReason } from "./run-ledger.ts";
import type { Spending } from "./spending.ts";
import { sendUpstream } from "./upstream.ts";

export interface MeterOptions {
  /** Dollars of the whole evaluation. It is exceeded by at most one call. Absent: no limit. */
  readonly budget?: number;
  /** Dollars that earlier sittings of the evaluation have spent. Default: 0. */
  readonly spent?: number;
  /** The most requests to a provider in any minute. Absent: no limit. */
  readonly requestsPerMinute?: number;
  /** The most tokens, of input and output, in any minute. Absent: no limit. */
  readonly tokensPerMinute?: number;
  /**
   * Gets the most that each call can cost before its request is sent, and its cost afterwards. If both are kept, no money
   * is forgotten when the process is killed. Calls without prices are left out.
   */
  readonly spend?: (spending: Spending) => void;
  /** Default: the clock of the machine. */
  readonly clock?: MeterClock;
}

/** An HTTP proxy on a loopback port, between the hosts of an evaluation and the provider. */
export interface Meter extends AsyncDisposable {
  /** Dollars up to now, with those of earlier sittings. */
  readonly spent: number;
  readonly isBudgetSpent: boolean;
  /** Opens a run. Throws `EvaluateError` with `EVALUATE_MODEL` if there is a budget and the prices are unknown. */
  openRun(options: RunOptions): MeteredRun;
}

/** The calls of one run. Disposal breaks off those in flight. */
export interface MeteredRun extends AsyncDisposable {
  /** The model as the host gets it: the URL is that of the meter, and the key is known only there. */
  readonly access: ModelAccess;
  /** The calls that have ended, by number. */
  readonly calls: readonly CallRecord[];
  /** The answer of each call in `calls`. */
  readonly answers: readonly MeteredAnswer[];
  /** Milliseconds in which a call waited for the budget or a rate limit. */
  readonly waitedMs: number;
  /** Why the run gets no more answers. Undefined: it gets them. */
  readonly stopped: StopReason | undefined;
  /** Requests that were refused because the run is stopped. */
  readonly refused: number;
  /** Aborted when the run is stopped. */
  readonly stopSignal: AbortSignal;
  /** Returns the body of a request. */
  requestBody(number: number): string;
  /** Calls that begin later belong to this step. */
  atStep(step: number): void;
  /** Refuses further requests, with an error that hosts do not repeat. */
  stop(reason: StopReason): void;
}

interface OpenRun {
  readonly scope: CallScope;
  readonly closing: AbortController;
  readonly inFlight: Set<Promise<void>>;
  /** The path of the run's base URL. */
  readonly path: string;
}

/** Opens a meter on a free loopback port. */
export async function openMeter(options: MeterOptions = {}): Promise<Meter> {
  checkLimits(options);
  const { budget: limit, clock = systemClock, spend = () => undefined } = options;
  const budget = budgetAccount({ limit, spent: options.spent });
  const limitsByOrigin = new Map<string, RateLimits>();
  const runs = new Map<string, OpenRun>();
  const server = createServer((incoming, outgoing) => {
    const run = runs.get(incoming.url?.split("/")[1] ?? "");
    if (run === undefined) return sendError(outgoing, 404, "No run has this URL.");
    const answer = answerRequest(run, incoming, outgoing).catch((error: unknown) =>
      sendError(outgoing, 500, `The meter failed: ${messageOf(error)}`),
    );
    run.inFlight.add(answer);
    void answer.finally(() => run.inFlight.delete(answer));
  });
  // A client that reuses a connection while the server closes it would see an error of the provider.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new TypeError("the meter needs a TCP address");
  const origin = `http://127.0.0.1:${address.port}`;

  const limitsOf = (url: URL): RateLimits => {
    const known = limitsByOrigin.get(url.origin);
    const limits = known ?? rateLimits({ ...options, clock });
    limitsByOrigin.set(url.origin, limits);
    return limits;
  };

  return {
    get spent() {
      return budget.spent;
    },
    get isBudgetSpent() {
      return budget.isSpent;
    },
    openRun: (runOptions) => {
      const { access } = runOptions;
      const url = providerUrl(access, limit);
      const ledger = runLedger(runOptions, clock);
      const token = `run-${randomBytes(16).toString("hex")}`;
      // Hosts look for the provider's name in the URL, for example to use its way of caching.
      const path = `/${token}/${url.host}${url.pathname.replace(/\/$/u, "")}`;
      const standIn = standInFor(access.key);
      const isLimited = limit !== undefined;
      const limits = limitsOf(url);
      // A repeated run has another name, so that what the first one spent is not replaced.
      const name = `run-${randomBytes(8).toString("hex")}`;
      const scope = { ledger, access, standIn, budget, isLimited, limits, clock, name, spend };
      const run = {
        scope,
        path,
        closing: new AbortController(),
        inFlight: new Set<Promise<void>>(),
      };
      runs.set(token, run);
      return meteredRun(run, { ...access, url: origin + path, key: standIn });
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...runs.values()].map(closeRun));
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A limit that is no number would never be reached. */
function checkLimits(options: MeterOptions): void {
  for (const name of ["budget", "spent", "requestsPerMinute", "tokensPerMinute"] as const) {
    const value = options[name];
    const isMoney = name === "budget" || name === "spent";
    if (value === undefined || value > 0 || (isMoney && value === 0)) continue;
    throw new RangeError(`${name} is ${value}; it must be a number above 0`);
  }
}

function meteredRun(run: OpenRun, access: ModelAccess): MeteredRun {
  const { ledger }: { readonly ledger: RunLedger } = run.scope;
  return {
    access,
    get calls() {
      return ledger.calls;
    },
    get answers() {
      return ledger.answers;
    },
    get waitedMs() {
      return ledger.wait.ms;
    },
    get stopped() {
      return ledger.stopped;
    },
    get refused() {
      return ledger.refused;
    },
    stopSignal: ledger.stopSignal,
    requestBody: (number) => ledger.body(number),
    atStep: (step) => {
      ledger.step = step;
    },
    stop: (reason) => ledger.stop(reason),
    [Symbol.asyncDispose]: () => closeRun(run),
  };
}

/** Breaks off the calls of a run and waits until they are recorded. */
async function closeRun({ scope, closing, inFlight }: OpenRun): Promise<void> {
  scope.ledger.stop("closed");
  closing.abort();
  await Promise.all(inFlight);
}

/** Checks the URL and the prices of a model. */
function providerUrl({ provider, id, url, prices }: ModelAccess, budget: number | undefined): URL {
  if (budget !== undefined && prices === undefined)
    throw new EvaluateError(
      "EVALUATE_MODEL",
      `A budget needs the prices of ${provider}/${id}, and they are unknown. Give the prices, or leave out the budget.`,
    );
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === "http:" || parsed?.protocol === "https:") return parsed;
  throw new EvaluateError(
    "EVALUATE_MODEL",
    `The URL of ${provider}/${id} is ${JSON.stringify(url)}. It must begin with http:// or https://.`,
  );
}

async function answerRequest(
  run: OpenRun,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { scope } = run;
  const url = incoming.url ?? "";
  const method = incoming.method ?? "GET";
  const path = url.slice(run.path.length);
  if (!url.startsWith(run.path) || !/^(?:[/:?]|$)/u.test(path))
    return sendError(outgoing, 404, "The path is not below the base URL of the run.");

  const closed = new AbortController();
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) closed.abort();
  });
  const gone = AbortSignal.any([closed.signal, run.closing.signal]);
  const body = await readBody(incoming, gone);
  if (body === undefined) return;
  const request = { method, path, headers: incoming.rawHeaders, body, gone };
  const api = callApi(method, path);
  if (api !== undefined) return answerCall(scope, request, api, outgoing);
  if (scope.isLimited && mayCost(method, path))
    return sendError(outgoing, 403, "The meter does not know the price of this request.");
  return passThrough(scope, request, outgoing);
}

/** Reads a request. Resolves with undefined if the client closes the connection before its end. */
async function readBody(incoming: IncomingMessage, gone: AbortSignal): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  const leave = (): void => void incoming.destroy();
  gone.addEventListener("abort", leave);
  try {
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  } catch {
    // Nobody waits for an answer.
    return undefined;
  } finally {
    gone.removeEventListener("abort", leave);
  }
  return Buffer.concat(chunks);
}

/** Forwards a request that is no model call. It is not recorded. */
async function passThrough(
  scope: CallScope,
  request: ClientRequest,
  outgoing: ServerResponse,
): Promise<void> {
  if (scope.ledger.stopped !== undefined) return refuseStopped(outgoing, scope.ledger);
  try {
    const response = await sendUpstream(forwarded(scope, request));
    sendHead(response, outgoing);
    const { broken } = await relayBody(response, outgoing, request.gone);
    if (broken === undefined) outgoing.end();
    else outgoing.destroy();
  } catch (error) {
    sendError(outgoing, 502, `The provider did not answer: ${messageOf(error)}`);
  }
}
