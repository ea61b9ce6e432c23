// How much CPU time do marks for secrets cost in a model call, and how many lines of recorded sessions have a false alarm?
//
// `secrets SESSION...` runs every fifth session in full into new SQLite stores, with a mask and without one, in turn and in
// one process. `share` is the time within the mask, divided by all time of the calls. It is certain to a part of a percent.
// The ratio is that of the sums of user and system time, of the shortest run of each session. Secrets are removed from recordings before they are
// published, so each find is a false alarm.
import { storeMask } from "@self-context-manager/compose";
import type { TextMask } from "@self-context-manager/objects";
import { findSecrets } from "@self-context-manager/secrets";

import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { report, rounded } from "./report.ts";

interface Replay {
  readonly readSession: (file: string) => Promise<unknown>;
  readonly storeSession: (
    session: unknown,
    path: string,
    given: { readonly mask?: TextMask },
  ) => Promise<{ readonly times: readonly number[] } | undefined>;
}

/** The first round only warms up. */
const rounds = 4;

const sessions = process.argv.slice(2);
if (sessions.length === 0) throw new TypeError("give recorded sessions");
const replay = new URL("../../packages/replay/src/", import.meta.url).href;
const { readSession } = (await import(`${replay}read/read-session.ts`)) as Replay;
const { storeSession } = (await import(`${replay}strategies/replay-session.ts`)) as Replay;

let within = 0;
let whole = 0;

/** Returns the text that a call makes, and adds its time to that within the mask. */
function measured(work: () => string): string {
  const before = process.threadCpuUsage();
  const text = work();
  const { user, system } = process.threadCpuUsage(before);
  within += (user + system) / 1_000;
  return text;
}

function timed(mask: TextMask | undefined): TextMask | undefined {
  if (mask === undefined) return undefined;
  return {
    isHiding: mask.isHiding,
    hide: (text, onFound) => measured(() => mask.hide(text, onFound)),
    reveal: (text, onLost) => measured(() => mask.reveal(text, onLost)),
  };
}

const folder = await mkdtemp(join(tmpdir(), "scm-bench-"));
let runs = 0;

/** Returns the milliseconds and the number of the calls of a session. */
async function run(session: unknown, isMasked: boolean): Promise<readonly [number, number]> {
  runs += 1;
  const at = join(folder, `${runs}.sqlite`);
  const mask = isMasked ? timed(storeMask({ store: "sqlite", at }, {})) : undefined;
  const before = process.cpuUsage();
  const stored = await storeSession(session, at, mask === undefined ? {} : { mask });
  const { user, system } = process.cpuUsage(before);
  await rm(at);
  return [(user + system) / 1_000, stored?.times.length ?? 0];
}

/** The shortest time of each session: another program on the machine makes a run longer, and never shorter. */
const shortest = { masked: new Map<number, number>(), plain: new Map<number, number>() };

const read = await Promise.all(sessions.filter((_, index) => index % 5 === 0).map(readSession));
const ratios: number[] = [];
let calls = 0;
for (let round = 0; round < rounds; round += 1) {
  let [masked, plain] = [0, 0];
  calls = 0;
  for (const [index, session] of read.entries())
    for (const isMasked of (round + index) % 2 === 0 ? [true, false] : [false, true]) {
      const [milliseconds, count] = await run(session, isMasked);
      if (isMasked) whole += milliseconds;
      if (isMasked) masked += milliseconds;
      else plain += milliseconds;
      if (isMasked) calls += count;
      const known = shortest[isMasked ? "masked" : "plain"];
      if (round > 0) known.set(index, Math.min(milliseconds, known.get(index) ?? milliseconds));
    }
  if (round > 0) ratios.push(masked / plain);
}
await rm(folder, { recursive: true });

/** Returns the texts in a line of a recording. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const texts = sessions.flatMap((file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line) => textsIn(JSON.parse(line))),
);
const begin = process.cpuUsage();
const alarms = texts.reduce((sum, text) => sum + findSecrets(text).length, 0);
const { user, system } = process.cpuUsage(begin);
const characters = texts.reduce((sum, { length }) => sum + length, 0);
const [masked, plain] = [sumOf(shortest.masked), sumOf(shortest.plain)];
report("secrets", {
  unit: "milliseconds of CPU time per model call, shortest of each session",
  sessions: read.length,
  calls,
  masked: rounded(masked / calls),
  plain: rounded(plain / calls),
  ratiosOfRounds: ratios.map(rounded),
  ratio: rounded(masked / plain),
  share: rounded(within / whole),
  aim: 0.02,
  searchedSessions: sessions.length,
  lines: texts.reduce((sum, text) => sum + text.split("\n").length, 0),
  falseAlarms: alarms,
  millisecondsPerMillionCharacters: rounded((user + system) / 1_000 / (characters / 1e6)),
});

function sumOf(times: ReadonlyMap<number, number>): number {
  return [...times.values()].reduce((sum, one) => sum + one, 0);
}
