import {
  type ActivationPolicy,
  epochLayout,
  type Layout,
  openContextSession,
  pooledLayout,
  recentlyUsedPolicy,
  silentLogger,
  windowPolicy,
} from "@self-context-manager/core";

import { countedIds } from "../harness/driver/counted-ids.ts";
import type { OpenTriedSession } from "./history-session.ts";

/** The layouts to run histories with, by name. Their limits are small, so that short sessions reach them. */
export const triedLayouts: Readonly<
  Record<"epoch" | "pooled", { readonly layout: Layout; readonly policy: ActivationPolicy }>
> = {
  epoch: {
    layout: epochLayout({ small: 5, share: 0.1, shareAtTurn: 0.05 }),
    policy: recentlyUsedPolicy({ alive: 4, kept: 1 }),
  },
  pooled: { layout: pooledLayout, policy: windowPolicy() },
};

/**
 * Returns a function that opens sessions with a layout of `triedLayouts`. Default: `epoch`. Sessions that it opens have
 * different ids, so it can open several on one store.
 */
export function sessionsWith(name: keyof typeof triedLayouts = "epoch"): OpenTriedSession {
  const ids = countedIds();
  return async ({ store, files, workspace }, host) =>
    await openContextSession(
      {
        store,
        files,
        ids,
        logger: silentLogger,
        clock: { now: () => 1_700_000_000_000 },
        ...triedLayouts[name],
        workspace,
        readLimits: { lines: 2_000, characters: 50_000 },
      },
      host,
    );
}
