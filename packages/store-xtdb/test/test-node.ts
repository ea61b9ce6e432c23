import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

import { NodeError, type StartedNode, startNode } from "../src/index.ts";

/** A node for the tests of a file, or why this machine has none. */
export type TestNode = { readonly url: string } | { readonly missing: string };

const missingTools: ReadonlySet<string> = new Set([
  "JAVA_MISSING",
  "JAVA_TOO_OLD",
  "MAVEN_MISSING",
]);

/** Starts a node that ends with the tests of the file. In CI a machine without Java or Maven is a failure. */
export async function testNode(): Promise<TestNode> {
  const folder = await mkdtemp(join(tmpdir(), "scm-xtdb-"));
  let node: StartedNode | undefined;
  afterAll(async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  try {
    node = await startNode({ dataFolder: folder, indexFolder: "memory", quick: true });
    return { url: node.url };
  } catch (error) {
    if (process.env["CI"] !== undefined || !NodeError.is(error) || !missingTools.has(error.code))
      throw error;
    return { missing: error.message };
  }
}
