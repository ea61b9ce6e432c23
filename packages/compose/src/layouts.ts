import {
  epochLayout,
  type EpochSettings,
  type Layout,
  pooledLayout,
} from "@self-context-manager/core";

import { type LayoutKind, layoutKinds } from "./kinds.ts";

/** The layouts by name. The settings apply to a layout with epochs. */
export const layouts: Readonly<Record<LayoutKind, (settings?: Partial<EpochSettings>) => Layout>> =
  {
    epoch: epochLayout,
    pooled: () => pooledLayout,
  };

/** Returns every layout with its default settings, so that past calls of any of them can be rebuilt. */
export function everyLayout(): readonly Layout[] {
  return layoutKinds.map((kind) => layouts[kind]());
}
