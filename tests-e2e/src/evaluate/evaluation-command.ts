import {
  type LoopbackModel,
  openLoopbackModel,
  type Reply,
  toolCalls,
  type WireRequest,
} from "@self-context-manager/evaluate/loopback";
import { sha256 } from "@self-context-manager/objects";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { processesIn } from "../host-run.ts";
import { piInstallation, type PiVersion } from "../pi-versions.ts";

/** The key of the provider. Nothing else has this text. */
export const evaluationKey = "key-of-a-stranger-4711";

/** Dollars per million tokens. */
const prices = "3,15,0.3,3.75";

/** The ended command. */
export interface EndedCommand {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly process: ChildProcess;
  readonly ended: Promise<EndedCommand>;
}

/** A folder with tasks in which `scm evaluate` runs, and a server of a model. */
export interface EvaluationPlace extends AsyncDisposable {
  readonly folder: string;
  readonly model: LoopbackModel;
  /** Starts `scm evaluate` as a process of its own. */
  start(...given: readonly string[]): RunningCommand;
  /** Starts `scm evaluate run` with the model and the host. */
  startRun(results: string, ...given: readonly string[]): RunningCommand;
  /** The report of results without its times and the version. */
  report(results: string): Promise<unknown>;
  /** The processes that runs have started and that are still there. */
  processes(results: string): readonly string[];
  /** All files below the folder of results, by their paths. */
  filesIn(results: string): Promise<ReadonlyMap<string, string>>;
}

export interface EvaluationPlaceOptions {
  readonly pi: PiVersion;
  /** The number of tasks. Default: 1. */
  readonly tasks?: number;
  /** Default: it reads a file, starts a server that stays, writes the answer and says that it is done. */
  readonly script?: (request: WireRequest) => Reply;
}

/** Times, and what changes with each edit of a checkout. */
const changing: ReadonlySet<string> = new Set(["seconds", "version", "planHash"]);

const main = join(import.meta.dirname, "..", "..", "..", "packages", "cli", "src", "main.ts");

/** Opens a place for evaluations. Processes that still run are ended with it. */
export async function openEvaluationPlace(
  options: EvaluationPlaceOptions,
): Promise<EvaluationPlace> {
  await using stack = new AsyncDisposableStack();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "scm-evaluation-")));
  stack.defer(async () => await rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const model = stack.use(
    await openLoopbackModel({
      script: options.script ?? writesTheCode,
      // A cache would make a repeated run cheaper than the first one.
      cache: { bill: ([block]) => ({ input: block?.tokens ?? 0, read: 0, written: 0 }) },
    }),
  );
  for (let index = 1; index <= (options.tasks ?? 1); index += 1)
    await writeTask(join(folder, "tasks", `task-${index}`), index);
  const cli = piInstallation(options.pi).packageFolder;
  const running = new Set<RunningCommand>();
  stack.defer(async () => {
    for (const one of running) one.process.kill("SIGKILL");
    await Promise.all([...running].map(async ({ ended }) => await ended));
  });
  const start: EvaluationPlace["start"] = (...given) => {
    const command = startCommand(folder, given);
    running.add(command);
    return command;
  };
  const ofServer = ["--url", model.url, "--model", "m", "--window", "200000", "--prices", prices];
  const ofRuns = ["--tasks", "tasks", "--yes", "--host-path", cli];
  const common = [...ofServer, "--key-variable", "STRANGERS_KEY", ...ofRuns];
  const opened = stack.move();
  return {
    folder,
    model,
    start,
    startRun: (results, ...given) => start("run", results, ...common, ...given),
    report: async (results) => {
      const { code, stderr, stdout } = await start("report", results, "--json").ended;
      if (code !== 0) throw new Error(stderr);
      // A server of a test has another port each time, and is a part of the model's name.
      const text = stdout.replaceAll(/127\.0\.0\.1:\d+/gu, "SERVER");
      return JSON.parse(text, (key, value: unknown) => (changing.has(key) ? undefined : value));
    },
    // The temporary folder of a run has a name with this ending, and the processes have it in their environment.
    processes: (results) => processesIn(`-${sha256(join(folder, results)).slice(0, 8)}/`),
    filesIn: async (results) => await filesIn(join(folder, results)),
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}

function startCommand(folder: string, given: readonly string[]): RunningCommand {
  const child = spawn(
    process.execPath,
    ["--conditions=@self-context-manager/source", main, "evaluate", ...given],
    {
      cwd: folder,
      env: { ...process.env, STRANGERS_KEY: evaluationKey },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  const ended = new Promise<EndedCommand>((resolve) => {
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
  return { process: child, ended };
}

/** Decides by the request alone, so that a repeated run is the same and several runs can be answered at once. */
function writesTheCode({ messages }: WireRequest): Reply {
  const done = messages.filter(({ role }) => role === "tool").length;
  if (done === 0) return toolCalls(["c1", "read", { path: "code.txt" }]);
  if (done === 1) {
    const server = "setsid sleep 1000 >/dev/null 2>&1 &";
    return toolCalls(["c2", "bash", { command: `${server} cat code.txt > out.txt` }]);
  }
  return { type: "text", text: "It is done." };
}

async function writeTask(folder: string, index: number): Promise<void> {
  const code = String(4_000 + index);
  await mkdir(join(folder, "files"), { recursive: true });
  await writeFile(join(folder, "files", "code.txt"), `${code}\n`);
  const task = {
    name: `mine/copy-${index}`,
    title: "Copy a file.",
    steps: [{ type: "prompt", text: "Copy code.txt to out.txt." }],
    checks: [{ type: "file", name: "the copy", path: "out.txt", content: `${code}\n` }],
    limits: { calls: 10, minutes: 5 },
  };
  await writeFile(join(folder, "task.json"), JSON.stringify(task));
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(path, "latin1")] as const)),
  );
}
