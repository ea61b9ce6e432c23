import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { adapterFolder } from "../managed-run.ts";
import { openPiRpc } from "../pi-rpc.ts";
import type { PiVersion } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";
import { answersInOrder, say, use } from "./answers.ts";
import { numberedLines } from "./made-files.ts";
import { openProvider } from "./provider.ts";

const lineLength = 100;
const turns = 3;
const pidName = "pid.txt";
const noteSilence = fileURLToPath(new URL("extensions/note-silence.ts", import.meta.url));

/** What a `read` of 20 lines of a large file and the turns after it cost the process of Pi. */
export interface LargeRead {
  /** The longest times in which the process did one thing only, in milliseconds, longest first. */
  readonly silences: readonly number[];
  readonly largestMegabytes: number;
  readonly slowestPromptMs: number;
}

export interface LargeReadOptions {
  readonly pi: PiVersion;
  readonly megabytes: number;
  readonly isManaged: boolean;
  /** Milliseconds after each prompt, in which the derived indexes are made. */
  readonly pauseMs: number;
  /** Environment variables of the process with the extension. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Lets the model read the head of a log and then run commands, plain or with the extension on its defaults. */
export async function readLargeFile(options: LargeReadOptions): Promise<LargeRead> {
  const { pi, megabytes, isManaged, pauseMs, environment = {} } = options;
  const answers = answersInOrder();
  await using provider = await openProvider({
    api: "openai-completions",
    window: undefined,
    answer: async (request) => await answers.next(request),
  });
  await using workspace = await openPiWorkspace({
    model: provider.model,
    files: { "large.log": numberedLines("start", (megabytes * 1e6) / lineLength, lineLength) },
  });
  const log = join(workspace.agentFolder, "silence.jsonl");
  await using rpc = await openPiRpc({
    pi,
    workspace,
    extensions: [noteSilence, ...(isManaged ? [adapterFolder] : [])],
    environment: { SILENCE_LOG: log, ...(isManaged ? environment : {}) },
    stepDeadlineMs: 120_000,
  });
  const prompts: number[] = [];
  const prompt = async (text: string): Promise<void> => {
    const start = performance.now();
    await rpc.prompt(text);
    prompts.push(performance.now() - start);
    await pause(pauseMs);
  };
  // The shell's parent is the process that runs Pi.
  answers.add([use(["bash", { command: `echo $PPID > ${pidName}` }]), say("ready")]);
  await prompt("begin");
  const process = (await readFile(join(workspace.workFolder, pidName), "utf8")).trim();
  const begin = Date.now();
  prompts.length = 0;
  answers.add([use(["read", { path: "large.log", limit: 20 }]), say("read")]);
  await prompt("read the log");
  for (let turn = 0; turn < turns; turn += 1) {
    answers.add([use(["bash", { command: "echo 1" }]), say("done")]);
    await prompt(`turn ${turn}`);
  }
  const largestMegabytes = await largestOf(process);
  await rpc.close();
  return {
    silences: await silencesSince(log, begin),
    largestMegabytes: Math.round(largestMegabytes),
    slowestPromptMs: Math.round(Math.max(...prompts)),
  };
}

async function largestOf(process: string): Promise<number> {
  const status = await readFile(`/proc/${process}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1]) / 1_024;
}

async function silencesSince(log: string, begin: number): Promise<readonly number[]> {
  // A process that was never silent for long has no file.
  const notes = await readFile(log, "utf8").catch(() => "");
  return notes
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly end: number; readonly silence: number })
    .filter(({ end }) => end >= begin)
    .map(({ silence }) => Math.round(silence))
    .toSorted((one, other) => other - one);
}
