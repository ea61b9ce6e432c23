import { stat } from "node:fs/promises";
import { resolve } from "node:path";

import { ask, runningNode } from "./ask-node.ts";
import { type DataFolder, dataFolderOf, readEngine } from "./data-folder.ts";
import { presentAt } from "./presence.ts";
import type { NodeAccess } from "./run-file.ts";

/** The status of the node of a data folder. */
export interface NodeStatus {
  readonly dataFolder: string;
  /** `absent`: no node has ever run there. `failed`: it runs but has stopped indexing; joining restarts it. */
  readonly state: "absent" | "stopped" | "running" | "failed";
  readonly url?: string;
  readonly pid?: number;
  /** The version of XTDB that wrote the data. */
  readonly engine?: string;
  readonly storage?: "sqlite" | "postgres";
  /** The ids of the processes that use the node. */
  readonly users: readonly number[];
  /** Whether the node keeps running when no process uses it. */
  readonly kept: boolean;
  /** Size of the SQLite database in bytes; undefined without one. */
  readonly databaseBytes?: number;
  readonly latestTransaction?: number;
}

/** Returns the status of the node of a data folder without starting it. */
export async function nodeStatus(dataFolder: string): Promise<NodeStatus> {
  const data = dataFolderOf(resolve(dataFolder));
  const record = await readEngine(data);
  const { pids, kept } = await presentAt(data);
  const running = record === undefined ? undefined : await runningNode(data);
  const common = {
    dataFolder: data.folder,
    users: pids,
    kept,
    ...(record === undefined ? {} : { engine: record.version, storage: record.storage }),
    ...(await databaseBytes(data)),
  };
  if (running === undefined) {
    return { ...common, state: record === undefined ? "absent" : "stopped" };
  }
  const { facts, hasFailed } = running;
  const latestTransaction = await latestAt(facts);
  return {
    ...common,
    state: hasFailed ? "failed" : "running",
    url: facts.url,
    pid: facts.pid,
    // The set-up of the tests loads this file before anything is built, so it imports no other package.
    ...(latestTransaction === undefined ? {} : { latestTransaction }),
  };
}

async function latestAt(node: NodeAccess): Promise<number | undefined> {
  try {
    const latest = fieldOf((await ask(node, "/_xtdb/latest-completed-tx")).body, "txId");
    return typeof latest === "number" ? latest : undefined;
  } catch {
    // The node has ended since it was found. The rest of the status stays valid.
    return undefined;
  }
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === "object" && body !== null
    ? (body as Record<string, unknown>)[name]
    : undefined;
}

/** Returns the size of the database, including its write-ahead log, which contains the latest commits. */
async function databaseBytes(data: DataFolder): Promise<{ readonly databaseBytes?: number }> {
  const sizes = await Promise.all([data.database, `${data.database}-wal`].map(sizeOf));
  const [database] = sizes;
  if (database === undefined) return {};
  return { databaseBytes: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) };
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch {
    // The file does not exist.
    return undefined;
  }
}
