import { resolve } from "node:path";

import { dataFolderOf } from "./data-folder.ts";
import { presenceAt, setKept } from "./presence.ts";
import type { NodeAccess } from "./run-file.ts";
import { launchReady, type NodeOptions } from "./start-node.ts";

export interface JoinNodeOptions extends NodeOptions {
  /** Whether the node keeps running after the last process has left, until `stopNode`. Default: false. */
  readonly keep?: boolean | undefined;
}

/** A node that this process shares with other processes. */
export interface JoinedNode extends AsyncDisposable {
  /** The URL of the node when it was joined. */
  readonly url: string;
  readonly pid: number;
  /** The token that requests must have, when the node was joined. */
  readonly token: string;
  /**
   * Makes sure that the node runs, and returns its address. After a crash the node is started again. Then its port and
   * its token are others, except those that are configured.
   */
  ensure(): Promise<{ readonly url: string; readonly pid: number; readonly token: string }>;
  /** Ends this process's use of the node. The node stops by itself when no process uses it. */
  leave(): Promise<void>;
}

/**
 * Joins the node of a data folder, and starts the node if it does not run. The node watches the processes that joined it,
 * and a process that dies no longer counts. A node that runs already keeps its options.
 */
export async function joinNode(options: JoinNodeOptions): Promise<JoinedNode> {
  const data = dataFolderOf(resolve(options.dataFolder));
  const presence = presenceAt(data);
  let hasLeft = false;
  let underWay: Promise<NodeAccess> | undefined;

  async function run(): Promise<NodeAccess> {
    // Announced before the node is asked: the node answers and decides to stop under the same lock.
    await presence.announce();
    if (options.keep === true) await setKept(data, true);
    return await launchReady(data, options);
  }

  async function ensure(): Promise<NodeAccess> {
    if (hasLeft) throw new TypeError("this process has left the node; join it again");
    underWay ??= run().finally(() => (underWay = undefined));
    return await underWay;
  }

  async function leave(): Promise<void> {
    hasLeft = true;
    await presence.withdraw();
  }

  try {
    const { url, pid, token } = await ensure();
    return { url, pid, token, ensure, leave, [Symbol.asyncDispose]: leave };
  } catch (error) {
    await leave();
    throw error;
  }
}
