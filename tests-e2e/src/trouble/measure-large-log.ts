// What does it cost the process that runs Pi if a log of 40 MB, of which the model has read the head, grows ten times
// by 60 kB? Processor time and the largest memory, in plain Pi and with the extension on its defaults.

import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { adapterFolder } from "../managed-run.ts";
import { keepMeasured, rounded } from "../measured.ts";
import { openPiRpc } from "../pi-rpc.ts";
import { type PiVersion, everyPiVersion } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";
import { answersInOrder, say, use } from "./answers.ts";
import { numberedLines } from "./made-files.ts";
import { openProvider } from "./provider.ts";

const rounds = 10;
const growthPauseMs = 1_000;
const pidName = "pid.txt";

/** The kernel's unit of processor time on Linux. */
const ticksPerSecond = 100;

interface Cost {
  readonly processorSeconds: number;
  readonly largestMegabytes: number;
  readonly lastTokens: number;
}

async function cost(pi: PiVersion, isManaged: boolean): Promise<Cost> {
  const answers = answersInOrder();
  await using provider = await openProvider({
    api: "openai-completions",
    window: undefined,
    answer: async (request) => await answers.next(request),
  });
  await using workspace = await openPiWorkspace({
    model: provider.model,
    files: { "large.log": numberedLines("start", 400_000, 100) },
  });
  await using rpc = await openPiRpc({
    pi,
    workspace,
    extensions: isManaged ? [adapterFolder] : [],
    stepDeadlineMs: 120_000,
  });
  answers.add([
    // The shell's parent is the process that runs Pi.
    use(["bash", { command: `echo $PPID > ${pidName}` }]),
    use(["read", { path: "large.log", limit: 20 }]),
    say("read"),
  ]);
  await rpc.prompt("read the log");
  const process = (await readFile(join(workspace.workFolder, pidName), "utf8")).trim();
  const before = await processorSeconds(process);
  for (let round = 0; round < rounds; round += 1) {
    await appendFile(
      join(workspace.workFolder, "large.log"),
      numberedLines(`round ${round}`, 600, 100),
    );
    await pause(growthPauseMs);
    answers.add([say("it grows")]);
    await rpc.prompt(`round ${round}`);
  }
  return {
    processorSeconds: rounded((await processorSeconds(process)) - before),
    largestMegabytes: rounded(await largestMegabytes(process)),
    lastTokens: provider.requests.at(-1)?.tokens ?? 0,
  };
}

async function processorSeconds(process: string): Promise<number> {
  const fields = (await readFile(`/proc/${process}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

async function largestMegabytes(process: string): Promise<number> {
  const status = await readFile(`/proc/${process}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1]) / 1_024;
}

const results: Record<string, unknown> = {};
for (const pi of everyPiVersion) {
  results[pi.version] = { plain: await cost(pi, false), managed: await cost(pi, true) };
}
keepMeasured("pi-large-log", { rounds, growthPauseMs, releases: results });
