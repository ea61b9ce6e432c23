import {
  type ActivationPolicy,
  type Layout,
  openContextSession,
  pooledLayout,
  silentLogger,
  windowPolicy,
} from "@self-context-manager/core";
import { uuidIds } from "@self-context-manager/compose";
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

/** Opens sessions with a layout and a policy; ids are new ones every time. */
export function sessionsWith(
  layout: Layout = pooledLayout,
  policy: ActivationPolicy = windowPolicy(),
): OpenTriedSession {
  const ids = uuidIds(clock);
  return async ({ store, files, workspace }, host) =>
    await openContextSession(
      {
        store,
        files,
        ids,
        logger: silentLogger,
        policy,
        layout,
        workspace,
        readLimits: { lines: 2_000, characters: 50_000 },
      },
      host,
    );
}
