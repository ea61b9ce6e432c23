import {
  type ActivationPolicy,
  epochLayout,
  type Layout,
  namedSettings,
  pooledLayout,
  recentlyUsedPolicy,
  windowPolicy,
} from "@self-context-manager/core";

import type { Billing } from "../measure/billing.ts";
import { prefixTokens } from "../measure/tokens.ts";
import type { RecordedMessage } from "../read/recorded-session.ts";
import { countingPolicy, keepAllPolicy } from "./baseline-policies.ts";
import { collapse } from "./collapse.ts";
import { compactionHooks } from "./compaction.ts";
import { hindsight, hindsightPolicy } from "./hindsight.ts";
import { inlineLayout } from "./inline-layout.ts";
import type { RunHooks, SegmentSource } from "./session-run.ts";
import { turnSummaries } from "./turn-summaries.ts";

/** The names of the strategies, in the order of the report. */
export const strategyNames = [
  "append-only",
  "masking",
  "masking-batched",
  "clear-tool-uses",
  "clear-when-cold",
  "openclaw-pruning",
  "compaction",
  "provider-compaction",
  "compaction-50",
  "compaction-80",
  "collapse",
  "pooled",
  "epoch",
  "epoch-thrifty",
  "epoch-careful",
  "epoch-without-folds",
  "epoch-summaries",
  "epoch-results-only",
  "bound",
] as const;

export type StrategyName = (typeof strategyNames)[number];

/** The strategies that are measured under some price profiles only, because they are variants of others. */
type VariantName =
  | "clear-when-cold"
  | "openclaw-pruning"
  | "provider-compaction"
  | "compaction-50"
  | "compaction-80"
  | "collapse"
  | "epoch-thrifty"
  | "epoch-careful"
  | "epoch-without-folds"
  | "epoch-summaries";

/** A value of each strategy under one price profile. Variants have a value under some profiles. */
export type ByStrategy<Value> = Readonly<
  Record<Exclude<StrategyName, VariantName>, Value> & Partial<Record<VariantName, Value>>
>;

/** A policy, a layout and actions of a host, for one pass over a segment. */
export interface StrategyParts {
  readonly policy: ActivationPolicy;
  readonly layout: Layout;
  readonly hooks?: RunHooks;
}

/** A way to manage a context. */
export interface Strategy {
  readonly name: StrategyName;
  readonly billing: Billing;
  /** Whether the model has the context tools and their instruction; default: false. */
  readonly hasTools?: true;
  /** Whether its prompts depend on prices; if not, it runs once, and every profile bills this run. */
  readonly seesPrices: boolean;
  /** The price profiles under which it is measured; default: all. */
  readonly profiles?: readonly string[];
  parts(source: SegmentSource, rows: readonly RecordedMessage[]): StrategyParts;
}

/** Every strategy, in the order of the report. */
export const strategies: readonly Strategy[] = [
  {
    name: "append-only",
    billing: "to-the-end",
    seesPrices: false,
    parts: ({ counter }) => ({
      policy: keepAllPolicy(),
      layout: inlineLayout({ count: counter.count }),
    }),
  },
  counting("masking", "what-the-next-reads", (count) => count - 10),
  counting("masking-batched", "to-the-end", (count) => Math.floor(count / 20) * 20 - 10),
  {
    name: "clear-tool-uses",
    billing: "to-the-end",
    seesPrices: false,
    parts: ({ counter }) => ({
      policy: keepAllPolicy(),
      layout: inlineLayout({
        count: counter.count,
        clear: { base: prefixTokens, over: 100_000, atLeast: 10_000, keep: 3 },
      }),
    }),
  },
  {
    name: "clear-when-cold",
    billing: "to-the-end",
    seesPrices: true,
    profiles: ["A"],
    parts: ({ counter }) => ({
      policy: keepAllPolicy(),
      layout: inlineLayout({
        count: counter.count,
        clear: { base: prefixTokens, over: 0, atLeast: 1, keep: 10, onlyCold: true },
      }),
    }),
  },
  {
    name: "openclaw-pruning",
    billing: "to-the-end",
    seesPrices: true,
    profiles: ["A"],
    parts: ({ counter }) => ({
      policy: keepAllPolicy(),
      layout: inlineLayout({ count: counter.count, prunesCold: true }),
    }),
  },
  compaction("compaction", 120_000),
  {
    name: "provider-compaction",
    billing: "to-the-end",
    seesPrices: false,
    profiles: ["A"],
    parts: ({ counter }, rows) => ({
      policy: keepAllPolicy(),
      layout: inlineLayout({ count: counter.count }),
      hooks: compactionHooks(rows, { over: 150_000, keeps: 0, isProviders: true }),
    }),
  },
  compaction("compaction-50", 100_000),
  compaction("compaction-80", 160_000),
  {
    name: "collapse",
    billing: "to-the-end",
    seesPrices: false,
    profiles: ["A"],
    parts({ counter }, rows) {
      const { policy, hooks, summaryOf } = collapse(rows);
      return { policy, layout: inlineLayout({ count: counter.count, summaryOf }), hooks };
    },
  },
  {
    name: "pooled",
    billing: "what-the-next-reads",
    hasTools: true,
    seesPrices: false,
    parts: () => ({ policy: windowPolicy(), layout: pooledLayout }),
  },
  {
    name: "epoch",
    billing: "to-the-end",
    hasTools: true,
    seesPrices: true,
    parts: defaultParts,
  },
  named("thrifty"),
  named("careful"),
  {
    name: "epoch-without-folds",
    billing: "to-the-end",
    hasTools: true,
    seesPrices: true,
    profiles: ["A"],
    parts: () => ({ policy: recentlyUsedPolicy(), layout: epochLayout({ folds: undefined }) }),
  },
  {
    name: "epoch-summaries",
    billing: "to-the-end",
    hasTools: true,
    seesPrices: true,
    profiles: ["A"],
    parts: (_source, rows) => ({ ...defaultParts(), hooks: turnSummaries(rows) }),
  },
  {
    name: "epoch-results-only",
    billing: "to-the-end",
    hasTools: true,
    seesPrices: true,
    parts: () => ({
      policy: recentlyUsedPolicy(),
      layout: epochLayout({ largeArguments: undefined }),
    }),
  },
  {
    name: "bound",
    billing: "leaving-is-free",
    seesPrices: false,
    parts({ counter, evidence, stored }) {
      const known = hindsight(evidence, stored);
      return {
        policy: hindsightPolicy(known),
        layout: inlineLayout({
          count: counter.count,
          hidesArguments: (handle, call) => !known.needsArguments(handle, call),
        }),
      };
    },
  },
];

/** Whether a strategy is measured under a price profile. */
export function isMeasured(name: StrategyName, profile: string): boolean {
  const strategy = strategies.find((one) => one.name === name);
  return strategy?.profiles?.includes(profile) ?? strategy !== undefined;
}

/** The default policy and the default layout. */
export function defaultParts(): StrategyParts {
  return { policy: recentlyUsedPolicy(), layout: epochLayout() };
}

function named(setting: "thrifty" | "careful"): Strategy {
  const { policy, epochs } = namedSettings[setting];
  return {
    name: `epoch-${setting}`,
    billing: "to-the-end",
    hasTools: true,
    seesPrices: true,
    profiles: ["A"],
    parts: () => ({ policy: recentlyUsedPolicy(policy), layout: epochLayout(epochs) }),
  };
}

/** A host that summarises when a prompt exceeds a limit. */
function compaction(name: StrategyName, over: number): Strategy {
  return {
    name,
    billing: "to-the-end",
    seesPrices: false,
    ...(name === "compaction" ? {} : { profiles: ["A"] }),
    parts: ({ counter }, rows) => ({
      policy: keepAllPolicy(),
      layout: inlineLayout({ count: counter.count }),
      hooks: compactionHooks(rows, { over, keeps: 20_000 }),
    }),
  };
}

function counting(
  name: StrategyName,
  billing: Billing,
  leavingOf: (count: number) => number,
): Strategy {
  return {
    name,
    billing,
    seesPrices: false,
    parts({ counter }) {
      const { policy, onAsk } = countingPolicy(leavingOf);
      return { policy, layout: inlineLayout({ count: counter.count }), hooks: { onAsk } };
    },
  };
}
