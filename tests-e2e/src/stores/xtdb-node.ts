import { openXtdbStore, startNode } from "@self-context-manager/store-xtdb";
import type { CreatePlace } from "@self-context-manager/store-contract";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

// @boundaries-ignore The node is shared with the tests of its package.
import { joinSharedNode } from "../../../packages/store-xtdb/test/shared-node.ts";
import { clientsInTurn } from "./clients-in-turn.ts";

/**
 * Returns the programs that this machine lacks for an XTDB node, or `undefined`. Throws in CI, where no test may be
 * skipped.
 */
export function missingForXtdb(): string | undefined {
  const java = /^\S+ (\d+)/u.exec(outputOf("java", "--version"))?.[1];
  const missing = [
    ...(Number(java ?? 0) >= 17 ? [] : ["Java 17 or newer"]),
    ...(outputOf("mvn", "-version") === "" ? ["Maven"] : []),
  ];
  if (missing.length === 0) return undefined;
  const reason = `this machine lacks ${missing.join(" and ")}`;
  if (process.env["CI"] !== undefined) throw new Error(`no XTDB node: ${reason}`);
  console.warn(`SKIPPED: tests against a real XTDB node, because ${reason}`);
  return reason;
}

function outputOf(command: string, argument: string): string {
  const { stdout, status } = spawnSync(command, [argument], { encoding: "utf8" });
  return status === 0 ? stdout : "";
}

/** The address and the token of a node that disposal gives up. */
export interface TestNode extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
}

/** Returns the node that the tests of a run share. A test uses stores with names of their own in its database. */
export async function joinTestNode(): Promise<TestNode> {
  return await joinSharedNode();
}

/** Starts a node in a temporary folder for a test that must be alone in its database. Disposal removes the folder. */
export async function openTestNode(): Promise<TestNode> {
  const folder = await mkdtemp(join(tmpdir(), "scm-xtdb-"));
  const node = await startNode({ dataFolder: folder, quick: true });
  return {
    url: node.url,
    token: node.token,
    async [Symbol.asyncDispose]() {
      await node.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns places that are separately named stores in a node's database; their names begin with `kind`. Each store uses
 * two clients alternately.
 */
export function xtdbPlaces({ url, token }: TestNode, kind = "place"): CreatePlace {
  return async () => {
    made += 1;
    const common = { url, token, space: `${kind}-${process.pid}-${made}`, timeout: 60_000 };
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

let made = 0;
