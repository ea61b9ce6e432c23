// How much time does each store add between two model calls of a Pi session?
//
// The newest Pi runs through its SDK against a scripted model in this process. Each answer of the model reads a file or
// runs a command. The measured time is the one between the arrivals of two requests. The variants take turns prompt by
// prompt: plain Pi, sessions on memory and on SQLite, and sessions on two XTDB nodes, one with this repository's log and
// one with XTDB's own. With the path of another checkout, which must be built, there are also sessions on SQLite and XTDB with
// its code. Needs Java and Maven; run it by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e pi-call-times [CHECKOUT]
import { startNode, type StartedNode } from "@self-context-manager/store-xtdb";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { keepMeasured, median, rounded } from "../measured.ts";
import { piVersions } from "../pi-versions.ts";
import { otherCheckout } from "./other-checkout.ts";
import { callsOfPrompt, openRunningPi, type RunningPi } from "./running-pi.ts";

const prompts = 12;
/** The number of prompts that are not counted, because programs and databases warm up first. */
const warmUp = 3;

const folder = await mkdtemp(join(tmpdir(), "scm-pi-calls-"));
await using waking = await startNode({ dataFolder: join(folder, "waking") });
const other = await otherCheckout(process.argv[2]);
await using before = await other?.startNode({ dataFolder: join(folder, "before") });
await using plainLog = await startNode({ dataFolder: join(folder, "plain"), plainTxLog: true });

/** The extension of each variant. `undefined`: Pi without the extension. */
const variants: Readonly<Record<string, Parameters<typeof openRunningPi>[0]>> = {
  none: undefined,
  memory: { SCM_STORE_KIND: "memory" },
  sqlite: { SCM_STORE_KIND: "sqlite" },
  xtdb: environmentOf(waking),
  xtdbPlainLog: environmentOf(plainLog),
  ...(other === undefined || before === undefined
    ? {}
    : {
        sqliteBefore: other.extensionWith({ SCM_STORE_KIND: "sqlite" }),
        xtdbBefore: other.extensionWith(environmentOf(before)),
      }),
};

const running = new Map<string, RunningPi>();
const times = new Map<string, number[]>();
try {
  for (const [name, extension] of Object.entries(variants)) {
    running.set(name, await openRunningPi(extension));
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
  await before?.stop();
  await rm(folder, { recursive: true, force: true });
}

const medians = new Map([...times].map(([name, gaps]) => [name, median(gaps)]));
const bare = medians.get("none") ?? Number.NaN;
const addedBy = (name: string): number => (medians.get(name) ?? Number.NaN) - bare;
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
  ...(other === undefined
    ? {}
    : {
        before: other.commit,
        addedDividedByBefore: {
          sqlite: rounded(addedBy("sqlite") / addedBy("sqliteBefore")),
          xtdb: rounded(addedBy("xtdb") / addedBy("xtdbBefore")),
        },
      }),
  aim: { xtdb: 20 },
});
process.exit();

function environmentOf({
  url,
  token,
}: Pick<StartedNode, "url" | "token">): Readonly<Record<string, string>> {
  return { SCM_STORE_KIND: "xtdb", SCM_STORE: url, SCM_XTDB_TOKEN: token };
}
