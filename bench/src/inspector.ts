// What does the inspector cost?
//
// `timeline`: the time to read the timeline of a session from its SQLite file, divided by the time to read the same
// versions of its view and its session in order and to do nothing with them. Both are alternated, each with a newly
// opened store, and the medians are divided. `processor` is the time of all threads of the process, garbage collection
// included; it depends less on other programs. `next` is the time to read the timeline again after it was read.
import { epochLayout, pooledLayout } from "@self-context-manager/core";
import { timelineReader } from "@self-context-manager/core/inspect";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { storeLongSession } from "./long-session.ts";
import { median, report, rounded } from "./report.ts";

const sessions = [
  { calls: 500, objects: 400, aimMilliseconds: 300 },
  { calls: 5_000, objects: 500, aimMilliseconds: 1_000 },
] as const;

/** Number of readings of each kind. */
const rounds = 5;

const host = { harness: "bench", sessionId: "bench" };
const layouts = [epochLayout(), pooledLayout];

const timeline: Record<string, unknown>[] = [];
for (const { calls, objects, aimMilliseconds } of sessions) {
  const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
  const path = join(folder, "store.sqlite");
  await storeLongSession(path, calls, objects);
  const plain: number[] = [];
  const whole: number[] = [];
  const next: number[] = [];
  const processor: number[] = [];
  let last: Timed | undefined;
  for (let round = 0; round < rounds; round += 1) {
    plain.push(await readPlainly(path));
    last = await readTimeline(path);
    whole.push(last.whole);
    next.push(last.next);
    processor.push(last.processor);
  }
  rmSync(folder, { recursive: true });
  timeline.push({
    calls: last?.calls,
    parts: last?.parts,
    plainMilliseconds: rounded(median(plain)),
    milliseconds: rounded(median(whole)),
    aimMilliseconds,
    firstMilliseconds: rounded(whole[0] ?? Number.NaN),
    processorMilliseconds: rounded(median(processor)),
    ratio: rounded(median(whole) / median(plain)),
    aimRatio: 2,
    nextMilliseconds: rounded(median(next)),
    jsonBytes: last?.bytes,
  });
}
report("inspector", { timeline });

async function readPlainly(path: string): Promise<number> {
  await using store = await openSqliteStore({ path });
  const start = performance.now();
  let rows = 0;
  for (const type of ["view", "session"]) {
    const [found] = (await store.find({ where: { type } })).items;
    if (found === undefined) throw new Error(`the store has no ${type}`);
    for await (const { version } of store.versions(found.body.id)) rows += version;
  }
  if (rows === 0) throw new Error("nothing was read");
  return performance.now() - start;
}

interface Timed {
  readonly whole: number;
  readonly processor: number;
  readonly next: number;
  readonly calls: number;
  readonly parts: number;
  readonly bytes: number;
}

async function readTimeline(path: string): Promise<Timed> {
  await using store = await openSqliteStore({ path });
  const reader = timelineReader(store, layouts);
  const used = process.cpuUsage();
  const start = performance.now();
  const read = await reader.read(host);
  const whole = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  const again = performance.now();
  await reader.read(host, { after: (read?.calls.length ?? 1) - 1 });
  const next = performance.now() - again;
  if (read === undefined) throw new Error("there is no session");
  return {
    whole,
    processor: (user + system) / 1_000,
    next,
    calls: read.calls.length,
    parts: read.parts.length,
    bytes: JSON.stringify(read).length,
  };
}
