import { setTimeout as sleep } from "node:timers/promises";

import type { DataFolder } from "./data-folder.ts";
import { NodeDeath, NodeError } from "./node-error.ts";
import { isAlive, untilGone } from "./processes.ts";
import { type NodeAccess, readRunFile, runFacts } from "./run-file.ts";

const answerMilliseconds = 10_000;
const roundMilliseconds = 100;

/** Sends a GET request to the node and returns its answer as JSON. Rejects like `fetch` if there is no answer. */
export async function ask(
  { url, token }: Pick<NodeAccess, "url" | "token">,
  path: string,
  milliseconds: number = answerMilliseconds,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${url}${path}`, {
    headers: { accept: "application/json", authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(milliseconds),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

/** A running node, and whether it has stopped indexing. Only a restart helps then. */
export interface FoundNode {
  readonly facts: NodeAccess;
  readonly hasFailed: boolean;
}

/**
 * Returns the node that runs on a data folder, after it has answered; undefined if none runs. These do not count as a
 * node: the run file of a dead one, another server at its address, and a node that is stopping. Rejects with
 * `NODE_UNAVAILABLE` if the node does not answer in time, or refuses the token of the data folder.
 */
export async function runningNode(data: DataFolder): Promise<FoundNode | undefined> {
  const recorded = await readRunFile(data);
  if (recorded === undefined || !isAlive(recorded.pid)) return undefined;
  try {
    const { status, body } = await ask(recorded, "/_scm/node");
    if (status === 401) throw refused(data, recorded);
    if (status === 503) {
      await untilGone(recorded.pid, answerMilliseconds);
      return undefined;
    }
    if (runFacts(body)?.instance !== recorded.instance) return undefined;
    return { facts: recorded, hasFailed: await hasFailed(recorded) };
  } catch (cause) {
    if (NodeError.is(cause)) throw cause;
    // No server listens there: the process id belongs to another process now, or the node is about to end.
    if (!isTimeout(cause)) return undefined;
    throw new NodeError(
      "NODE_UNAVAILABLE",
      `the node in ${data.folder} (process ${recorded.pid}, ${recorded.url}) has not answered for ${answerMilliseconds / 1000} s; read ${data.log}, or end that process`,
      { cause },
    );
  }
}

/** Whether the node has stopped indexing. Requests that wait for a transaction then fail until it is restarted. */
async function hasFailed(node: NodeAccess): Promise<boolean> {
  const { body } = await ask(node, "/_xtdb/status");
  return (
    typeof body === "object" &&
    body !== null &&
    "ingesterFailed?" in body &&
    body["ingesterFailed?"] === true
  );
}

/** Waits until the node has indexed all of its log. Rejects with `START_FAILED`, as a `NodeDeath` if the node ended. */
export async function untilReady(
  node: NodeAccess,
  data: DataFolder,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const progress = await progressOf(node);
    if (progress === "ready") return;
    if (progress === "failed") {
      throw new NodeError(
        "START_FAILED",
        `the node in ${data.folder} has stopped indexing, mostly because the disk is full; read ${data.log}. Its index (${data.index}) can be deleted and is then built again from the database`,
      );
    }
    if (progress === "gone") {
      // A node that no longer listens locks its index until its process has ended.
      await untilGone(node.pid, answerMilliseconds);
      throw new NodeDeath(
        `the node in ${data.folder} ended before it had indexed its log; read ${data.log}`,
      );
    }
    if (Date.now() > deadline) {
      throw new NodeError(
        "START_FAILED",
        `the node in ${data.folder} has not indexed its log within ${Math.round(milliseconds / 1000)} s; it continues, so try again later`,
      );
    }
    await sleep(roundMilliseconds, undefined, { signal });
  }
}

async function progressOf(node: NodeAccess): Promise<"ready" | "behind" | "failed" | "gone"> {
  const wait = 5000;
  try {
    const { status } = await ask(node, `/_xtdb/sync?timeout=${wait}`, wait + answerMilliseconds);
    if (await hasFailed(node)) return "failed";
    return status === 200 ? "ready" : "behind";
  } catch (error) {
    // The caller limits the wait, so a slow answer of a busy machine is not a failure here.
    return isTimeout(error) ? "behind" : "gone";
  }
}

function refused(data: DataFolder, { pid, url }: NodeAccess): NodeError {
  return new NodeError(
    "NODE_UNAVAILABLE",
    `the process ${pid} at ${url} refuses the token in ${data.token}, so it is not the node of ${data.folder}, or the file was changed after its start; end that process, and the next start writes the file again`,
  );
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
