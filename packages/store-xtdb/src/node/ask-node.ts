import { setTimeout as sleep } from "node:timers/promises";

import type { DataFolder } from "./data-folder.ts";
import { NodeError } from "./node-error.ts";
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

/**
 * The node that runs on a data folder, asked itself; undefined where none does. A file that was left behind counts for
 * nothing, nor does another server at its address. Rejects with `NODE_UNAVAILABLE` where the node does not answer.
 */
export async function runningNode(data: DataFolder): Promise<RunFacts | undefined> {
  const told = await readRunFile(data);
  if (told === undefined || !isAlive(told.pid)) return undefined;
  let answer: Awaited<ReturnType<typeof ask>>;
  try {
    answer = await ask(told.url, "/_scm/node");
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== "TimeoutError") {
      // Nobody listens there: its process is another one by now, or about to end.
      return undefined;
    }
    throw new NodeError(
      "NODE_UNAVAILABLE",
      `the node in ${data.folder} (process ${told.pid}, ${told.url}) has not answered for ${answerMilliseconds / 1000} s; look into ${data.log}, or end that process`,
      { cause },
    );
  }
  if (answer.status === 503) {
    await untilGone(told.pid, answerMilliseconds);
    return undefined;
  }
  return runFacts(answer.body)?.instance === told.instance ? told : undefined;
}

/** Whether the node has given up indexing; what waits for a transaction fails then, until it is started anew. */
export async function hasFailed(url: string): Promise<boolean> {
  const { body } = await ask(url, "/_xtdb/status");
  return (
    typeof body === "object" &&
    body !== null &&
    "ingesterFailed?" in body &&
    body["ingesterFailed?"] === true
  );
}

/** Waits until the node has indexed all of its log. Rejects with `START_FAILED`. */
export async function untilReady(
  url: string,
  data: DataFolder,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + milliseconds;
  const wait = 5000;
  for (;;) {
    const isCaughtUp = await asked(async () => {
      const { status } = await ask(url, `/_xtdb/sync?timeout=${wait}`, wait + answerMilliseconds);
      return status === 200;
    });
    if (isCaughtUp === true && !(await hasFailed(url))) return;
    if (isCaughtUp === false && (await hasFailed(url))) {
      throw new NodeError(
        "START_FAILED",
        `the node in ${data.folder} has stopped indexing; look into ${data.log}. Its index can be deleted (${data.index}), it is built again from the database`,
      );
    }
    if (isCaughtUp === undefined || Date.now() > deadline) {
      throw new NodeError(
        "START_FAILED",
        isCaughtUp === undefined
          ? `the node in ${data.folder} ended while it caught up; look into ${data.log}`
          : `the node in ${data.folder} has not caught up with its log within ${Math.round(milliseconds / 1000)} s; it goes on, try again later`,
      );
    }
    await sleep(roundMilliseconds, undefined, { signal });
  }
}

/** Undefined where nobody answers. */
async function asked(question: () => Promise<boolean>): Promise<boolean | undefined> {
  try {
    return await question();
  } catch {
    // The caller tells why the node is waited for.
    return undefined;
  }
}
