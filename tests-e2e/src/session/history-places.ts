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

/** A store in memory that outlasts its closing, as a file does. */
export async function keptMemoryPlace(): Promise<StorePlace> {
  const store = memoryStore({ clock });
  return {
    open: async () => ({ ...store, async [Symbol.asyncDispose]() {} }),
    [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose](),
  };
}

/** Sessions to try, by layout: with the policy that goes with it, made to work on little. */
export const triedLayouts: Readonly<
  Record<LayoutKind, { readonly layout: Layout; readonly policy: ActivationPolicy }>
> = {
  epoch: {
    layout: epochLayout({ small: 5, share: 0.1, shareAtTurn: 0.05 }),
    policy: recentlyUsedPolicy({ alive: 4, kept: 1 }),
  },
  pooled: { layout: pooledLayout, policy: windowPolicy() },
};

/** Opens sessions with a layout, the context manager's own unless told; ids are new ones every time. */
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
