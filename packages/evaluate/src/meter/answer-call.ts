import type { IncomingMessage, ServerResponse } from "node:http";

import { defined, fieldsOf, messageOf } from "@self-context-manager/objects";

import type { ModelAccess, ModelApi } from "../model/model-access.ts";
import type { CallRecord } from "../model/run-record.ts";
import { type ReadAnswer, readAnswer } from "./answers/read-answer.ts";
import type { Budget, Reservation } from "./budget.ts";
import { modelAskedFor } from "./call-path.ts";
import type { MeterClock } from "./clock.ts";
import { pathWithKey, type RawHeaders, withKey } from "./credentials.ts";
import { jsonIn } from "./json-in.ts";
import { dollarsOf, priceBound } from "./prices.ts";
import type { AdmittedRequest, RateLimits } from "./rate-limits.ts";
import { refuseStopped, sendError } from "./refusal.ts";
import { bodyText, relayBody, type RelayedBody, sendHead } from "./relay.ts";
import { isBusy, repeatDelay } from "./repeat-delay.ts";
import { requestBound } from "./request-bound.ts";
import type { RunLedger, StartedCall } from "./run-ledger.ts";
import type { Spending } from "./spending.ts";
import { sendUpstream } from "./upstream.ts";

/** A run as its calls need it. */
export interface CallScope {
  readonly ledger: RunLedger;
  readonly access: ModelAccess;
  readonly standIn: string;
  readonly budget: Budget;
  /** Whether money is limited. Then a call without reported usage costs its bound. */
  readonly isLimited: boolean;
  readonly limits: RateLimits;
  readonly clock: MeterClock;
  /** The name of the run in what is spent. */
  readonly name: string;
  readonly spend: (spending: Spending) => void;
}

/** A request of a host. */
export interface ClientRequest {
  readonly method: string;
  /** The path below the base URL, with the query. */
  readonly path: string;
  readonly headers: RawHeaders;
  readonly body: Buffer;
  /** Aborted when the client closes the connection or the run is closed. */
  readonly gone: AbortSignal;
}

/** A call from its arrival to its end. */
interface Call {
  readonly scope: CallScope;
  readonly request: ClientRequest;
  readonly api: ModelApi;
  readonly outgoing: ServerResponse;
  /** The most that it can cost, in dollars. Undefined: the prices are unknown. */
  readonly bound: number | undefined;
  readonly reservation: Reservation;
}

/** A request that was sent to the provider. */
interface Attempt {
  readonly started: StartedCall;
  readonly admitted: AdmittedRequest;
  readonly startedMs: number;
  readonly sentAt: number;
}

/** What came of an attempt. */
interface Outcome {
  readonly status: number;
  readonly read: ReadAnswer;
  /** Whether the provider does not charge it. */
  readonly isFree: boolean;
}

/** How often the meter repeats a request to a busy provider before the host sees the error. */
const mostRepeats = 6;

/** The characters of a key below which a text can contain it by accident. */
const shortestKey = 8;

/** Errors of a connection that was never made. Then the provider has not got the request. */
const notConnected: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ERR_PROXY_TUNNEL",
]);

/** Forwards a model call when the budget and the rate limits allow it, and records it. */
export async function answerCall(
  scope: CallScope,
  request: ClientRequest,
  api: ModelApi,
  outgoing: ServerResponse,
): Promise<void> {
  const { ledger, budget, access } = scope;
  if (ledger.stopped !== undefined) return refuseStopped(outgoing, ledger);
  const body = request.body.toString();
  const fields = fieldsOf(jsonIn(body));
  const model = modelAskedFor(request.path, fields["model"]);
  if (scope.isLimited && model !== undefined && model !== access.id)
    return sendError(outgoing, 403, `The prices are those of ${access.id}, not of ${model}.`);

  const { prices } = access;
  const most = requestBound(body, fields, access);
  const bound = prices === undefined ? undefined : priceBound(most, prices);
  const reservation = await waited(ledger, budget.reserve(bound ?? 0, waitSignal(scope, request)));
  if (reservation === undefined) {
    if (budget.isSpent) ledger.stop("budget");
    return refuse(scope, request, outgoing);
  }
  try {
    await sendCall({ scope, request, api, outgoing, bound, reservation });
  } finally {
    reservation.settle(0);
  }
}

/** Sends the request, and again as long as the provider is busy. */
async function sendCall(call: Call): Promise<void> {
  const { scope, request, outgoing } = call;
  const { ledger, limits, clock } = scope;
  let started: StartedCall | undefined;
  let last: (() => void) | undefined;
  for (let repeats = 0; ; repeats += 1) {
    const admission = limits.admit(Math.ceil(request.body.length / 4), waitSignal(scope, request));
    const admitted = await waited(ledger, admission);
    if (admitted === undefined) {
      last?.();
      return refuse(scope, request, outgoing);
    }
    started ??= beginCall(call);
    if (started === undefined) return refuse(scope, request, outgoing);
    const attempt = { started, admitted, startedMs: ledger.elapsed(), sentAt: clock.now() };
    const response = await openAnswer(call, attempt);
    if (response === undefined) return;
    if (!isBusy(response.statusCode ?? 0)) return passAnswer(call, attempt, response);

    const relayed = await relayBody(response, undefined, request.gone);
    const busy = {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: textOf(scope, response, relayed),
    };
    const delay =
      repeats < mostRepeats && relayed.broken === undefined
        ? repeatDelay(busy, repeats, clock.now())
        : undefined;
    last = () => endCall(call, attempt, answered(call.api, busy));
    if (delay === undefined) {
      last();
      sendHead(response, outgoing);
      outgoing.end(relayed.body);
      return;
    }
    admitted.correct(0);
    limits.pause(delay);
  }
}

/** Records the beginning of a call, before its first request is sent. Undefined: the run has had its last call. */
function beginCall({ scope, request, bound }: Call): StartedCall | undefined {
  const started = scope.ledger.begin(withoutKey(scope, request.body.toString()));
  if (started !== undefined && bound !== undefined)
    scope.spend({ call: `${scope.name}/${started.number}`, bound });
  return started;
}

/** Sends one request. Resolves with undefined if there is no answer, after the failure was recorded. */
async function openAnswer(call: Call, attempt: Attempt): Promise<IncomingMessage | undefined> {
  const { request, scope, outgoing } = call;
  try {
    return await sendUpstream(forwarded(scope, request));
  } catch (error) {
    const isFree = notConnected.has(fieldsOf(error)["code"]);
    const message = `The provider did not answer: ${messageOf(error)}`;
    endCall(call, attempt, {
      status: 502,
      read: broken(call.api, request.gone.aborted ? "The host closed the connection." : message),
      isFree,
    });
    sendError(outgoing, 502, message);
    return undefined;
  }
}

/** Returns a host's request as it is sent to the provider. */
export function forwarded(
  { access, standIn }: Pick<CallScope, "access" | "standIn">,
  { method, path, headers, body, gone }: ClientRequest,
): Parameters<typeof sendUpstream>[0] {
  return {
    url: access.url.replace(/\/$/u, "") + pathWithKey(path, standIn, access.key),
    method,
    headers: withKey(headers, standIn, access.key),
    body,
    signal: gone,
  };
}

/** Passes an answer to the client, and records it before the client sees its end. */
async function passAnswer(call: Call, attempt: Attempt, response: IncomingMessage): Promise<void> {
  const { outgoing, request, scope, api } = call;
  sendHead(response, outgoing);
  const relayed = await relayBody(response, outgoing, request.gone);
  const status = response.statusCode ?? 502;
  const outcome = answered(api, { status, body: textOf(scope, response, relayed) });
  if (relayed.broken === undefined) {
    endCall(call, attempt, outcome);
    outgoing.end();
    return;
  }
  const message = request.gone.aborted
    ? "The host closed the connection."
    : `The provider's answer broke off: ${relayed.broken}`;
  // A client that has read the last event may close the connection at once.
  const isWhole = outcome.read.isComplete && outcome.read.usage !== undefined;
  endCall(
    call,
    attempt,
    isWhole ? outcome : { ...outcome, read: { ...outcome.read, error: message } },
  );
  outgoing.destroy();
}

function answered(
  api: ModelApi,
  answer: { readonly status: number; readonly body: string },
): Outcome {
  const { status } = answer;
  return { status, read: readAnswer(api, answer), isFree: status >= 400 };
}

function broken(api: ModelApi, error: string): ReadAnswer {
  return { ...readAnswer(api, { status: 200, body: "" }), error: error.slice(0, 500) };
}

/** Records the end of a call, and gives the rest of what was reserved for it back. */
function endCall(
  call: Call,
  { started, ...attempt }: Attempt,
  { status, read, isFree }: Outcome,
): void {
  const { scope, request, bound, reservation } = call;
  const { usage, isComplete, answer, error, isOverWindow } = read;
  const cost = isFree ? { dollars: 0 } : costOf(call, read);
  const record: CallRecord = {
    number: started.number,
    step: started.step,
    startedMs: attempt.startedMs,
    durationMs: scope.clock.now() - attempt.sentAt,
    status,
    requestBytes: request.body.length,
    ...defined({ usage, error, isOverWindow }),
    ...(scope.access.prices === undefined ? {} : cost),
    ...(isFree || isComplete ? {} : { isIncomplete: true }),
  };
  attempt.admitted.correct(
    usage === undefined ? 0 : usage.input + usage.cacheRead + usage.cacheWrite + usage.output,
  );
  started.end(record, answer);
  if (bound !== undefined)
    scope.spend({ call: `${scope.name}/${started.number}`, dollars: record.dollars ?? 0 });
  reservation.settle(record.dollars ?? 0);
}

function costOf(
  { scope, bound }: Call,
  { usage, isComplete }: ReadAnswer,
): Pick<CallRecord, "dollars" | "isBound"> {
  const { prices } = scope.access;
  if (prices === undefined || bound === undefined) return {};
  if (scope.isLimited && (usage === undefined || !isComplete))
    return { dollars: bound, isBound: true };
  return usage === undefined ? {} : { dollars: dollarsOf(usage, prices) };
}

/** Waits end when the client closes the connection and when the run is stopped. */
function waitSignal({ ledger }: CallScope, { gone }: ClientRequest): AbortSignal {
  return AbortSignal.any([gone, ledger.stopSignal]);
}

async function waited<Value>({ wait }: RunLedger, waiting: Promise<Value>): Promise<Value> {
  wait.begin();
  try {
    return await waiting;
  } finally {
    wait.end();
  }
}

/** Ends the answer of a call that was not sent. */
function refuse({ ledger }: CallScope, { gone }: ClientRequest, outgoing: ServerResponse): void {
  if (gone.aborted) outgoing.destroy();
  else refuseStopped(outgoing, ledger);
}

function textOf(scope: CallScope, response: IncomingMessage, { body }: RelayedBody): string {
  return withoutKey(scope, bodyText(body, response.headers["content-encoding"]));
}

/** Returns a text that can be kept: with the stand-in instead of the key. */
function withoutKey({ access: { key }, standIn }: CallScope, text: string): string {
  return key.length < shortestKey ? text : text.replaceAll(key, standIn);
}
