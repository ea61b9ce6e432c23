// How does the CPU time of a model call grow with the length of the list, and what was it in another checkout?
//
// `flat-calls OLD` runs calls-by-length.ts with this checkout and with OLD, a built checkout of another commit, in turn,
// each in a process of its own. Each call adds an assistant message and one tool result. `list` is the time of the pass
// over the host's whole list, `session` that of ingest and view, in one operation as every host does it. The longest list is measured once, with the store in
// memory. Times are sums of user and system time, so other work on the machine changes them less than wall time.
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { median, report, rounded } from "./report.ts";

interface Times {
  readonly first: number;
  readonly list: number;
  readonly session: number;
}

const [, , given = ""] = process.argv;
const own = fileURLToPath(new URL("../..", import.meta.url));
const checkouts = { own, other: resolve(given) };
const program = fileURLToPath(new URL("./calls-by-length.ts", import.meta.url));

function run(checkout: string, store: string, messages: number): Times {
  const output = execFileSync(
    process.execPath,
    ["--conditions=@self-context-manager/source", program, checkout, store, String(messages)],
    { encoding: "utf8", cwd: join(checkout, "bench") },
  );
  return JSON.parse(output) as Times;
}

const measured = [
  { store: "memory", lengths: [1_000, 10_000], rounds: 2 },
  { store: "sqlite", lengths: [1_000, 10_000], rounds: 2 },
  { store: "memory", lengths: [50_000], rounds: 1 },
];
const results: Record<string, Record<string, number>> = {};
const sessions = new Map<string, number>();
for (const { store, lengths, rounds } of measured)
  for (const messages of lengths) {
    const times: Record<keyof typeof checkouts, Times[]> = { own: [], other: [] };
    for (let round = 0; round < rounds; round += 1)
      for (const name of ["own", "other"] as const)
        times[name].push(run(checkouts[name], store, messages));
    const figure = (name: keyof typeof checkouts, of: (one: Times) => number): number =>
      rounded(median(times[name].map(of)));
    const session = (one: Times): number => one.session;
    sessions.set(`${store} ${messages}`, figure("own", session));
    results[`${store} ${messages}`] = {
      list: figure("own", ({ list }) => list),
      session: figure("own", session),
      first: figure("own", ({ first }) => first),
      otherList: figure("other", ({ list }) => list),
      otherSession: figure("other", session),
      otherFirst: figure("other", ({ first }) => first),
      ratio: rounded(figure("own", session) / figure("other", session)),
    };
  }

function growth(store: string, messages: number): number {
  const from = sessions.get(`${store} 1000`) ?? Number.NaN;
  return rounded((sessions.get(`${store} ${messages}`) ?? Number.NaN) / from);
}

report("flat-calls", {
  unit: "milliseconds of CPU time per model call",
  byMessages: results,
  growth: {
    "memory 10000 over 1000": { ratio: growth("memory", 10_000), aim: 1.5 },
    "sqlite 10000 over 1000": { ratio: growth("sqlite", 10_000), aim: 1.5 },
    "memory 50000 over 1000": { ratio: growth("memory", 50_000), aim: 2 },
  },
});
