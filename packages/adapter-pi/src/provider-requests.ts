import {
  prefixStability,
  type PriceProfile,
  type ReportedUsage,
  reportedUsage,
  type SentMessage,
  type View,
  type ViewOptions,
} from "@self-context-manager/core";

import { askedRetention, ownBreakpoints } from "./breakpoints.ts";
import type { ContextFigures } from "./context-figures.ts";
import { modelPrices } from "./model-prices.ts";
import { type Fields, isFields, type PiMessage } from "./pi-api.ts";

/** Whose cache breakpoints go to the provider: those of the view, or those that Pi sets. */
export type Breakpoints = "own" | "host";

/** Follows a session's requests on their way to the provider and back. */
export interface ProviderRequests {
  /** What a view is told of the model that it is for. */
  viewOptions(model: unknown): Pick<ViewOptions, "model" | "prices" | "breakpoints">;
  /** The next request has this view's messages. */
  sends(view: View, messages: readonly PiMessage[]): void;
  /** The next request is not ours. */
  sendsNothing(): void;
  /** The request with the view's breakpoints; undefined where it stays as it is. */
  payload(payload: unknown): Fields | undefined;
  /** The call that the next request is for; undefined where it is not ours. */
  sentCall(): number | undefined;
  /** An answer came, with what the provider says of its request. */
  answered(message: unknown): void;
  /** What a person is told of a view and of the calls so far. */
  figures(view: View, model: unknown): ContextFigures;
}

/** Providers' protocols that take breakpoints in a form that is known here. */
const markable: ReadonlySet<unknown> = new Set([
  "anthropic-messages",
  "bedrock-converse-stream",
  "openai-completions",
]);

/** `isLong` where entries are asked to live long, until the first request says what it asks for. */
export function providerRequests(
  breakpoints: Breakpoints = "own",
  now: () => number = Date.now,
  isLong = false,
): ProviderRequests {
  let sent: { readonly view: View; readonly messages: readonly PiMessage[] } | undefined;
  /** The messages of the last two requests of ours. */
  let last: readonly PiMessage[] | undefined;
  let former: readonly PiMessage[] | undefined;
  let retention: "none" | "short" | "long" | undefined = isLong ? "long" : undefined;
  let reported: ReportedUsage | undefined;
  /** When the last view's request went out first, and last: Pi sends it again to keep its entry in the cache. */
  let sentAt: { readonly first: number; readonly last: number } | undefined;

  /** The entry lives on from when the request was sent last; the session counts from when it was sent first. */
  function keptWarm(prices: PriceProfile): PriceProfile {
    const { lifetime } = prices;
    if (lifetime === undefined || sentAt === undefined) return prices;
    return { ...prices, lifetime: lifetime + Math.max(0, sentAt.last - sentAt.first) };
  }

  return {
    viewOptions(model) {
      const known = modelPrices(model, retention);
      if (known.prices === undefined) return {};
      // Where the provider finds any prefix by itself, nothing has to be marked.
      const isFound = known.prices.caching !== "explicit";
      const canMark = isFields(model) && markable.has(model["api"]);
      const own = isFound || (breakpoints === "own" && canMark);
      return { ...known, prices: keptWarm(known.prices), breakpoints: own ? "own" : "host" };
    },
    sends(view, messages) {
      sent = { view, messages };
      former = last;
      last = messages;
      sentAt = undefined;
    },
    sendsNothing() {
      sent = undefined;
    },
    payload(payload) {
      if (sent === undefined) return undefined;
      sentAt = { first: sentAt?.first ?? now(), last: now() };
      // Where markers are the way to ask, a request without any asks for nothing.
      retention = askedRetention(payload) ?? "none";
      if (breakpoints === "host") return undefined;
      return ownBreakpoints(payload, sent.messages, sent.view.boundaries ?? []);
    },
    sentCall: () => sent?.view.call,
    answered(message) {
      if (isFields(message) && message["role"] === "assistant") {
        reported = reportedUsage(message["usage"]) ?? reported;
      }
    },
    figures(view, model) {
      const { epoch, account } = view;
      const { prices } = modelPrices(model, retention);
      const stability =
        former === undefined || last === undefined
          ? undefined
          : prefixStability(former.map(sentMessage), last.map(sentMessage));
      return { tokens: view.tokens, stability, epoch, account, prices, reported };
    },
  };
}

/** A message by its bytes; four of them are a token, which is near enough for a share. */
function sentMessage(message: PiMessage): SentMessage {
  const digest = JSON.stringify(message);
  return { digest, tokens: digest.length / 4 };
}
