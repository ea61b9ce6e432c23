import type { CreatePlace } from "@self-context-manager/store-contract";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { openXtdbStore } from "../src/index.ts";
import { type StartedNode, startNode } from "../src/node/index.ts";
import { storedTexts } from "./node/stored-texts.ts";
import { temporaryFolder } from "./node/temporary-folder.ts";
import { childOf } from "./xtdb-place.ts";

/** A place with a node of its own, so that all that is in the node's files belongs to the place. */
export interface NodePlace extends Awaited<ReturnType<CreatePlace>> {
  /** The address of the node. */
  readonly address: { readonly url: string; readonly token: string };
  /** Ends the node, removes its index, and starts the node again, which makes the index from the database. */
  rebuildIndex(): Promise<void>;
}

/** Creates a place with a node of its own. */
export async function nodePlace(): Promise<NodePlace> {
  const held = new AsyncDisposableStack();
  const { path } = held.use(await temporaryFolder());
  let node: StartedNode = await startNode({ dataFolder: path, quick: true });
  held.defer(() => node.stop());
  const access = () => ({ url: node.url, token: node.token, space: "scm" });
  return {
    open: (options = {}) => openXtdbStore({ ...access(), timeout: 60_000, ...options }),
    get address() {
      return { url: node.url, token: node.token };
    },
    get child() {
      return childOf(access());
    },
    stored: () => storedTexts(path),
    async rebuildIndex() {
      await node.stop();
      await rm(join(path, "index"), { recursive: true });
      node = await startNode({ dataFolder: path, quick: true });
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
