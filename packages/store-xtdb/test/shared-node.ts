import { type JoinedNode, joinNode } from "../src/node/index.ts";

/** Milliseconds that the shared node waits for the next file of tests that uses it. */
const linger = 120_000;

/**
 * Joins the node that the tests of a run share; the first one starts it. The tests of a file use stores with names of
 * their own in its database, and leave it at their end.
 */
export async function joinSharedNode(): Promise<JoinedNode> {
  const dataFolder = process.env["SCM_SHARED_NODE"];
  if (dataFolder === undefined) throw new Error("global-setup.ts has not named the folder");
  return await joinNode({ dataFolder, quick: true, linger });
}
