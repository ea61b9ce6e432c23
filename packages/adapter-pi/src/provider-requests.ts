import {
  askedRetention,
  type ContextFigures,
  ownBreakpoints,
  prefixStability,
  type SentMessage,
} from "@self-context-manager/core/host";
import type { PriceProfile, ReportedUsage, View, ViewOptions } from "@self-context-manager/core";

import { modelPrices } from "./model-prices.ts";
import { type Fields, isFields, type PiMessage } from "./pi-api.ts";
import { piUsage } from "./pi-usage.ts";

/** Whose cache breakpoints go to the provider: those of the view, or those that Pi sets. */
export type Breakpoints = "own" | "host";

/** Follows a session's requests on their way to the provider and back. */
export interface ProviderRequests {
  /** The options of a view that depend on its model. */
  viewOptions(model: unknown): Pick<ViewOptions, "model" | "prices" | "breakpoints" | "thinking">;
  /** The next request contains this view's messages. */
  sends(view: View, messages: readonly PiMessage[]): void;
  /** The next request contains the host's own messages. */
  sendsNothing(): void;
  /** Returns the request with the view's breakpoints; undefined if it stays unchanged. */
  payload(payload: unknown): Fields | undefined;
  /** The call of the next request; undefined if the host's own messages are sent. */
  sentCall(): number | undefined;
  /** An answer has arrived, with the provider's token counts. */
  answered(message: unknown): void;
  /** The figures of a view and of the calls so far, for the user. */
  figures(view: View, model: unknown): ContextFigures;
}

/** The provider protocols in which the adapter can set breakpoints. */
const markable: ReadonlySet<unknown> = new Set([
  "anthropic-messages",
  "bedrock-converse-stream",
  "openai-completions",
]);

/** `isLong`: whether long-lived cache entries are assumed until the first request shows what the host asks for. */
export function providerRequests(
  breakpoints: Breakpoints = "own",
  now: () => number = Date.now,
  isLong = false,
): ProviderRequests {
  let sent: View | undefined;
  /** The messages of the last two managed requests. */
  let last: readonly PiMessage[] | undefined;
  let former: readonly PiMessage[] | undefined;
  let retention: "none" | "short" | "long" | undefined = isLong ? "long" : undefined;
  let reported: ReportedUsage | undefined;
  /** When the last view's request was first and last sent: Pi sends it again to keep its entry in the cache. */
  let sentAt: { readonly first: number; readonly last: number } | undefined;

  /** The cache entry lives from the last sending, but the session counts from the first; the difference is added. */
  function keptWarm(prices: PriceProfile): PriceProfile {
    const { lifetime } = prices;
    if (lifetime === undefined || sentAt === undefined) return prices;
    return { ...prices, lifetime: lifetime + Math.max(0, sentAt.last - sentAt.first) };
  }

  return {
    viewOptions(model) {
      const known = modelPrices(model, retention);
      if (known.prices === undefined) return {};
      // If the provider finds any prefix by itself, no breakpoint is needed.
      const isFound = known.prices.caching !== "explicit";
      const canMark = isFields(model) && markable.has(model["api"]);
      const own = isFound || (breakpoints === "own" && canMark);
      return { ...known, prices: keptWarm(known.prices), breakpoints: own ? "own" : "host" };
    },
    sends(view, messages) {
      sent = view;
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
      // For a provider that needs markers, a request without any asks for no caching.
      retention = askedRetention(payload) ?? "none";
      if (breakpoints === "host") return undefined;
      return ownBreakpoints(payload, sent.messages, sent.boundaries ?? []);
    },
    sentCall: () => sent?.call,
    answered(message) {
      if (isFields(message) && message["role"] === "assistant") {
        reported = piUsage(message["usage"]) ?? reported;
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

/** A message by its JSON text. Four characters count as one token, which is accurate enough for a share. */
function sentMessage(message: PiMessage): SentMessage {
  const digest = JSON.stringify(message);
  return { digest, tokens: digest.length / 4 };
}
