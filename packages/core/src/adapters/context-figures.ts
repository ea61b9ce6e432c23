import { oneLine } from "@self-context-manager/objects";
import type { ReportedUsage } from "../chat/message.ts";
import { type CostAccount, sessionBill } from "../cost/cost-account.ts";
import type { PrefixStability } from "../cost/prefix-stability.ts";
import type { PriceProfile } from "../cost/price-profile.ts";
import { duration } from "../lines/duration.ts";
import { epochEndReason } from "../view/epoch-end-reason.ts";
import type { SessionStatus } from "../session/context-session.ts";
import type { PoolTokens } from "../view/layout.ts";

/** The tokens and costs that the user's command shows; a figure that a layout or a provider does not report is left out. */
export interface ContextFigures {
  /** Estimated tokens of the view as it would be sent now. */
  readonly tokens: PoolTokens;
  /** How much of the last request is unchanged since the request before it. */
  readonly stability?: PrefixStability | undefined;
  readonly epoch?: EpochState | undefined;
  /** The cost of the calls so far, and of the same work in the plain host. */
  readonly account?: CostAccount | undefined;
  readonly prices?: PriceProfile | undefined;
  /** Token counts that the provider reported for the last call. */
  readonly reported?: ReportedUsage | undefined;
  /** Why the last request for a summary brought none. */
  readonly summaryFailure?: string | undefined;
}

/** The current epoch of an epoch layout. */
interface EpochState {
  readonly number: number;
  readonly calls: number;
  /** Why the previous epoch ended. */
  readonly endedBy?: string | undefined;
  /** The contents that left the view when that epoch ended, by handle. */
  readonly left: readonly string[];
  readonly deadTokens: number;
  readonly promptTokens: number;
}

export interface FigureNames {
  /** The host's name. */
  readonly host: string;
  /** The command's name in this host, without the slash. */
  readonly command: string;
  /** Returns the name of an object by its handle. */
  readonly nameOf: (handle: string) => string;
}

/** Returns three kinds of figures, each with its name: estimates, byte comparisons, and the provider's counts. */
export function contextFigures(
  figures: ContextFigures,
  { nameOf, host, command }: FigureNames,
): readonly string[] {
  const { tokens, stability, epoch, account, prices, reported } = figures;
  return [
    poolLine(tokens, epoch),
    ...(stability === undefined ? [] : [prefixLine(stability)]),
    ...(account === undefined || account.estimated.calls === 0
      ? []
      : [billLine(account, prices, host), ...missedLines(account, host)]),
    ...(reported === undefined ? [] : [reportedLine(reported)]),
    ...(prices === undefined ? [] : [priceLine(prices, host)]),
    ...(epoch === undefined ? [] : epochLines(epoch, { nameOf, command })),
  ];
}

function poolLine({ metadata, chat, active }: PoolTokens, epoch: EpochState | undefined): string {
  // The epoch's counts are before calibration, so only their ratio can be shown beside the pools' counts.
  const dead =
    epoch === undefined || epoch.deadTokens === 0
      ? ""
      : `; ${share(epoch.deadTokens, epoch.promptTokens)} of them are no longer active`;
  const all = tokensOf(metadata + chat + active);
  return `In view, estimated: ${all} tokens (metadata ${tokensOf(metadata)}, chat ${tokensOf(chat)}, active ${tokensOf(active)})${dead}.`;
}

function prefixLine({ promptTokens, tokens }: PrefixStability): string {
  return `Unchanged, by the bytes of the messages: the first ${share(tokens, promptTokens)} of the last request.`;
}

function billLine(account: CostAccount, prices: PriceProfile | undefined, host: string): string {
  const { calls, estimatedCalls, units, plainCalls, plainUnits } = sessionBill(account);
  const percent = Math.round(Math.abs(1 - units / Math.max(1, plainUnits)) * 100);
  const compared =
    percent === 0 ? "the same as" : `${percent} % ${units < plainUnits ? "less" : "more"} than`;
  const source = prices?.source === "default" ? ", at assumed prices" : "";
  return `Cost of ${callsText(calls)}${reportText(calls, estimatedCalls)}${source}: ${tokensOf(units)} tokens of uncached input, ${compared} the ${tokensOf(plainUnits)} that the same work would cost in ${callsText(plainCalls)} of plain ${host}, estimated.`;
}

/** Returns a line about the summaries that a model wrote, and what they cost; none if no model was asked. */
export function summaryLines(
  { count, calls, input, output, cost, model }: SessionStatus["summaries"],
  failure: string | undefined,
): readonly string[] {
  const failed =
    failure === undefined
      ? []
      : [`The last request for a summary brought none: ${oneLine(failure).slice(0, 200)}`];
  if (calls === 0) return failed;
  const by = model === undefined ? "" : ` by ${oneLine(model)}`;
  const price = cost === undefined ? "" : `, $${cost.toFixed(4)}`;
  const turns = count === 1 ? "1 turn" : `${count} turns`;
  return [
    `Summaries${by}: ${turns}, ${callsText(calls)}, ${tokensOf(input)} tokens read and ${tokensOf(output)} written${price}. The costs above are without them.`,
    ...failed,
  ];
}

/** Says how often the provider did not have what was sent before. The bytes of the messages alone do not show it. */
function missedLines(account: CostAccount, host: string): readonly string[] {
  const { calls, tokens } = sessionBill(account).missed;
  if (calls === 0) return [];
  const lacked = `the provider's cache lacked most of what was sent before, ${tokensOf(tokens)} tokens in all`;
  return [
    `In ${callsText(calls)} ${lacked}: its entry had expired, or ${host} had changed something before these messages.`,
  ];
}

function callsText(calls: number): string {
  return calls === 1 ? "1 call" : `${calls} calls`;
}

function reportText(calls: number, estimated: number): string {
  if (estimated === 0) return ", as reported by the provider";
  return estimated === calls ? ", estimated" : `, ${estimated} of them estimated`;
}

function reportedLine({ input, cacheRead, cacheWrite }: ReportedUsage): string {
  return `Last call, reported by the provider: ${tokensOf(cacheRead)} tokens read from its cache, ${tokensOf(cacheWrite)} written to it, ${tokensOf(input)} neither.`;
}

function priceLine(
  { read, write, lifetime, caching, source, minimum }: PriceProfile,
  host: string,
): string {
  const from = { host: `from ${host}`, table: "from the built-in table", default: "assumed" }[
    source
  ];
  if (caching === "none") return `Prices (${from}): nothing is cached.`;
  const life =
    lifetime === undefined ? "" : `; assumed lifetime of a cache entry: ${duration(lifetime)}`;
  const least = minimum === 0 ? "" : ` (minimum ${tokensOf(minimum)} tokens)`;
  return `Prices (${from}), relative to uncached input: cache read ${round(read)}, cache write ${round(write)}${least}${life}.`;
}

/** The most contents that are named here; the list of objects above shows all. */
const mostNamed = 12;

function epochLines(
  epoch: EpochState,
  { nameOf, command }: Pick<FigureNames, "nameOf" | "command">,
): readonly string[] {
  const current = `Epoch ${epoch.number}, ${callsText(epoch.calls)} so far.`;
  if (epoch.endedBy === undefined) return [current];
  const ended = `${current} The previous epoch ended because ${epochEndReason(epoch.endedBy)}.`;
  if (epoch.left.length === 0) return [`${ended} No content left the view.`];
  const named = epoch.left.slice(0, mostNamed).map(nameOf);
  const more = epoch.left.length > mostNamed ? `, and ${epoch.left.length - mostNamed} more` : "";
  return [
    ended,
    `Removed from the view then: ${named.join(", ")}${more}. /${command} restore activates those that are inactive.`,
  ];
}

/** Formats a token count: 950, 1.2k, 2.5M. */
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
