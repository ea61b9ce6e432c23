import { memoryStore } from "@self-context-manager/store-memory";
import type { StorePlace } from "@self-context-manager/store-contract";

/** Returns a place with a memory store that survives closing, as a file does. */
export async function keptMemoryPlace(): Promise<StorePlace> {
  const store = memoryStore({ clock: { now: () => 1_700_000_000_000 } });
  return {
    open: async () => ({ ...store, async [Symbol.asyncDispose]() {} }),
    [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose](),
  };
}
