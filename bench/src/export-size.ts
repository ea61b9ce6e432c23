// How large is the export of a store, divided by the store's file, and how much memory do export, import and import with
// verification need?
//
// The stores: a session of 2,000 calls with a tool result each, the same with a result in one call of ten, and all SQLite
// stores of the folder after `--stores`, such as those of recorded sessions. The memory is the largest heap after a garbage
// collection, above that before the first version is read; it is looked at after each 500 versions. Each step is a
// separate process.
import { exportObjects, importObjects, verifyImport } from "@self-context-manager/objects";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { spawnSync } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { storeLongSession } from "./long-session.ts";
import { median, report, rounded } from "./report.ts";

const calls = 2_000;
const versionsApart = 500;

type Step = "export" | "import" | "verify";

interface Measured {
  readonly heap: number;
  readonly seconds: number;
}

const [, , step, at = "", file = ""] = process.argv;
if (step === "export" || step === "import" || step === "verify")
  console.log(JSON.stringify(await measured(step, at, file)));
else await compare();

async function measured(name: Step, path: string, lines: string): Promise<Measured> {
  await using store = await openSqliteStore({ path });
  const start = liveHeap();
  const began = performance.now();
  let heap = start;
  let versions = 0;
  const look = (): void => {
    versions += 1;
    if (versions % versionsApart === 0) heap = Math.max(heap, liveHeap());
  };
  if (name === "export") {
    const out = createWriteStream(lines);
    for await (const line of exportObjects(store)) {
      if (!out.write(line)) await once(out, "drain");
      look();
    }
    out.end();
    await once(out, "close");
  } else {
    const input = (): AsyncIterable<string> =>
      looked(createInterface({ input: createReadStream(lines) }), look);
    await (name === "import" ? importObjects(store, input) : verifyImport(store, input()));
  }
  return { heap: rounded((heap - start) / 1e6), seconds: (performance.now() - began) / 1e3 };
}

async function* looked(lines: AsyncIterable<string>, look: () => void): AsyncIterable<string> {
  for await (const line of lines) {
    look();
    yield line;
  }
}

function liveHeap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function compare(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "scm-bench-"));
  try {
    const long = join(folder, "long.sqlite");
    await storeLongSession(long, calls, calls);
    const quiet = join(folder, "quiet.sqlite");
    await storeLongSession(quiet, calls, calls / 10);
    report("export-size", {
      calls,
      resultInEachCall: await sizesOf(long, folder),
      resultInOneOfTen: await sizesOf(quiet, folder),
      ...(step === "--stores" ? { otherStores: await sizesIn(at, folder) } : {}),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function sizesOf(path: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  const lines = join(folder, "all.jsonl");
  const copy = join(folder, "copy.sqlite");
  const steps = {
    export: inProcess("export", path, lines),
    import: inProcess("import", copy, lines),
    verify: inProcess("verify", copy, lines),
  };
  await rm(copy, { force: true });
  return {
    exportOverStore: rounded((await stat(lines)).size / (await stat(path)).size),
    heapMegabytes: eachStep(steps, ({ heap }) => heap),
    timesOfExport: eachStep(steps, ({ seconds }) => rounded(seconds / steps.export.seconds)),
  };
}

/** Returns the share of the export of each store in a folder. */
async function sizesIn(stores: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  const lines = join(folder, "all.jsonl");
  const shares: number[] = [];
  for (const name of await readdir(stores)) {
    if (!name.endsWith(".sqlite")) continue;
    const path = join(stores, name);
    inProcess("export", path, lines);
    shares.push(rounded((await stat(lines)).size / (await stat(path)).size));
  }
  const exportOverStore = { median: rounded(median(shares)), largest: Math.max(...shares) };
  return { stores: shares.length, exportOverStore };
}

function eachStep(
  steps: Readonly<Record<Step, Measured>>,
  value: (measured: Measured) => number,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(steps).map(([name, one]) => [name, value(one)]));
}

function inProcess(name: Step, path: string, lines: string): Measured {
  const options = ["--expose-gc", "--conditions=@self-context-manager/source"];
  const self = fileURLToPath(import.meta.url);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...options, self, name, path, lines],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Measured;
}
