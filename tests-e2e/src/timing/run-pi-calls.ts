// How much time does each store add between two model calls of a Pi session?
//
// The newest Pi runs through its SDK against a scripted model in this process. Each answer of the model reads a file or
// runs a command. The measured time is the one between the arrivals of two requests. Five variants take turns prompt by
// prompt: plain Pi, sessions on memory and on SQLite, and sessions on two XTDB nodes, one with this repository's log and
// one with XTDB's own. Needs Java and Maven; run it by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e pi-call-times
import { piExtension } from "@self-context-manager/adapter-pi";
import { startNode, type StartedNode } from "@self-context-manager/store-xtdb";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openLoopbackModel } from "../loopback-model.ts";
import { openIn } from "../managed-run.ts";
import { keepMeasured, median, rounded } from "../measured.ts";
import { openPiSdk } from "../pi-sdk.ts";
import { piVersions } from "../pi-versions.ts";
import { openPiWorkspace } from "../pi-workspace.ts";

const prompts = 12;
const callsOfPrompt = 10;
/** The number of prompts that are not counted, because programs and databases warm up first. */
const warmUp = 3;

const folder = await mkdtemp(join(tmpdir(), "scm-pi-calls-"));
await using waking = await startNode({ dataFolder: join(folder, "waking") });
await using plainLog = await startNode({ dataFolder: join(folder, "plain"), plainTxLog: true });

/** The environment variables of each variant. `undefined`: Pi without the extension. */
const variants: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = {
  none: undefined,
  memory: { SCM_STORE_KIND: "memory" },
  sqlite: { SCM_STORE_KIND: "sqlite" },
  xtdb: environmentOf(waking),
  xtdbPlainLog: environmentOf(plainLog),
};

const files = Object.fromEntries(
  Array.from({ length: 20 }, (_, number) => [
    `f${number}.txt`,
    `line of file ${number}\n`.repeat(60),
  ]),
);

interface Running extends AsyncDisposable {
  prompt(text: string): Promise<readonly number[]>;
}

const running = new Map<string, Running>();
const times = new Map<string, number[]>();
try {
  for (const [name, environment] of Object.entries(variants)) {
    running.set(name, await open(environment));
    times.set(name, []);
  }
  for (let prompt = 0; prompt < prompts; prompt += 1) {
    for (const [name, one] of running) {
      const gaps = await one.prompt(`work on part ${prompt}`);
      if (prompt >= warmUp) times.get(name)?.push(...gaps);
    }
  }
} finally {
  for (const one of running.values()) await one[Symbol.asyncDispose]();
  await waking.stop();
  await plainLog.stop();
  await rm(folder, { recursive: true, force: true });
}

const medians = new Map([...times].map(([name, gaps]) => [name, median(gaps)]));
const bare = medians.get("none") ?? Number.NaN;
keepMeasured("pi-call-times", {
  pi: piVersions.at(-1)?.version,
  callsEach: (prompts - warmUp) * (callsOfPrompt - 1),
  unit: "milliseconds from one model call to the next, median",
  between: Object.fromEntries([...medians].map(([name, value]) => [name, rounded(value)])),
  added: Object.fromEntries(
    [...medians]
      .filter(([name]) => name !== "none")
      .map(([name, value]) => [name, rounded(value - bare)]),
  ),
  aim: { xtdb: 40 },
});
process.exit();

function environmentOf({ url, token }: StartedNode): Readonly<Record<string, string>> {
  return { SCM_STORE_KIND: "xtdb", SCM_STORE: url, SCM_XTDB_TOKEN: token };
}

async function open(environment: Readonly<Record<string, string>> | undefined): Promise<Running> {
  const pi = piVersions.at(-1);
  if (pi === undefined) throw new Error("no release of Pi is installed");
  const arrivals: number[] = [];
  let asked = 0;
  const model = await openLoopbackModel({
    script: (_request, index) => {
      arrivals.push(performance.now());
      asked += 1;
      if (asked === callsOfPrompt) return { type: "text", text: "Done." };
      const id = `call_${index}`;
      const call =
        index % 3 === 2
          ? { id, name: "bash", arguments: { command: `echo ${index}; seq 40` } }
          : { id, name: "read", arguments: { path: `f${index % 20}.txt` } };
      return { type: "tool-calls", text: `Step ${index}.`, calls: [call] };
    },
  });
  const workspace = await openPiWorkspace({ model, files });
  const factories =
    environment === undefined ? [] : [piExtension({ openContext: openIn(workspace, environment) })];
  const sdk = await openPiSdk({ pi, workspace, factories, deadlineMs: 120_000 });
  return {
    async prompt(text) {
      arrivals.length = 0;
      asked = 0;
      await sdk.prompt(text);
      if (sdk.errors.length > 0) throw new Error(sdk.errors.join("\n"));
      return arrivals.slice(1).map((arrival, index) => arrival - (arrivals[index] ?? Number.NaN));
    },
    async [Symbol.asyncDispose]() {
      await sdk[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}
