import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, renameSync, statSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import type { Artefacts } from "./artefacts.ts";
import type { DataFolder } from "./data-folder.ts";
import { NodeDeath, NodeError } from "./node-error.ts";
import { type NodeAccess, readRunFile } from "./run-file.ts";
import { lastLines } from "./run-program.ts";

/** Limits of Java's memory in megabytes: `heap` for objects, `direct` for other buffers. Default of each: 256. */
export interface NodeMemory {
  readonly heap?: number;
  readonly direct?: number;
}

export interface JvmOptions {
  readonly memory: NodeMemory;
  /** Whether Java optimizes less: it starts faster, and its answers stay slower. For tests. */
  readonly quick: boolean;
  /** The file to which Java writes the archive of classes when it ends; undefined uses an existing archive. */
  readonly archiveTo?: string;
}

/** Size in bytes above which the next start renames the log file. */
const mostLogBytes = 5_000_000;
/** Longest time until a node listens, even with an unverified archive on a cold disk. */
const listenMilliseconds = 60_000;
const roundMilliseconds = 25;

/** A Java process that was started. */
export interface Jvm {
  readonly process: ChildProcess;
  /** Size of the log in bytes before the start. */
  readonly logStart: number;
}

/** Starts Java with the configuration of a data folder. The process continues when this one ends. */
export async function startJvm(
  artefacts: Artefacts,
  data: DataFolder,
  options: JvmOptions,
): Promise<Jvm> {
  // Each killed run leaves 20 MB of files there.
  await rm(data.temporary, { recursive: true, force: true });
  await mkdir(data.temporary, { recursive: true, mode: 0o700 });
  if (existsSync(data.log) && statSync(data.log).size > mostLogBytes) {
    renameSync(data.log, `${data.log}.1`);
  }
  const logStart = existsSync(data.log) ? statSync(data.log).size : 0;
  const log = openSync(data.log, "a", 0o600);
  try {
    const child = spawn(artefacts.java.command, flags(artefacts, data, options), {
      cwd: data.folder,
      detached: true,
      stdio: ["ignore", log, log],
      env: environment(),
      windowsHide: true,
    });
    child.unref();
    // An error without a listener would end this process. `untilListening` reports the error.
    child.on("error", () => {});
    return { process: child, logStart };
  } finally {
    closeSync(log);
  }
}

function flags(
  artefacts: Artefacts,
  data: DataFolder,
  { memory, quick, archiveTo }: JvmOptions,
): readonly string[] {
  const archive =
    archiveTo !== undefined
      ? [`-XX:ArchiveClassesAtExit=${archiveTo}`]
      : artefacts.archive === undefined
        ? []
        : [`-XX:SharedArchiveFile=${artefacts.archive}`];
  // From version 24 on, Java prints warnings about XTDB's libraries.
  const quiet =
    artefacts.java.major >= 24
      ? ["--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"]
      : [];
  return [
    `-Xmx${memory.heap ?? 256}m`,
    `-XX:MaxDirectMemorySize=${memory.direct ?? 256}m`,
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    ...(quick ? ["-XX:TieredStopAtLevel=1"] : []),
    ...archive,
    ...quiet,
    // XTDB reads SQLite's times in the time zone of the process.
    "-Duser.timezone=UTC",
    `-Djava.io.tmpdir=${data.temporary}`,
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSS'Z'",
    "-cp",
    artefacts.classPath,
    "xtdb.main",
    "-f",
    data.config,
  ];
}

/** The environment variables that Java needs. The node does not get an agent's keys and tokens. */
const passedOn = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "TMPDIR",
  "TEMP",
  "TMP",
  "JAVA_TOOL_OPTIONS",
  "JDK_JAVA_OPTIONS",
  "SystemRoot",
  "USERPROFILE",
  "LD_LIBRARY_PATH",
];

function environment(): NodeJS.ProcessEnv {
  const kept = passedOn.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  // Without this limit each thread of RocksDB would allocate its own arena.
  return { ...Object.fromEntries(kept), MALLOC_ARENA_MAX: "2" };
}

/**
 * Waits until a started node listens. Rejects with `START_FAILED` and the end of the node's log, as a `NodeDeath` if
 * another start can succeed.
 */
export async function untilListening(
  jvm: Jvm,
  data: DataFolder,
  instance: string,
  signal?: AbortSignal,
): Promise<NodeAccess> {
  const { process: child } = jvm;
  const deadline = Date.now() + listenMilliseconds;
  let spawnError: unknown;
  child.on("error", (error) => (spawnError = error));
  for (;;) {
    const facts = await readRunFile(data);
    if (facts?.instance === instance) return facts;
    if (spawnError !== undefined || child.exitCode !== null || child.signalCode !== null) {
      const said = await saidSince(jvm, data);
      const message = `the node in ${data.folder} did not start. ${logEnd(data, said)}`;
      throw wasKilled(child) || isKeptFromIndex(said)
        ? new NodeDeath(message)
        : new NodeError("START_FAILED", message, { cause: spawnError });
    }
    if (Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new NodeError(
        "START_FAILED",
        `the node in ${data.folder} did not listen within ${listenMilliseconds / 1000} s. ${logEnd(data, await saidSince(jvm, data))}`,
      );
    }
    await sleep(roundMilliseconds, undefined, { signal });
  }
}

/** Whether a signal ended the process. If the signal asks Java to end, Java returns an exit code above 128. */
function wasKilled({ signalCode, exitCode }: ChildProcess): boolean {
  return signalCode !== null || (exitCode ?? 0) > 128;
}

/** Whether another node locks the index: a node that is ending, or one whose starter died before it was recorded. */
function isKeptFromIndex(said: string): boolean {
  return /lock file: .*\/LOCK\b/u.test(said);
}

async function saidSince({ logStart }: Jvm, data: DataFolder): Promise<string> {
  if (!existsSync(data.log)) return "";
  return (await readFile(data.log)).subarray(logStart).toString("utf8");
}

function logEnd(data: DataFolder, said: string): string {
  const errors = said.split("\n").filter((line) => !/^\s+at |^\s*\.\.\. \d+ more/u.test(line));
  return `The end of its log, ${data.log}:\n${lastLines(errors.join("\n"), 12)}`;
}
