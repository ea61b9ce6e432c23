import type { JsonValue, ObjectBody, ObjectId, StoredVersion } from "@self-context-manager/objects";
import { defined, isJsonObject } from "@self-context-manager/objects";
import type { ReportedUsage } from "../chat/message.ts";
import { readAccountRow } from "../cost/account-row.ts";
import { type CostAccount, emptyAccount, sessionBill } from "../cost/cost-account.ts";
import { type Calibration, ratioOf, uncalibrated } from "../cost/calibration.ts";
import type { ClassTokens } from "../cost/class-tokens.ts";
import type { CallCost } from "./timeline.ts";

/** What a version of a session adds to what is known of its calls. */
export interface SessionStep {
  /** The cost of the call whose view was stored in the same transaction. */
  readonly cost?: CallCost;
  /** The usage that the provider reported for the last call before that transaction. */
  readonly usage?: ReportedUsage;
  /** The bill of the last call before that transaction, and its cost in the plain host, if its answer is known now. */
  readonly settled?: { readonly units: number; readonly plainUnits: number };
}

/**
 * What the versions of a session say about its calls. The account adds up, so the difference between two versions is one
 * call or one report; a difference of several, because a version between them cannot be read, is left out.
 */
export interface SessionCosts {
  /** Whether the next version has the cost of a call more than the last one. */
  hasCall(stored: StoredVersion): boolean;
  take(stored: StoredVersion): SessionStep;
  readonly calibration: Calibration;
  /** Whether a report had tokens that were read from a cache or written to it. */
  readonly isCached: boolean;
  /** The call from which the given one continues after the user went back. */
  continues(call: number): number | undefined;
  /** Returns the id of an object by its handle, as of the last version. */
  idOf(handle: string): ObjectId | undefined;
}

/** The summaries of turns that a model wrote in a session, and what all requests for them have cost. */
export interface SummaryCosts {
  readonly turns: number;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  /** US dollars; undefined if no host knew a price. */
  readonly cost?: number;
  readonly model?: string;
}

/** Reads what a stored session says of its summaries; undefined if no model was asked, or if it is damaged. */
export function summaryCosts({ summaries: rows }: ObjectBody): SummaryCosts | undefined {
  if (!isJsonObject(rows) || !isJsonObject(rows["spent"])) return undefined;
  const { calls, input, output, cost, model } = rows["spent"];
  if (typeof calls !== "number" || typeof input !== "number" || typeof output !== "number")
    return undefined;
  const turns = isJsonObject(rows["turns"]) ? Object.keys(rows["turns"]).length : 0;
  return {
    turns,
    calls,
    input,
    output,
    ...(typeof cost === "number" ? { cost } : {}),
    ...(typeof model === "string" ? { model } : {}),
  };
}

export function sessionCosts(): SessionCosts {
  let account: CostAccount | undefined = emptyAccount;
  let body: ObjectBody | undefined;
  let calibration = uncalibrated;

  return {
    get calibration() {
      return calibration;
    },
    get isCached() {
      const { cache_read: read = 0, cache_write: write = 0 } = account?.reported ?? {};
      return read > 0 || write > 0;
    },
    hasCall: (stored) => {
      const next = accountIn(stored.body);
      return next !== undefined && next.estimated.calls > (account?.estimated.calls ?? 0);
    },
    take(stored) {
      body = stored.body;
      calibration = calibrationIn(body) ?? calibration;
      const next = accountIn(body);
      if (next === undefined) return {};
      const before = account ?? emptyAccount;
      account = next;
      return {
        ...(next.estimated.calls === before.estimated.calls + 1
          ? { cost: costBetween(before, next) }
          : {}),
        ...(next.reported.calls === before.reported.calls + 1
          ? { usage: usageBetween(before, next) }
          : {}),
        ...settledBetween(before, next),
      };
    },
    continues(call) {
      const branch = body?.["view_branch"];
      if (!isJsonObject(branch) || branch["latest"] !== call - 1) return undefined;
      return typeof branch["from"] === "number" ? branch["from"] : undefined;
    },
    idOf(handle) {
      const rows = body?.["pool"];
      if (!Array.isArray(rows)) return undefined;
      // New objects are at the end.
      const row = (rows as readonly JsonValue[]).findLast(
        (one) => isJsonObject(one) && one["handle"] === handle,
      );
      return isJsonObject(row) ? (row["id"] as ObjectId) : undefined;
    },
  };
}

function accountIn(body: ObjectBody): CostAccount | undefined {
  const row = body["cost_account"];
  if (!Array.isArray(row) || !row.every(Number.isFinite)) return undefined;
  return readAccountRow(row as readonly JsonValue[]);
}

/** Returns the calibration of a stored session, with one factor for the mixture of texts that was sent last. */
function calibrationIn(body: ObjectBody): Calibration | undefined {
  const stored = body["calibration"];
  if (!isJsonObject(stored)) return undefined;
  const { factor, overhead, factors, sent } = stored;
  const isSound = typeof factor === "number" && factor > 0 && typeof overhead === "number";
  if (!isSound) return undefined;
  if (!isFigures(sent) || !(factors === undefined || isFigures(factors)))
    return { factor, overhead };
  const ratio = ratioOf({ factor, overhead, ...defined({ factors }) }, sent);
  return { factor: ratio, overhead };
}

function isFigures(value: JsonValue | undefined): value is ClassTokens {
  return value !== undefined && isJsonObject(value) && Object.values(value).every(Number.isFinite);
}

function costBetween(before: CostAccount, next: CostAccount): CallCost {
  return {
    cached: next.estimated.cached - before.estimated.cached,
    fresh: next.estimated.fresh - before.estimated.fresh,
    units: next.estimated.units - before.estimated.units,
    plainUnits: sessionBill(next).plainUnits - next.plain.units,
  };
}

/** Returns what became known of the one call that waited for its answer; nothing if several were answered. */
function settledBetween(before: CostAccount, next: CostAccount): Pick<SessionStep, "settled"> {
  const calls = next.estimated.calls - before.estimated.calls;
  const isAnswered = before.waiting !== undefined && calls === (next.waiting === undefined ? 0 : 1);
  if (!isAnswered) return {};
  return {
    settled: {
      units: next.billed.units - before.billed.units,
      plainUnits: next.plain.units - before.plain.units,
    },
  };
}

function usageBetween(
  { reported: before }: CostAccount,
  { reported: next }: CostAccount,
): ReportedUsage {
  return {
    input: next.input - before.input,
    cacheRead: next.cache_read - before.cache_read,
    cacheWrite: next.cache_write - before.cache_write,
  };
}
