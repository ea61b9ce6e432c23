// How long do questions about single objects take in a store of 1,000 sessions and 1,000,000 versions, and how much memory
// do they need?
//
//   npm run dev -- exec pnpm --filter @self-context-manager/bench large-store make FOLDER [SESSIONS]
//   npm run dev -- exec pnpm --filter @self-context-manager/bench large-store ask FOLDER [OLD]
//   npm run dev -- exec pnpm --filter @self-context-manager/bench large-store read FOLDER [OLD]
//
// `make` makes the store with a seed, about 1,000 versions in each session. `ask` runs the built command `scm` of this checkout,
// and that of OLD, a built checkout of another commit, in turn: each question is a process of its own, which is ended after a
// minute. CPU time and memory are those of the whole process, so the start of the command alone is in the table too. No
// session has brought the indexes up to date; the index of notes is as the questions of this run, and of earlier ones, left it.
import { spawnSync } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { openSqliteStore } from "@self-context-manager/store-sqlite";

import { makeStore } from "./made-store.ts";
import { median, report, rounded } from "./report.ts";

const versionsOfSession = 1_000;
const rounds = 3;
const longest = 60_000;
const longestReading = 600_000;

/** Prints CPU time and memory of a process at its end. */
const usage = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => { const { user, system } = process.cpuUsage(); writeSync(2, `USAGE ${user + system} ${process.resourceUsage().maxRSS}`); });',
)}`;

/** What one run of the command needed. `seconds` is the CPU time; undefined if it was ended. */
interface Run {
  readonly seconds: number | undefined;
  readonly megabytes: number | undefined;
}

const [, , step, folder = "", given] = process.argv;
const at = join(resolve(folder), "store.sqlite");
if (step === "make") {
  const sessions = Number(given ?? 1_000);
  await makeStore(at, { sessions, versions: sessions * versionsOfSession }, (made) => {
    if (made % 50 === 0) console.log(`${made} of ${sessions} sessions`);
  });
} else if (step === "ask") await ask(given);
else if (step === "read") await read(given);
else throw new TypeError("give make, ask or read, and a folder");

async function ask(old: string | undefined): Promise<void> {
  const { call, versions, sessions } = await chosen();
  const questions: Readonly<Record<string, readonly string[]>> = {
    start: ["print", "--help"],
    show: ["show", call],
    print: ["print", call],
    history: ["history", call],
    links: ["links", call],
    findPath: ["find", "--path", "f3.ts", "--limit", "3"],
    findType: ["find", "--type", "toolcall", "--limit", "3"],
    findLiteral: ["find", "--literal", "const", "--limit", "3"],
  };
  const checkouts = checkoutsWith(old);
  const results: Record<string, unknown> = {};
  for (const [name, question] of Object.entries(questions)) {
    const runs: Record<string, Run[]> = {};
    for (let round = 0; round < rounds; round += 1) {
      for (const [checkout, path] of Object.entries(checkouts)) {
        const known = (runs[checkout] ??= []);
        // A question that takes too long is asked once.
        if (known.some(({ seconds }) => seconds === undefined)) continue;
        known.push(run(path, name === "start" ? question : [...question, "--at", at]));
      }
    }
    results[name] = Object.fromEntries(
      Object.entries(runs).map(([checkout, some]) => [checkout, summary(some)]),
    );
  }
  report("large-store", {
    unit: "CPU seconds and megabytes of the whole process, medians",
    sessions,
    versions,
    storeBytes: statSync(at).size,
    aims: { seconds: 0.5, megabytes: 200 },
    questions: results,
  });
}

/** Commands that read each version of the store once: their memory must not grow with the store. */
async function read(old: string | undefined): Promise<void> {
  const { versions, sessions } = await chosen();
  const commands: Readonly<Record<string, readonly string[]>> = {
    findAbsentLiteral: ["find", "--literal", "zzqqy"],
    findAbsentPath: ["find", "--path", "absent.ts"],
    export: ["export"],
  };
  const results: Record<string, unknown> = {};
  for (const [name, command] of Object.entries(commands))
    results[name] = Object.fromEntries(
      Object.entries(checkoutsWith(old)).map(([checkout, path]) => {
        const { seconds, megabytes } = run(path, [...command, "--at", at], longestReading);
        return [
          checkout,
          { seconds: rounded(seconds ?? NaN), megabytes: rounded(megabytes ?? NaN) },
        ];
      }),
    );
  report(`large-store-${sessions}`, {
    unit: "CPU seconds and megabytes of the whole process",
    sessions,
    versions,
    storeBytes: statSync(at).size,
    aims: { megabytes: 200 },
    commands: results,
  });
}

/** The checkouts whose command is measured. */
function checkoutsWith(old: string | undefined): Readonly<Record<string, string>> {
  const own = fileURLToPath(new URL("../..", import.meta.url));
  return { own, ...(old === undefined ? {} : { old: resolve(old) }) };
}

/** Returns a tool call of the store, and what the store has. The search index is removed, so that no run has it. */
async function chosen(): Promise<{ call: string; versions: number; sessions: number }> {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${at}.search${end}`, { force: true });
  await using store = await openSqliteStore({ path: at });
  const { items } = await store.find({ where: { type: "toolcall" }, limit: 500 });
  const { left = 0 } = await store.changesSince(undefined, { limit: 1, counts: true });
  let sessions = 0;
  for (let after: string | undefined, isLast = false; !isLast;) {
    const page = await store.find({
      where: { type: "session" },
      limit: 500,
      ...(after === undefined ? {} : { after }),
    });
    sessions += page.items.length;
    after = page.next;
    isLast = after === undefined;
  }
  return { call: items.at(-1)?.body.id ?? "", versions: left + 1, sessions };
}

function run(checkout: string, question: readonly string[], timeout = longest): Run {
  const program = join(checkout, "packages/cli/dist/main.js");
  const { stderr, status } = spawnSync(
    process.execPath,
    ["--import", usage, program, ...question],
    {
      encoding: "utf8",
      timeout,
      maxBuffer: 1e9,
    },
  );
  const [, microseconds, kilobytes] = /USAGE (\d+) (\d+)$/u.exec(stderr) ?? [];
  if (status === null || microseconds === undefined)
    return { seconds: undefined, megabytes: undefined };
  return { seconds: Number(microseconds) / 1e6, megabytes: Number(kilobytes) / 1e3 };
}

function summary(runs: readonly Run[]): unknown {
  const seconds = runs.flatMap((one) => one.seconds ?? []);
  if (seconds.length < runs.length) return `no answer in ${longest / 1_000} s`;
  const megabytes = runs.flatMap((one) => one.megabytes ?? []);
  return { seconds: rounded(median(seconds)), megabytes: rounded(median(megabytes)) };
}
