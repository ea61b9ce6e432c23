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
import { type LayoutKind, layoutKinds, uuidIds } from "@self-context-manager/compose";
import { memoryStore } from "@self-context-manager/store-memory";
import type { OpenTriedSession, StorePlace } from "@self-context-manager/testkit";

const clock = { now: () => 1_700_000_000_000 };

/** Returns a place with a memory store that survives closing, as a file does. */
export async function keptMemoryPlace(): Promise<StorePlace> {
  const store = memoryStore({ clock });
  return {
    open: async () => ({ ...store, async [Symbol.asyncDispose]() {} }),
    [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose](),
  };
}

/** The layouts under test, each with its policy. Their limits are small, so that short sessions reach them. */
export const triedLayouts: Readonly<
  Record<LayoutKind, { readonly layout: Layout; readonly policy: ActivationPolicy }>
> = {
  epoch: {
    layout: epochLayout({ small: 5, share: 0.1, shareAtTurn: 0.05 }),
    policy: recentlyUsedPolicy({ alive: 4, kept: 1 }),
  },
  pooled: { layout: pooledLayout, policy: windowPolicy() },
};

/** Opens sessions with a layout. Default: the context manager's default layout. The ids are new each time. */
export function sessionsWith(kind: LayoutKind = layoutKinds[0]): OpenTriedSession {
  const ids = uuidIds(clock);
  return async ({ store, files, workspace }, host) =>
    await openContextSession(
      {
        store,
        files,
        ids,
        logger: silentLogger,
        clock,
        ...triedLayouts[kind],
        workspace,
        readLimits: { lines: 2_000, characters: 50_000 },
      },
      host,
    );
}
