import type { SecretsSetting } from "@self-context-manager/secrets";

/** The names of the stores, the default first. */
export const storeKinds = ["sqlite", "xtdb", "memory"] as const;
export type StoreKind = (typeof storeKinds)[number];

/** The names of the layouts, the default first. */
export const layoutKinds = ["epoch", "pooled"] as const;
export type LayoutKind = (typeof layoutKinds)[number];

/** The names of the policies, the default first. */
export const policyKinds = ["recently-used", "window"] as const;

/** The named settings of *recently used*, which keep more or less; the default first. */
export const recentlyUsedNames = ["default", "thrifty", "careful"] as const;
export type RecentlyUsedName = (typeof recentlyUsedNames)[number];

/** Whether the thinking of earlier turns leaves the view when an epoch ends, the default first. */
export const earlierThinkingWays = ["leaves", "stays"] as const;

/** Whether finished steps are folded when an epoch ends, the default first. */
export const foldWays = ["on", "off"] as const;

/**
 * What a model writes, the default first: nothing, a summary of each finished turn, or also a line for each long result of
 * a tool.
 */
export const summaryWays = ["off", "turns", "results"] as const;
export type SummaryWay = (typeof summaryWays)[number];

/** What happens to the secrets in texts that come in, the default first. */
export const secretsSettings: readonly [SecretsSetting, ...SecretsSetting[]] = [
  "mask",
  "keep",
  "off",
];

/** What happens when the model activates a file that no tool of the host has shown, the default first. */
export const activateUnreadWays = ["read", "ask"] as const;
export type ActivateUnread = (typeof activateUnreadWays)[number];

/** Among which objects the model finds and names some, the default first (decision D68). */
export const findInPlaces = ["workspace", "store"] as const;
export type FindIn = (typeof findInPlaces)[number];

/** Lowest limit of a user's long texts: below, the ends of a text and the line between them have as many tokens. */
export const leastLongText = 100;

/** The name that equals a text; undefined for any other text. */
export function oneOf<Name extends string>(names: readonly Name[], text: string): Name | undefined {
  return names.find((name) => name === text);
}
