import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

import { startNode } from "../src/index.ts";
import { lacking } from "./node/tools-at-hand.ts";

/** A node for the tests of a file, or the tools that this machine lacks for one. */
export type TestNode = { readonly url: string } | { readonly missing: string };

/**
 * Starts a node that ends with the tests of the file. Its index is in memory, unless it is `large`: then it would be larger
 * than the memory of the node. In CI a missing tool is a failure.
 */
export async function testNode({
  large = false,
}: { readonly large?: boolean } = {}): Promise<TestNode> {
  const missing = missingTools();
  if (missing !== undefined) return { missing };
  const folder = await mkdtemp(join(tmpdir(), "scm-xtdb-"));
  const node = await startNode({
    dataFolder: folder,
    quick: true,
    ...(large ? {} : { indexFolder: "memory" }),
  });
  afterAll(async () => {
    await node.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { url: node.url };
}

/** Returns a text about the tools that this machine lacks for a node; undefined if it has all. Throws in CI instead. */
export function missingTools(): string | undefined {
  if (lacking !== undefined && process.env["CI"] !== undefined) throw new Error(lacking);
  return lacking;
}
