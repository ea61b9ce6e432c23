import { StoreError } from "@self-context-manager/objects";

import { type JoinedNode, joinNode, type JoinNodeOptions, NodeError } from "./node/index.ts";
import { openXtdbStore, type XtdbStore, type XtdbStoreOptions } from "./open-xtdb-store.ts";

export type LocalXtdbStoreOptions = JoinNodeOptions &
  Omit<XtdbStoreOptions, "url" | "relocate" | "token">;

/**
 * Opens the store of this machine's node on a data folder. The node is started if it does not run, shared with other
 * processes, and started again after a crash. Disposal leaves the node. Rejects with `STORE_UNAVAILABLE` if the node
 * cannot be started, for example without Java.
 */
export async function openLocalXtdbStore(options: LocalXtdbStoreOptions): Promise<XtdbStore> {
  const node = await available(() => joinNode(options));
  try {
    const store = await openXtdbStore({
      ...options,
      url: node.url,
      token: node.token,
      relocate: async () => await node.ensure(),
    });
    return { ...store, [Symbol.asyncDispose]: () => close(store, node) };
  } catch (error) {
    await node.leave();
    throw error;
  }
}

async function close(store: XtdbStore, node: JoinedNode): Promise<void> {
  await store[Symbol.asyncDispose]();
  await node.leave();
}

async function available<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!NodeError.is(error)) throw error;
    throw new StoreError("STORE_UNAVAILABLE", error.message, { cause: error });
  }
}
