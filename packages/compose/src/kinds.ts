/** The stores that can be asked for by name, the default first. */
export const storeKinds = ["sqlite", "xtdb", "memory"] as const;
export type StoreKind = (typeof storeKinds)[number];

/** The layouts that can be asked for by name, the default first. */
export const layoutKinds = ["epoch", "pooled"] as const;
export type LayoutKind = (typeof layoutKinds)[number];

/** The automatic policies that can be asked for by name, the default first. */
export const policyKinds = ["recently-used", "window"] as const;

/** How much *recently used* keeps, by name, the default first. */
export const recentlyUsedNames = ["default", "thrifty", "careful"] as const;
export type RecentlyUsedName = (typeof recentlyUsedNames)[number];

/** The one of some names that a text is, undefined for any other text. */
export function oneOf<Name extends string>(names: readonly Name[], text: string): Name | undefined {
  return names.find((name) => name === text);
}
