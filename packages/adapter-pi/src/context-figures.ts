import {
  type CostAccount,
  costRatio,
  type PoolTokens,
  type PrefixStability,
  type PriceProfile,
  type ReportedUsage,
} from "@self-context-manager/core";

/** What `/context` tells of tokens and costs; what a layout or a provider does not say is left out. */
export interface ContextFigures {
  /** Of the view as it would go out now, as estimated. */
  readonly tokens: PoolTokens;
  /** Of the last request to the one before it. */
  readonly stability?: PrefixStability | undefined;
  readonly epoch?: EpochState | undefined;
  /** Estimates of the calls so far. */
  readonly account?: CostAccount | undefined;
  readonly prices?: PriceProfile | undefined;
  /** What the provider said of the last call. */
  readonly reported?: ReportedUsage | undefined;
}

/** Where an epoch layout stands. */
interface EpochState {
  readonly number: number;
  readonly calls: number;
  /** Why the epoch before ended. */
  readonly endedBy?: string | undefined;
  /** What left then, by handle. */
  readonly left: readonly string[];
  readonly deadTokens: number;
  readonly promptTokens: number;
}

/** Three kinds of figures, each with its name: estimates, our own bytes, and what the provider reported. */
export function contextFigures(
  figures: ContextFigures,
  nameOf: (handle: string) => string,
): readonly string[] {
  const { tokens, stability, epoch, account, prices, reported } = figures;
  return [
    poolLine(tokens, epoch),
    ...(stability === undefined ? [] : [prefixLine(stability)]),
    ...(account === undefined || account.estimated.calls === 0 ? [] : [spentLine(account, prices)]),
    ...(reported === undefined ? [] : [reportedLine(reported)]),
    ...(prices === undefined ? [] : [priceLine(prices)]),
    ...(epoch === undefined ? [] : epochLines(epoch, nameOf)),
  ];
}

function poolLine({ metadata, chat, active }: PoolTokens, epoch: EpochState | undefined): string {
  // The epoch's counts are before calibration, so that only their shares can stand beside the pools'.
  const dead =
    epoch === undefined || epoch.deadTokens === 0
      ? ""
      : `; ${share(epoch.deadTokens, epoch.promptTokens)} of it is no longer active`;
  const all = tokensOf(metadata + chat + active);
  return `In view, as estimated: ${all} tokens (metadata ${tokensOf(metadata)}, chat ${tokensOf(chat)}, active ${tokensOf(active)})${dead}.`;
}

function prefixLine({ promptTokens, tokens }: PrefixStability): string {
  return `Stable, by our own bytes: the first ${share(tokens, promptTokens)} of the last request are as in the one before.`;
}

function spentLine(account: CostAccount, prices: PriceProfile | undefined): string {
  const { estimated, append_only: appendOnly } = account;
  const ratio = costRatio(account) ?? 1;
  const percent = Math.round(Math.abs(1 - ratio) * 100);
  const compared =
    percent === 0 ? "as much as" : `${percent} % ${ratio < 1 ? "less" : "more"} than`;
  const calls = estimated.calls === 1 ? "1 call" : `${estimated.calls} calls`;
  const source = prices?.source === "default" ? ", at assumed prices" : "";
  return `Spent in ${calls}, as estimated${source}: ${compared} the same calls append-only, ${tokensOf(estimated.units)} against ${tokensOf(appendOnly.units)} tokens of uncached input; ${tokensOf(estimated.cached)} cached, ${tokensOf(estimated.fresh)} new.`;
}

function reportedLine({ input, cacheRead, cacheWrite }: ReportedUsage): string {
  return `Last call, as the provider reported it: ${tokensOf(cacheRead)} tokens read from its cache, ${tokensOf(cacheWrite)} written, ${tokensOf(input)} neither.`;
}

function priceLine({ read, write, lifetime, caching, source, minimum }: PriceProfile): string {
  const from = { host: "from Pi", table: "from our table", default: "assumed" }[source];
  if (caching === "none") return `Prices (${from}): nothing is cached.`;
  const life =
    lifetime === undefined ? "" : `; what is cached is taken to live for ${duration(lifetime)}`;
  const least = minimum === 0 ? "" : `, from ${tokensOf(minimum)} tokens on`;
  return `Prices (${from}), where uncached input is 1: reading ${round(read)}, writing ${round(write)}${least}${life}.`;
}

/** So many are named; the list above them has all. */
const mostNamed = 12;

function epochLines(epoch: EpochState, nameOf: (handle: string) => string): readonly string[] {
  const calls = epoch.calls === 1 ? "1 call" : `${epoch.calls} calls`;
  const stands = `Epoch ${epoch.number}, ${calls} so far.`;
  if (epoch.endedBy === undefined) return [stands];
  const ended = `${stands} The one before ended because ${reasons[epoch.endedBy] ?? epoch.endedBy}.`;
  if (epoch.left.length === 0) return [`${ended} Nothing left.`];
  const named = epoch.left.slice(0, mostNamed).map(nameOf);
  const more = epoch.left.length > mostNamed ? `, and ${epoch.left.length - mostNamed} more` : "";
  return [
    ended,
    `${epoch.left.length} left then: ${named.join(", ")}${more}. /context restore brings them back.`,
  ];
}

const reasons: Readonly<Record<string, string>> = {
  carried: "carrying what was no longer active had cost most of what leaving it out costs",
  cold: "the provider's cache was cold anyway",
  budget: "the budget demanded it",
  "late-result": "a result came late",
  compaction: "you compacted the chat",
};

/** Tokens for a person: 950, 1.2k, 2.5M. */
function tokensOf(count: number): string {
  if (count < 1000) return String(Math.round(count));
  return count < 1_000_000 ? `${tenths(count / 1000)}k` : `${tenths(count / 1_000_000)}M`;
}

function tenths(value: number): string {
  return value.toFixed(1).replace(".0", "");
}

function share(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  return percent > 0 && percent < 1 ? "under 1 %" : `${Math.floor(percent)} %`;
}

function round(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

function duration(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 120) return minutes === 60 ? "an hour" : `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
}
