import { setTimeout as sleep } from "node:timers/promises";

import type { DataFolder } from "./data-folder.ts";
import { NodeDeath, NodeError } from "./node-error.ts";
import { isAlive, untilGone } from "./processes.ts";
import { readRunFile, runFacts, type RunFacts } from "./run-file.ts";

const answerMilliseconds = 10_000;
const roundMilliseconds = 100;

/** An answer of the node as JSON. Rejects as `fetch` does where there is none. */
export async function ask(
  url: string,
  path: string,
  milliseconds: number = answerMilliseconds,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${url}${path}`, {
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(milliseconds),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

/** A node that was found, and whether it has given up indexing: then only a new start helps. */
export interface FoundNode {
  readonly facts: RunFacts;
  readonly hasFailed: boolean;
}

/**
 * The node that runs on a data folder, asked itself; undefined where none does. A file that was left behind counts for
 * nothing, nor does another server at its address, nor a node that ends while it is asked. Rejects with
 * `NODE_UNAVAILABLE` where the node does not answer.
 */
export async function runningNode(data: DataFolder): Promise<FoundNode | undefined> {
  const recorded = await readRunFile(data);
  if (recorded === undefined || !isAlive(recorded.pid)) return undefined;
  try {
    const { status, body } = await ask(recorded.url, "/_scm/node");
    if (status === 503) {
      await untilGone(recorded.pid, answerMilliseconds);
      return undefined;
    }
    if (runFacts(body)?.instance !== recorded.instance) return undefined;
    return { facts: recorded, hasFailed: await hasFailed(recorded.url) };
  } catch (cause) {
    // Nobody listens there: its process is another one by now, or about to end.
    if (!isTimeout(cause)) return undefined;
    throw new NodeError(
      "NODE_UNAVAILABLE",
      `the node in ${data.folder} (process ${recorded.pid}, ${recorded.url}) has not answered for ${answerMilliseconds / 1000} s; look into ${data.log}, or end that process`,
      { cause },
    );
  }
}

/** Whether the node has given up indexing; what waits for a transaction fails then, until it is started anew. */
async function hasFailed(url: string): Promise<boolean> {
  const { body } = await ask(url, "/_xtdb/status");
  return (
    typeof body === "object" &&
    body !== null &&
    "ingesterFailed?" in body &&
    body["ingesterFailed?"] === true
  );
}

/** Waits until the node has indexed all of its log. Rejects with `START_FAILED`, with a `NodeDeath` where it ended. */
export async function untilReady(
  { url, pid }: RunFacts,
  data: DataFolder,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const progress = await progressOf(url);
    if (progress === "ready") return;
    if (progress === "failed") {
      throw new NodeError(
        "START_FAILED",
        `the node in ${data.folder} has stopped indexing, mostly because the disk is full; look into ${data.log}. Its index can be deleted (${data.index}), it is built again from the database`,
      );
    }
    if (progress === "gone") {
      // One that has closed its door holds its index until it is gone.
      await untilGone(pid, answerMilliseconds);
      throw new NodeDeath(
        `the node in ${data.folder} ended while it caught up; look into ${data.log}`,
      );
    }
    if (Date.now() > deadline) {
      throw new NodeError(
        "START_FAILED",
        `the node in ${data.folder} has not caught up with its log within ${Math.round(milliseconds / 1000)} s; it goes on, try again later`,
      );
    }
    await sleep(roundMilliseconds, undefined, { signal });
  }
}

async function progressOf(url: string): Promise<"ready" | "behind" | "failed" | "gone"> {
  const wait = 5000;
  try {
    const { status } = await ask(url, `/_xtdb/sync?timeout=${wait}`, wait + answerMilliseconds);
    if (await hasFailed(url)) return "failed";
    return status === 200 ? "ready" : "behind";
  } catch (error) {
    // The caller tells why the node is waited for. A machine that is busy may take long to answer.
    return isTimeout(error) ? "behind" : "gone";
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
