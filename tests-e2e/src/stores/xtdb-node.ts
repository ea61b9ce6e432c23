import { openXtdbStore, type StartedNode, startNode } from "@self-context-manager/store-xtdb";
import { type CreatePlace, testScale } from "@self-context-manager/testkit";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { clientsInTurn } from "./clients-in-turn.ts";

/** What this machine lacks to run an XTDB node, undefined where it has all. Throws in CI, where nothing is skipped. */
export function missingForXtdb(): string | undefined {
  const java = /^\S+ (\d+)/u.exec(outputOf("java", "--version"))?.[1];
  const missing = [
    ...(Number(java ?? 0) >= 17 ? [] : ["Java 17 or newer"]),
    ...(outputOf("mvn", "-version") === "" ? ["Maven"] : []),
  ];
  if (missing.length === 0) return undefined;
  const told = `this machine lacks ${missing.join(" and ")}`;
  if (process.env["CI"] !== undefined) throw new Error(`no XTDB node: ${told}`);
  console.warn(`SKIPPED: tests against a real XTDB node, because ${told}`);
  return told;
}

function outputOf(command: string, argument: string): string {
  const { stdout, status } = spawnSync(command, [argument], { encoding: "utf8" });
  return status === 0 ? stdout : "";
}

/** A node in a temporary folder, which goes with it. Its index is on disk: a long run fills what the node has of memory. */
export async function openTestNode(): Promise<StartedNode> {
  const folder = await mkdtemp(join(tmpdir(), "scm-xtdb-"));
  const node = await startNode({ dataFolder: folder, quick: !testScale.isLong });
  return {
    ...node,
    async [Symbol.asyncDispose]() {
      await node.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Places that are stores of a name of their own in the database of a node, each with two clients in turn. */
export function xtdbPlaces({ url }: StartedNode): CreatePlace {
  let made = 0;
  return async () => {
    made += 1;
    const common = { url, space: `place-${made}`, timeout: 60_000 };
    return {
      open: async (options = {}) =>
        clientsInTurn(
          await openXtdbStore({ ...common, ...options }),
          await openXtdbStore({ ...common, ...options }),
        ),
      async [Symbol.asyncDispose]() {},
    };
  };
}
