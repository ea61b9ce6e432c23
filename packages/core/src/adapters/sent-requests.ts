import type { Clock } from "@self-context-manager/objects";
import type { ReportedUsage } from "../chat/message.ts";
import { type CostAccount, countAnswer } from "../cost/cost-account.ts";
import { type ModelOptions, modelOptions } from "../cost/model-options.ts";
import { prefixStability, type SentMessage } from "../cost/prefix-stability.ts";
import type { ModelFacts, PriceProfile } from "../cost/price-profile.ts";
import { soundUsage } from "../cost/reported-usage.ts";
import type { View, ViewOptions } from "../session/view-options.ts";
import { askedRetention, ownBreakpoints } from "./breakpoints.ts";
import type { ContextFigures } from "./context-figures.ts";
import type { Fields } from "./payload-format.ts";

/** Whose cache breakpoints go to the provider: those of the view, or those that the host sets. */
export type Breakpoints = "own" | "host";

export interface SentRequestsOptions {
  readonly breakpoints: Breakpoints;
  /** Whether long-lived cache entries are assumed until the first request shows what the host asks for. */
  readonly isCacheLong: boolean;
  readonly clock?: Clock | undefined;
}

/** The options of a view that depend on its model and on the requests before it. */
export interface SentModelOptions extends ModelOptions {
  readonly breakpoints: Breakpoints;
}

/** Follows a session's requests on their way to the provider and back. */
export interface SentRequests<Raw> {
  /** The call of the last request; undefined if it had the host's own messages. */
  readonly call: number | undefined;
  /** The model of the last request. */
  readonly model: string | undefined;
  /** Returns the options of a view for a model. */
  modelOptions(facts: ModelFacts): SentModelOptions;
  /** Returns options in which the prices know that the last request was sent again, which keeps its cache entry. */
  kept<Options extends Pick<ViewOptions, "prices">>(options: Options): Options;
  /** The next request contains this view's messages. */
  sends(view: View, messages: readonly Raw[]): void;
  /** The next request contains the host's own messages. */
  sendsOwn(model: string | undefined): void;
  /** Returns the request with the view's breakpoints; undefined if it stays unchanged. */
  payload(payload: unknown): Fields | undefined;
  /** An answer has arrived, with the provider's token counts. */
  answered(usage: ReportedUsage): void;
  /** The figures of a view and of the calls so far, for the user. */
  figures(view: View, prices: PriceProfile | undefined): ContextFigures;
}

/** The provider protocols in which breakpoints can be set. */
const markable: ReadonlySet<unknown> = new Set([
  "anthropic-messages",
  "bedrock-converse-stream",
  "openai-completions",
]);

export function sentRequests<Raw>(options: SentRequestsOptions): SentRequests<Raw> {
  const { breakpoints, isCacheLong, clock } = options;
  let sent: View | undefined;
  let model: string | undefined;
  /** The messages of the last two managed requests. */
  let last: readonly Raw[] | undefined;
  let former: readonly Raw[] | undefined;
  let retention: ModelFacts["retention"] = isCacheLong ? "long" : undefined;
  let reported: ReportedUsage | undefined;
  /** Whether `reported` belongs to the last request. */
  let isAnswered = false;
  /** When the last view's request was first and last sent: a host can send it again to keep its entry in the cache. */
  let sentAt: { readonly first: number; readonly last: number } | undefined;

  /** Returns the account with the last answer, which the session reads only with the next list. */
  function answeredAccount({ account }: View): CostAccount | undefined {
    if (account?.waiting === undefined || !isAnswered || reported === undefined) return account;
    const usage = soundUsage(reported);
    return usage === undefined ? account : countAnswer(account, { isOwn: false, usage });
  }

  return {
    get call() {
      return sent?.call;
    },
    get model() {
      return model;
    },
    modelOptions(facts) {
      const known = modelOptions(retention === undefined ? facts : { ...facts, retention });
      // If the provider finds any prefix by itself, no breakpoint is needed.
      const isFound = known.prices.caching !== "explicit";
      const own = isFound || (breakpoints === "own" && markable.has(facts.api));
      return { ...known, breakpoints: own ? "own" : "host" };
    },
    kept(given) {
      const { prices } = given;
      if (prices?.lifetime === undefined || sentAt === undefined) return given;
      // The cache entry lives from the last sending, but the session counts from the first; the difference is added.
      const lifetime = prices.lifetime + Math.max(0, sentAt.last - sentAt.first);
      return { ...given, prices: { ...prices, lifetime } };
    },
    sends(view, messages) {
      isAnswered = false;
      sent = view;
      former = last;
      last = messages;
      sentAt = undefined;
    },
    sendsOwn(next) {
      sent = undefined;
      model = next;
    },
    payload(payload) {
      if (sent === undefined) return undefined;
      if (clock !== undefined) sentAt = { first: sentAt?.first ?? clock.now(), last: clock.now() };
      // For a provider that needs markers, a request without any asks for no caching.
      retention = askedRetention(payload) ?? "none";
      if (breakpoints === "host") return undefined;
      return ownBreakpoints(payload, sent.messages, sent.boundaries ?? []);
    },
    answered(usage) {
      reported = usage;
      isAnswered = sent !== undefined;
    },
    figures(view, prices) {
      const { tokens, epoch } = view;
      const stability =
        former === undefined || last === undefined
          ? undefined
          : prefixStability(former.map(sentMessage), last.map(sentMessage));
      return { tokens, stability, epoch, account: answeredAccount(view), prices, reported };
    },
  };
}

/** A message by its JSON text. Four characters count as one token, which is accurate enough for a share. */
function sentMessage(message: unknown): SentMessage {
  const digest = JSON.stringify(message);
  return { digest, tokens: digest.length / 4 };
}
