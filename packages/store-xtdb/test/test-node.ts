import { afterAll } from "vitest";

import { lacking } from "./node/tools-at-hand.ts";
import { joinSharedNode } from "./shared-node.ts";

/** A node for the tests of a file, or the tools that this machine lacks for one. */
export type TestNode =
  | { readonly url: string; readonly token: string }
  | { readonly missing: string };

/** Returns the node that the tests share. In CI a missing tool is a failure. */
export async function testNode(): Promise<TestNode> {
  const missing = missingTools();
  if (missing !== undefined) return { missing };
  const node = await joinSharedNode();
  afterAll(async () => await node.leave());
  return node;
}

/** Returns a text about the tools that this machine lacks for a node; undefined if it has all. Throws in CI instead. */
export function missingTools(): string | undefined {
  if (lacking !== undefined && process.env["CI"] !== undefined) throw new Error(lacking);
  return lacking;
}
