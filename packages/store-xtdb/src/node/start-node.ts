import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { runningNode, untilReady } from "./ask-node.ts";
import { checkEngine, type DataFolder, dataFolderOf } from "./data-folder.ts";
import { withFolderLock } from "./folder-lock.ts";
import { type NodeMemory, startJvm, untilListening } from "./jvm.ts";
import { nodeConfig, type NodeStorage } from "./node-config.ts";
import { NodeDeath, NodeError } from "./node-error.ts";
import { type PrepareOptions, prepareNode } from "./prepare-node.ts";
import { presenceAt, setKept } from "./presence.ts";
import { endProcess } from "./processes.ts";
import type { NodeAccess, RunFacts } from "./run-file.ts";
import { writeToken } from "./token.ts";

/** The options for building and running a node. */
export interface NodeOptions extends PrepareOptions {
  /** The folder for the node's data. If it is missing, it is created for this user only. */
  readonly dataFolder: string;
  /** The port of the node. Default: 0, which takes a free port. */
  readonly port?: number | undefined;
  /**
   * The token that every request must have, of at least 32 characters. Default: a new random one at each start. It is in
   * the file `token` of the data folder.
   */
  readonly token?: string | undefined;
  /** The storage of transactions and documents. Default: SQLite in the data folder. */
  readonly storage?: NodeStorage | undefined;
  /** The folder of the index. The word `memory` keeps the index in memory, for tests. Default: in the data folder. */
  readonly indexFolder?: string | undefined;
  /** Whether to use XTDB's own log, which sees its own writes after up to 100 ms, for measurements. Default: false. */
  readonly plainTxLog?: boolean | undefined;
  readonly memory?: NodeMemory | undefined;
  /** Whether the node starts faster and its answers stay slower, for tests. Default: false. */
  readonly quick?: boolean | undefined;
  /** Whether clients may evict, which removes a document and its history permanently. Default: false. */
  readonly allowEvict?: boolean | undefined;
  /** Milliseconds that the node keeps running without users. Default: 5,000. */
  readonly linger?: number | undefined;
  /** Milliseconds to wait until the node has caught up with its log. Default: 120,000. */
  readonly readyTimeout?: number | undefined;
}

export interface StartNodeOptions extends NodeOptions {
  /** Whether the node keeps running when this process ends, until `stopNode`. Default: false. */
  readonly detached?: boolean | undefined;
}

/** A node that this process started. */
export interface StartedNode extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** The token that every request must have. */
  readonly token: string;
  /** Ends the node, even if other processes use it, and waits until it has ended. */
  stop(): Promise<void>;
}

/** Longest waits in milliseconds. A start takes seconds; the time to index the log depends on its length. */
const lockMilliseconds = 120_000;
const readyMilliseconds = 120_000;
/** Maximum number of starts of a node. A node that ended this often does not end by accident; the error is reported. */
const mostStarts = 4;

/**
 * Milliseconds before the second start; longer before the next ones. The node of a process that was killed holds the lock
 * of the index until it has noticed this.
 */
const startPause = 500;

/**
 * Starts a node on a data folder without a running node, and waits until it has indexed its log. A node that is not
 * `detached` stops by itself after this process has ended. Rejects with a `NodeError`; its code is `NODE_RUNNING` if a
 * node runs already.
 */
export async function startNode(options: StartNodeOptions): Promise<StartedNode> {
  const data = dataFolderOf(resolve(options.dataFolder));
  const presence = presenceAt(data);
  await presence.announce();
  try {
    if (options.detached === true) await setKept(data, true);
    const facts = await launchReady(data, options, (found) => {
      throw new NodeError(
        "NODE_RUNNING",
        `a node already runs on ${data.folder} (process ${found.pid}, ${found.url}); join it, or stop it first`,
      );
    });
    if (options.detached === true) await presence.withdraw();
    const stop = async (): Promise<void> => {
      await presence.withdraw();
      await setKept(data, false);
      await endNode(data, facts);
    };
    const { url, pid, token } = facts;
    return { url, pid, token, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await presence.withdraw();
    throw error;
  }
}

/**
 * Returns the node of a data folder after it has indexed its log, and starts the node if none runs. A node that ends in
 * the meantime is started again a few times, so that one kill does not fail all processes that wait for it.
 */
export async function launchReady(
  data: DataFolder,
  options: NodeOptions,
  found: (facts: RunFacts) => void = () => {},
): Promise<NodeAccess> {
  const budget = options.readyTimeout ?? readyMilliseconds;
  const end = Date.now() + budget;
  for (let starts = 1; ; starts += 1) {
    try {
      const { facts, isNew } = await launch(data, options);
      if (!isNew) found(facts);
      await untilReady(facts, data, budget, options.signal);
      return facts;
    } catch (error) {
      if (!(error instanceof NodeDeath)) throw error;
      if (starts < mostStarts && Date.now() < end) {
        await delay(starts * startPause);
        continue;
      }
      throw new NodeError(
        "START_FAILED",
        `${error.message}\nThe node was started ${starts} times and ended each time`,
        { cause: error },
      );
    }
  }
}

/** Returns the running node or starts one. Only one process starts it. A node that has stopped indexing is restarted. */
async function launch(
  data: DataFolder,
  options: NodeOptions,
): Promise<{ readonly facts: NodeAccess; readonly isNew: boolean }> {
  const found = await runningNode(data);
  if (found?.hasFailed === false) return { facts: found.facts, isNew: false };
  const artefacts = await prepareNode(options);
  const lock = { wait: lockMilliseconds, signal: options.signal };
  return await withFolderLock(data.folder, lock, async () => {
    const running = await runningNode(data);
    if (running?.hasFailed === false) return { facts: running.facts, isNew: false };
    if (running !== undefined) await endNode(data, running.facts);
    const storage = options.storage ?? { kind: "sqlite" };
    await checkEngine(data, {
      format: 1,
      engine: "xtdb",
      version: artefacts.engine,
      storage: storage.kind,
    });
    // Java would create the database with the usual permissions, and other users could read it in some folders.
    if (storage.kind === "sqlite") await (await open(data.database, "a", 0o600)).close();
    const instance = randomUUID();
    await writeToken(data, options.token);
    await writeConfig(data, storage, instance, options);
    await rm(data.runFile, { force: true });
    const jvm = await startJvm(artefacts, data, {
      memory: options.memory ?? {},
      quick: options.quick ?? false,
    });
    return { facts: await untilListening(jvm, data, instance, options.signal), isNew: true };
  });
}

async function writeConfig(
  data: DataFolder,
  storage: NodeStorage,
  instance: string,
  options: NodeOptions,
): Promise<void> {
  if (/[?%]/u.test(data.folder)) {
    throw new NodeError(
      "START_FAILED",
      `the data folder ${data.folder} has a ? or % in its name, which a database address cannot contain; choose another folder`,
    );
  }
  const { indexFolder = data.index } = options;
  if (indexFolder !== "memory") await mkdir(indexFolder, { recursive: true, mode: 0o700 });
  const text = nodeConfig({
    storage,
    database: data.database,
    indexFolder: indexFolder === "memory" ? undefined : resolve(indexFolder),
    plainTxLog: options.plainTxLog ?? false,
    port: options.port ?? 0,
    instance,
    runFile: data.runFile,
    tokenFile: data.token,
    presenceFolder: data.clients,
    linger: options.linger ?? 5000,
    allowEvict: options.allowEvict ?? false,
  });
  // The file can contain a password. A rename replaces a file that other users could read.
  const partial = `${data.config}.partial`;
  await writeFile(partial, text, { mode: 0o600 });
  await rename(partial, data.config);
}

/** Ends a node and removes its run file. */
async function endNode(data: DataFolder, { pid }: RunFacts): Promise<void> {
  await endProcess(pid);
  await rm(data.runFile, { force: true });
}

/** Ends the node of a data folder, even if processes use it. Returns whether a node was running. */
export async function stopNode(dataFolder: string): Promise<boolean> {
  const data = dataFolderOf(resolve(dataFolder));
  if (!existsSync(data.folder)) return false;
  return await withFolderLock(data.folder, { wait: lockMilliseconds }, async () => {
    await setKept(data, false);
    const running = await runningNode(data);
    if (running === undefined) return false;
    await endNode(data, running.facts);
    return true;
  });
}
