import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, renameSync, statSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import type { Artefacts } from "./artefacts.ts";
import type { DataFolder } from "./data-folder.ts";
import { NodeDeath, NodeError } from "./node-error.ts";
import { readRunFile, type RunFacts } from "./run-file.ts";
import { lastLines } from "./run-program.ts";

/** Megabytes that the Java machine may take for objects, and for buffers outside them. */
export interface NodeMemory {
  readonly heap?: number;
  readonly direct?: number;
}

export interface JvmOptions {
  readonly memory: NodeMemory;
  /** Compiles less: starts in less time and answers slower for good. For tests. */
  readonly quick: boolean;
  /** Writes the archive of classes to this file at the end, in place of reading one. */
  readonly archiveTo?: string;
}

/** Log files beyond this are set aside at the next start. */
const mostLogBytes = 5_000_000;
/** Unverified archives and cold disks included. */
const listenMilliseconds = 60_000;
const roundMilliseconds = 25;

/** A Java machine that was started. */
export interface Jvm {
  readonly process: ChildProcess;
  /** Bytes of the log that were there before. */
  readonly logStart: number;
}

/** Starts the Java machine on the configuration of a data folder. It goes on when this process ends. */
export async function startJvm(
  artefacts: Artefacts,
  data: DataFolder,
  options: JvmOptions,
): Promise<Jvm> {
  // What an earlier run that was killed left there, 20 MB each time.
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
    // An error without a listener would end this process; the wait for the node tells it.
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
  // From 24 on Java warns of what XTDB's libraries do.
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
    // SQLite's times are read in the zone of the machine.
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

/** What Java needs of the environment. Keys and tokens of an agent's are none of the node's business. */
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
  // RocksDB's threads would each take an arena of their own.
  return { ...Object.fromEntries(kept), MALLOC_ARENA_MAX: "2" };
}

/**
 * Waits until a started node listens. Rejects with `START_FAILED` and the end of its log, with a `NodeDeath` where
 * another start may do better.
 */
export async function untilListening(
  jvm: Jvm,
  data: DataFolder,
  instance: string,
  signal?: AbortSignal,
): Promise<RunFacts> {
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

/** By a signal, which Java tells as a code above 128 where it is asked to end. */
function wasKilled({ signalCode, exitCode }: ChildProcess): boolean {
  return signalCode !== null || (exitCode ?? 0) > 128;
}

/** Whether another node holds the index: one that is ending, or that a process started which has died. */
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
