import type { ReportedUsage } from "../chat/message.ts";
import { promptOf } from "../cost/reported-usage.ts";
import { duration } from "../lines/duration.ts";
import { epochEndReason } from "../view/epoch-end-reason.ts";
import type { EpochPlace } from "../view/layout.ts";
import { profileOf } from "./reported-units.ts";
import type { CacheMiss, CallCost, MissReason } from "./timeline.ts";

/** What is known of a call and of the one before it, to find what was billed again. Tokens are calibrated. */
export interface MissFacts {
  /** Tokens that were sent before and are not behind a change, with those that the host puts before the messages. */
  readonly unchanged: number;
  /** Tokens that were sent before, and are sent again behind a change. */
  readonly resent: number;
  readonly cost?: CallCost | undefined;
  readonly usage?: ReportedUsage | undefined;
  /** Whether a report of the session ever had tokens that were read from a cache or written to it. */
  readonly isCached: boolean;
  readonly models: Pair<string | undefined>;
  /** The origins of the system prompts that differ. */
  readonly changedPrompts: readonly string[];
  readonly epochs: Pair<EpochPlace | undefined>;
  readonly sentAt: Pair<number | undefined>;
  /** The call from which the messages continue after the user went back. */
  readonly continues?: number | undefined;
  /** The number of the first message that differs, and what it was; undefined if the messages only grew. */
  readonly differs?: { readonly message: number; readonly what: string } | undefined;
  /** Returns the name of an object for the user, by its handle. */
  readonly nameOf: (handle: string) => string;
}

type Pair<Value> = readonly [before: Value, now: Value];

/**
 * A cache is read in blocks, and the tokens of a text are estimates. So a miss of fewer tokens, or of a smaller part of
 * what was sent before, is none.
 */
const least = { tokens: 1_000, share: 0.1 };

/** Returns the tokens that were billed again, with the reason; undefined if there are none worth naming. */
export function missOf(facts: MissFacts): CacheMiss | undefined {
  const { unchanged, resent, cost, usage } = facts;
  const sentBefore = unchanged + resent;
  const isReported = usage !== undefined;
  const tokens = isReported
    ? Math.min(sentBefore - usage.cacheRead, usage.input + usage.cacheWrite)
    : resent + (cost === undefined ? 0 : Math.max(0, unchanged - cost.cached));
  if (tokens < least.tokens || tokens < sentBefore * least.share) return undefined;
  // Where nothing was ever cached, nothing can be missed.
  if (isReported && !facts.isCached) return undefined;
  const reason = reasonOf(facts);
  return { tokens: Math.round(tokens), reason, text: textOf(reason, facts), isReported };
}

function reasonOf(facts: MissFacts): MissReason {
  const { models, epochs, resent, differs } = facts;
  if (models[0] !== undefined && models[1] !== undefined && models[0] !== models[1])
    return "model-switched";
  if (facts.changedPrompts.length > 0) return "system-prompt";
  const ended = endedEpoch(epochs);
  // Such an end is a consequence: it was free because the cache was empty already.
  if (ended?.endedBy === "cold" && isIdle(facts)) return "idle";
  if (ended !== undefined) return "epoch-ended";
  if (differs !== undefined && (resent > 0 || facts.continues !== undefined))
    return "messages-changed";
  return isIdle(facts) ? "idle" : "provider";
}

/** Returns the epoch of a call, if another one ended before it. */
function endedEpoch([before, now]: MissFacts["epochs"]): EpochPlace | undefined {
  return now !== undefined && before?.number !== now.number ? now : undefined;
}

/** Whether the provider has dropped the prompt of the call before because nothing was sent for too long. */
function isIdle({ sentAt: [before, now], models }: MissFacts): boolean {
  const lifetime = lifetimeOf(models[1]);
  return (
    before !== undefined && now !== undefined && lifetime !== undefined && now - before > lifetime
  );
}

function textOf(reason: MissReason, facts: MissFacts): string {
  const { models, epochs, sentAt, usage, differs } = facts;
  switch (reason) {
    case "model-switched": {
      const switched = `The model changed from ${models[0]} to ${models[1]}, and each model has its own cache.`;
      return withEpoch(switched, facts);
    }
    case "system-prompt":
      return `The system prompt changed (${facts.changedPrompts.join(", ")}), so nothing after it could be read from the cache.`;
    case "epoch-ended":
      return `${epochText(epochs[1], facts.nameOf)}${unreadText(facts)}`;
    case "messages-changed": {
      const from = `The messages are others from message ${differs?.message} on`;
      return facts.continues === undefined
        ? `${from}, which was ${differs?.what}.`
        : `The user went back, and the session continued from call ${facts.continues}. ${from}.`;
    }
    case "idle": {
      const pause = `Nothing was sent for ${duration((sentAt[1] ?? 0) - (sentAt[0] ?? 0))}, and the provider keeps unused text for ${duration(lifetimeOf(models[1]) ?? 0)}.`;
      return withEpoch(pause, facts);
    }
    case "never-called":
    case "provider":
      return usage === undefined
        ? "The messages begin with those of the call before, but the cache was estimated to be empty."
        : `The messages begin with those of the call before, but the provider read only ${grouped(usage.cacheRead)} of ${grouped(promptOf(usage))} tokens from its cache.`;
  }
}

/** Adds the end of an epoch to a reason that came before it. */
function withEpoch(reason: string, { epochs, nameOf }: MissFacts): string {
  const ended = endedEpoch(epochs);
  return ended === undefined ? reason : `${reason} ${epochText(ended, nameOf)}`;
}

/** Says that text before the first change was billed again too. */
function unreadText({ usage, unchanged }: MissFacts): string {
  const read = usage?.cacheRead;
  if (read === undefined || unchanged - read < least.tokens) return "";
  return ` The provider read only ${grouped(read)} tokens from its cache, although about ${grouped(Math.round(unchanged))} before the first change are the same.`;
}

/** Number of removed contents that a sentence names. */
const mostNamed = 5;

function epochText(epoch: EpochPlace | undefined, nameOf: (handle: string) => string): string {
  const { number = 1, endedBy, left = [] } = epoch ?? {};
  const cause = endedBy === undefined ? "" : ` because ${epochEndReason(endedBy)}`;
  const named = left.slice(0, mostNamed).map((key) => {
    const [handle = "", ...rest] = key.split("/");
    const name = nameOf(handle);
    const what = name === "" ? handle : `${handle} (${name})`;
    return rest.length === 0 ? what : `arguments of ${what}`;
  });
  const more = left.length - named.length;
  const all = more > 0 ? [...named, `${more} more`] : named;
  const list =
    all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1) ?? ""}`;
  const what = list === "" ? "The view was arranged again" : `Removed from the view: ${list}`;
  return `Epoch ${number - 1} ended${cause}. ${what}. What follows the first change was billed again.`;
}

/** Returns how long the provider keeps the prompts of a model, in milliseconds; undefined if time does not end that. */
function lifetimeOf(model: string | undefined): number | undefined {
  return model === undefined ? undefined : profileOf(model).lifetime;
}

/** Writes a number with a comma before each three digits: 24,842. */
function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ",");
}
