import { type EstimatedCost, estimatedCost, pricedUsage, tierFactor } from "./estimated-cost.ts";
import type { PriceProfile } from "./price-profile.ts";
import type { ReportedUsage } from "../chat/message.ts";
import { promptOf } from "./reported-usage.ts";

/**
 * The cost of a session so far. `estimated` and `plain` come from the same estimator and price profile. `reported` are
 * token counts of the provider, and `billed` is their price.
 */
export type CostAccount = {
  readonly estimated: EstimatedCost & { readonly calls: number };
  /** Price of the answered calls: of a report as the provider counted, of a call without one as estimated. */
  readonly billed: { readonly units: number };
  /** Cost of the same work in the plain host, up to the last answer. */
  readonly plain: EstimatedCost & { readonly calls: number };
  readonly reported: {
    readonly calls: number;
    readonly input: number;
    readonly cache_read: number;
    readonly cache_write: number;
  };
  /** The calls of which the provider read less than half of what it was expected to have, and the tokens that it lacked. */
  readonly missed: { readonly calls: number; readonly tokens: number };
  /** The last prompt of the plain host; its tokens are 0 if the provider's cache holds nothing of it. */
  readonly plain_prompt: {
    /** Tokens of the messages, before calibration. */
    readonly estimated: number;
    /** Tokens of the whole prompt, derived from the report of its call; 0 without a report. */
    readonly reported: number;
  };
  /** The last call, until its answer is known. */
  readonly waiting?: WaitingCall;
};

/** A call without an answer yet. Its tokens are calibrated. */
export interface WaitingCall extends EstimatedCost {
  readonly profile: PriceProfile;
  readonly isCold: boolean;
  /** The prompt of the plain host with the host's part as far as it is known, and its tokens that were not sent before. */
  readonly plainTokens: number;
  readonly plainFresh: number;
  /** Tokens that the prompt of the plain host has more than the sent one. */
  readonly difference: number;
  /** Tokens of the messages of the plain host, before calibration. */
  readonly plainEstimated: number;
}

/** The account of a session without calls. */
export const emptyAccount: CostAccount = {
  estimated: { calls: 0, cached: 0, fresh: 0, units: 0 },
  billed: { units: 0 },
  plain: { calls: 0, cached: 0, fresh: 0, units: 0 },
  reported: { calls: 0, input: 0, cache_read: 0, cache_write: 0 },
  missed: { calls: 0, tokens: 0 },
  plain_prompt: { estimated: 0, reported: 0 },
};

/** One call that is sent. Its tokens are before calibration, except those of the overhead. */
export interface CountedCall {
  /** Tokens of the messages. */
  readonly promptTokens: number;
  /** Tokens at the start that the last call also had. */
  readonly sharedTokens: number;
  /** Tokens of the messages that the plain host would send now, by the same estimator. */
  readonly plainTokens: number;
  /**
   * Tokens that the host puts before the messages, as far as they are known; default 0. The figure comes from the
   * provider's reports, so it counts as sent before in every call except the first.
   */
  readonly overheadTokens?: number;
  /** Tokens of the overhead that the plain host does not have: context tools and their instruction; default 0. */
  readonly ownTokens?: number;
  /** Factor from an estimate to the provider's count; default 1. */
  readonly factor?: number;
  /** The most likely tokens of the messages and of those of the plain host, after calibration. Default: by `factor`. */
  readonly likely?: { readonly sent: number; readonly plain: number };
  /** Whether the provider's cache is cold. It is then cold for the plain host too. */
  readonly isCold: boolean;
}

/** Returns the account with one more call. A call before it without a known answer counts as it was estimated. */
export function countCall(
  account: CostAccount,
  profile: PriceProfile,
  call: CountedCall,
): CostAccount {
  const { overheadTokens = 0, ownTokens = 0, factor = 1, isCold } = call;
  const { likely = { sent: call.promptTokens * factor, plain: call.plainTokens * factor } } = call;
  const before = countAnswer(account, { isOwn: false });
  const { estimated, plain_prompt: last } = before;
  const known = estimated.calls === 0 ? 0 : overheadTokens;
  const cost = estimatedCost(profile, {
    promptTokens: call.promptTokens * factor + overheadTokens,
    sharedTokens: call.sharedTokens * factor + known,
    isCold,
  });
  const ownPart = ownTokens * factor;
  const plainTokens = likely.plain + Math.max(0, overheadTokens - ownPart);
  const grown = Math.max(0, call.plainTokens - last.estimated) / Math.max(1, call.plainTokens);
  return {
    ...before,
    estimated: { ...sumOf(estimated, cost), calls: estimated.calls + 1 },
    waiting: {
      ...cost,
      profile,
      isCold,
      plainTokens,
      plainFresh: last.estimated === 0 || isCold ? plainTokens : grown * likely.plain,
      plainEstimated: call.plainTokens,
      difference: likely.plain - likely.sent - ownPart,
    },
  };
}

/** What is known of the answer to a call. */
export interface CountedAnswer {
  /** Whether it only calls context tools. The plain host would not have made such a call. */
  readonly isOwn: boolean;
  /** The usage that the provider reported. */
  readonly usage?: ReportedUsage | undefined;
}

/** Returns the account with the answer to the call that waits for one. */
export function countAnswer(account: CostAccount, { isOwn, usage }: CountedAnswer): CostAccount {
  const { waiting, ...rest } = usage === undefined ? account : countReport(account, usage);
  if (waiting === undefined) return rest;
  const { profile, isCold } = waiting;
  const units = usage === undefined ? waiting.units : pricedUsage(profile, usage);
  const billed = { units: rest.billed.units + units };
  const { plain, plain_prompt: last } = rest;
  if (isOwn) return { ...rest, billed, plain_prompt: isCold ? emptyAccount.plain_prompt : last };
  const prompt = plainPrompt(waiting, last.reported, usage);
  return {
    ...rest,
    billed,
    plain: { ...sumOf(plain, plainCost(prompt)), calls: plain.calls + 1 },
    plain_prompt: {
      estimated: waiting.plainEstimated,
      reported: usage === undefined ? 0 : prompt.promptTokens,
    },
  };
}

interface PlainPrompt {
  readonly profile: PriceProfile;
  readonly promptTokens: number;
  /** Tokens that were sent before. They are more than those of the prompt if the last prompt was estimated too long. */
  readonly sharedTokens: number;
}

/**
 * Returns the prompt that the plain host would have sent. Of a reported call only the difference of both prompts is
 * estimated, so the host's part is that of the report. If the provider found nothing in its cache, the plain host
 * would have found nothing either.
 */
function plainPrompt(
  waiting: WaitingCall,
  lastReported: number,
  usage: ReportedUsage | undefined,
): PlainPrompt {
  const { profile, plainTokens, plainFresh, isCold, cached } = waiting;
  if (usage === undefined)
    return { profile, promptTokens: plainTokens, sharedTokens: plainTokens - plainFresh };
  const { cacheRead, cacheWrite } = usage;
  const promptTokens = Math.max(0, promptOf(usage) + waiting.difference);
  const isUncached = cacheRead + cacheWrite === 0 && promptOf(usage) >= profile.minimum;
  if (isUncached)
    return { profile: { ...profile, caching: "none" }, promptTokens, sharedTokens: 0 };
  const isFirst = plainFresh === plainTokens;
  if (isCold || isFirst)
    return { profile, promptTokens, sharedTokens: Math.min(cacheRead, promptTokens) };
  if (cached > 0 && cacheRead === 0) return { profile, promptTokens, sharedTokens: 0 };
  const before = promptTokens - plainFresh;
  // Without a new message the user went back, and a shorter prompt corrects no estimate.
  if (lastReported === 0 || plainFresh === 0)
    return { profile, promptTokens, sharedTokens: Math.min(before, promptTokens) };
  return { profile, promptTokens, sharedTokens: lastReported };
}

/** Returns the cost of a plain prompt. Tokens that earlier calls counted too much as new are subtracted from it. */
function plainCost({ profile, promptTokens, sharedTokens }: PlainPrompt): EstimatedCost {
  const cost = estimatedCost(profile, { promptTokens, sharedTokens });
  const excess = sharedTokens - promptTokens;
  if (excess <= 0 || cost.cached === 0) return cost;
  const price = (profile.write - profile.read) * tierFactor(profile, promptTokens);
  return {
    cached: cost.cached + excess,
    fresh: cost.fresh - excess,
    units: cost.units - excess * price,
  };
}

function sumOf(one: EstimatedCost, other: EstimatedCost): EstimatedCost {
  return {
    cached: one.cached + other.cached,
    fresh: one.fresh + other.fresh,
    units: one.units + other.units,
  };
}

function countReport(account: CostAccount, usage: ReportedUsage): CostAccount {
  const { reported, missed, waiting } = account;
  const lacking = (waiting?.cached ?? 0) - usage.cacheRead;
  // A provider that has never reported a cached token may have no cache, or may not report it.
  const isMissed = reported.cache_read + usage.cacheRead > 0 && lacking > usage.cacheRead;
  return {
    ...account,
    missed: isMissed ? { calls: missed.calls + 1, tokens: missed.tokens + lacking } : missed,
    reported: {
      calls: reported.calls + 1,
      input: reported.input + usage.input,
      cache_read: reported.cache_read + usage.cacheRead,
      cache_write: reported.cache_write + usage.cacheWrite,
    },
  };
}

/** The bill of a session beside that of the same work in the plain host, in tokens of uncached input. */
export interface SessionBill {
  readonly calls: number;
  /** The calls that have no report, and count as estimated. */
  readonly estimatedCalls: number;
  /** The calls for which the provider's cache lacked most of the text that was sent before, and its tokens. */
  readonly missed: CostAccount["missed"];
  readonly units: number;
  readonly plainCalls: number;
  readonly plainUnits: number;
}

/**
 * Returns the bill of a session so far. This is the one definition of what a session saves, and every place that shows
 * a saving uses it. A call without an answer counts as estimated, for both sides.
 */
export function sessionBill(account: CostAccount): SessionBill {
  const { billed, plain, reported, estimated, missed } = countAnswer(account, { isOwn: false });
  return {
    calls: estimated.calls,
    estimatedCalls: Math.max(0, estimated.calls - reported.calls),
    missed,
    units: billed.units,
    plainCalls: plain.calls,
    plainUnits: plain.units,
  };
}

/** Number of calls without a cached token that cannot be an accident. */
const tellingCalls = 3;

/**
 * Returns the profile, corrected by the provider's reports. If several prompts of sufficient length were neither read
 * from the cache nor written to it, a cache with explicit breakpoints is not in use: it is switched off, or a proxy
 * removes the markers. Then the reported tokens are billed as uncached input.
 */
export function reportedProfile(
  profile: PriceProfile,
  account: CostAccount | undefined,
): PriceProfile {
  const reported = account?.reported;
  if (profile.caching !== "explicit" || reported === undefined) return profile;
  const { calls, input, cache_read: read, cache_write: write } = reported;
  const isTelling = calls >= tellingCalls && input >= calls * profile.minimum;
  if (!isTelling || read > 0 || write > 0) return profile;
  const { lifetime: _none, ...rest } = profile;
  return { ...rest, read: 1, write: 1, minimum: 0, caching: "none" };
}
