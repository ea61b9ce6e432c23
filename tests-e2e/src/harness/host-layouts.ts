import { epochLayout, type Layout, pooledLayout } from "@self-context-manager/core";
import type { HostLayout } from "@self-context-manager/testkit";

/** The layouts of hosts, by the names that the laws use. */
export const hostLayouts: Readonly<Record<HostLayout, Layout>> = {
  epoch: epochLayout({ small: 0, deactivate: "immediate" }),
  pooled: pooledLayout,
};
