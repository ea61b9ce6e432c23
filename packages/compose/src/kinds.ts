/** The stores that can be asked for by name, the default first. */
export const storeKinds = ["sqlite", "xtdb", "memory"] as const;
export type StoreKind = (typeof storeKinds)[number];

/** The layouts that can be asked for by name, the default first. */
export const layoutKinds = ["pooled"] as const;
export type LayoutKind = (typeof layoutKinds)[number];

/** The one of some names that a text is, undefined for any other text. */
export function oneOf<Name extends string>(names: readonly Name[], text: string): Name | undefined {
  return names.find((name) => name === text);
}
