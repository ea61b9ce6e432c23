// How much CPU time do the checks of reads cost in a model call? Recorded sessions are run in full into a new SQLite
// store: each message is ingested and each view is made, as in the agent's work.
//
// `checked-reads OLD SESSION...` runs the sessions with this checkout and with OLD, a built checkout of another commit,
// in turn, each in a process of its own. The ratio is that of the sums of user and system time.
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { median, report, rounded } from "./report.ts";

const rounds = 5;

interface Run {
  readonly milliseconds: number;
  readonly calls: number;
}

const [, , given = "", ...sessions] = process.argv;
if (sessions.length === 0) throw new TypeError("give a built checkout and recorded sessions");
const own = fileURLToPath(new URL("../..", import.meta.url));
const other = resolve(given);

function run(checkout: string): Run {
  const program = fileURLToPath(new URL("./cpu-of-calls.ts", import.meta.url));
  const output = execFileSync(
    process.execPath,
    ["--conditions=@self-context-manager/source", program, checkout, ...sessions],
    { encoding: "utf8", cwd: join(checkout, "bench") },
  );
  return JSON.parse(output) as Run;
}

const present: Run[] = [];
const former: Run[] = [];
for (let round = 0; round < rounds; round += 1) {
  // Each is first in every other round.
  const order = round % 2 === 0 ? [own, other] : [other, own];
  for (const checkout of order) (checkout === own ? present : former).push(run(checkout));
}
const ratios = present.map((one, index) => one.milliseconds / (former[index]?.milliseconds ?? 1));
report("checked-reads", {
  unit: "milliseconds of CPU time per model call, median",
  sessions: sessions.length,
  calls: present[0]?.calls,
  own: perCall(present),
  other: perCall(former),
  ratios: ratios.map(rounded),
  ratio: rounded(median(ratios)),
  aim: 1.03,
});

function perCall(runs: readonly Run[]): number {
  return rounded(median(runs.map(({ milliseconds, calls }) => milliseconds / calls)));
}
