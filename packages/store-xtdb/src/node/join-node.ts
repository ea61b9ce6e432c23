import { resolve } from "node:path";

import { dataFolderOf } from "./data-folder.ts";
import { presenceAt, setKept } from "./presence.ts";
import type { RunFacts } from "./run-file.ts";
import { launchReady, type NodeOptions } from "./start-node.ts";

export interface JoinNodeOptions extends NodeOptions {
  /** The node stays when the last has left, until `stopNode`. */
  readonly keep?: boolean | undefined;
}

/** A node that this process uses together with others. */
export interface JoinedNode extends AsyncDisposable {
  /** Where it listened when it was joined. */
  readonly url: string;
  readonly pid: number;
  /**
   * Makes sure that the node runs, and answers where: after a crash it is started anew, and listens elsewhere unless a
   * port was told.
   */
  ensure(): Promise<{ readonly url: string; readonly pid: number }>;
  /** Says that this process does not use it any more. The node stops by itself once nobody does. */
  leave(): Promise<void>;
}

/**
 * Joins the node of a data folder, and starts it where it does not run. The node watches the processes that joined: one
 * that dies without leaving is not counted any more. The options of a node that runs already stay as they are.
 */
export async function joinNode(options: JoinNodeOptions): Promise<JoinedNode> {
  const data = dataFolderOf(resolve(options.dataFolder));
  const presence = presenceAt(data);
  let hasLeft = false;
  let underWay: Promise<RunFacts> | undefined;

  async function run(): Promise<RunFacts> {
    // Before the node is asked: it decides to stop under the same lock that it answers under.
    await presence.announce();
    if (options.keep === true) await setKept(data, true);
    return await launchReady(data, options);
  }

  async function ensure(): Promise<RunFacts> {
    if (hasLeft) throw new TypeError("this process has left the node; join it again");
    underWay ??= run().finally(() => (underWay = undefined));
    return await underWay;
  }

  async function leave(): Promise<void> {
    hasLeft = true;
    await presence.withdraw();
  }

  try {
    const { url, pid } = await ensure();
    return { url, pid, ensure, leave, [Symbol.asyncDispose]: leave };
  } catch (error) {
    await leave();
    throw error;
  }
}
