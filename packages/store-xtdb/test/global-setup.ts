import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { stopNode } from "../src/node/index.ts";

/**
 * Names the data folder of the node that the tests of a run share, and afterwards ends the node. The first test that
 * needs it starts it.
 */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "scm-xtdb-"));
  process.env["SCM_SHARED_NODE"] = join(folder, "data");
  return async () => {
    await stopNode(join(folder, "data"));
    await rm(folder, { recursive: true, force: true });
  };
}
