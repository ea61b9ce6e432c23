// How much slower is the SQLite store than `node:sqlite` itself, for the same inserts and for reading objects back?
//
// The writes of a session go through the store, and every statement that changes something is recorded. The bare side
// runs the recorded statements, with the same rows, bytes, transactions and durability. Both sides take turns, in
// blocks of calls, each with a separate file.
import type { ObjectId, ObjectStore } from "@self-context-manager/core";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, StatementSync } from "node:sqlite";

import { median, report, rounded } from "./report.ts";
import { type Call, sessionWrites } from "./store-session.ts";

interface Recorded {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

const calls = 500;
const rounds = 5;
const block = 25;
const session: readonly Call[] = [...sessionWrites(calls)];

const recording = recordWrites();
const commits: { readonly store: number; readonly bare: number }[] = [];
const gets: { readonly warm: number; readonly cold: number; readonly bare: number }[] = [];
let bytes = 0;
await compareCommits();
for (let round = 0; round < rounds; round += 1) commits.push(await compareCommits());
for (let round = 0; round < rounds; round += 1) gets.push(await compareGets());

const store = median(commits.map((one) => one.store));
const bare = median(commits.map((one) => one.bare));
const reads = {
  warm: median(gets.map((one) => one.warm)),
  cold: median(gets.map((one) => one.cold)),
  bare: median(gets.map((one) => one.bare)),
};
report("store-rates", {
  calls,
  commits: calls * 2,
  versions: calls * 3,
  rounds,
  commitOfCall: {
    storePerSecond: rounded((calls * 2000) / store),
    barePerSecond: rounded((calls * 2000) / bare),
    ratio: rounded(median(commits.map((one) => one.store / one.bare))),
    aim: 1.5,
  },
  get: {
    storePerSecond: rounded((calls * 1000) / reads.warm),
    storeFirstReadPerSecond: rounded((calls * 1000) / reads.cold),
    barePerSecond: rounded((calls * 1000) / reads.bare),
    ratio: rounded(reads.warm / reads.bare),
    firstReadRatio: rounded(reads.cold / reads.bare),
  },
  storeBytes: bytes,
});

async function compareCommits(): Promise<{ readonly store: number; readonly bare: number }> {
  const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
  const storePath = join(folder, "store.sqlite");
  try {
    const elapsed = { store: 0, bare: 0 };
    await using opened = await openSqliteStore({ path: storePath });
    using bareSide = openBare(join(folder, "bare.sqlite"), storePath);
    recording.start();
    for (let start = 0; start < calls; start += block) {
      const part = session.slice(start, start + block);
      const before = performance.now();
      for (const call of part) for (const writes of call) await opened.commit(writes);
      elapsed.store += performance.now() - before;
      elapsed.bare += bareSide.replay(recording.take());
    }
    recording.stop();
    bytes = statSync(storePath).size + statSync(`${storePath}-wal`).size;
    return elapsed;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compareGets(): Promise<{
  readonly warm: number;
  readonly cold: number;
  readonly bare: number;
}> {
  const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
  const path = join(folder, "store.sqlite");
  try {
    const written = await openSqliteStore({ path });
    for (const call of session) for (const writes of call) await written.commit(writes);
    await written[Symbol.asyncDispose]();
    const ids = session.flatMap((call) => call.flat()).map(({ object }) => object.body.id);
    const toolcalls = ids.filter((id) => id.startsWith("toolcall"));

    using database = new DatabaseSync(join(folder, "bare.sqlite"));
    database.exec("CREATE TABLE objects (id TEXT PRIMARY KEY, body TEXT) STRICT");
    const insert = database.prepare("INSERT INTO objects VALUES (?, ?)");
    for (const { object } of session.flatMap((call) => call.flat())) {
      if (toolcalls.includes(object.body.id)) insert.run(object.body.id, JSON.stringify(object));
    }
    await using opened = await openSqliteStore({ path });
    const cold = await timeGets(opened, toolcalls);
    const select = database.prepare("SELECT body FROM objects WHERE id = ?");
    let length = 0;
    const before = performance.now();
    for (const id of toolcalls) {
      const { object } = {
        object: JSON.parse(String(select.get(id)?.["body"])) as Call[number][number]["object"],
      };
      length += object.body.content?.length ?? 0;
    }
    const bare = performance.now() - before;
    const warm = await timeGets(opened, toolcalls);
    if (length !== cold.length || length !== warm.length)
      throw new Error("the two sides read different texts");
    return { warm: warm.elapsed, cold: cold.elapsed, bare };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function timeGets(
  store: ObjectStore,
  ids: readonly ObjectId[],
): Promise<{ readonly elapsed: number; readonly length: number }> {
  let length = 0;
  const before = performance.now();
  for (const id of ids) length += (await store.get(id))?.body.content?.length ?? 0;
  return { elapsed: performance.now() - before, length };
}

interface BareSide extends Disposable {
  /** Runs recorded statements, which were prepared before, and returns the duration. */
  replay(recorded: readonly Recorded[]): number;
}

function openBare(path: string, likePath: string): BareSide {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  database.exec(`ATTACH '${likePath}' AS store`);
  const schema = database
    .prepare("SELECT sql FROM store.sqlite_schema WHERE sql IS NOT NULL")
    .all();
  const clock = database.prepare("SELECT * FROM store.clock").all();
  database.exec("DETACH store");
  for (const { sql } of schema) database.exec(String(sql));
  for (const row of clock) {
    const values = Object.values(row);
    const places = values.map(() => "?").join(", ");
    database.prepare(`INSERT INTO clock VALUES (${places})`).run(...values);
  }
  const statements = new Map<string, StatementSync>();
  return {
    replay(recorded) {
      for (const { sql } of recorded)
        if (!statements.has(sql)) statements.set(sql, database.prepare(sql));
      recording.stop();
      const before = performance.now();
      for (const { sql, values } of recorded) statements.get(sql)?.run(...values);
      const elapsed = performance.now() - before;
      recording.start();
      return elapsed;
    },
    [Symbol.dispose]: () => database.close(),
  };
}

/** Records every statement that `node:sqlite` runs for its effect. */
function recordWrites(): { start(): void; stop(): void; take(): readonly Recorded[] } {
  let recorded: Recorded[] = [];
  // Called with its statement below.
  // oxlint-disable-next-line typescript/unbound-method
  const run = StatementSync.prototype.run;
  const recordingRun = function record(this: StatementSync, ...values: SQLInputValue[]) {
    recorded.push({ sql: this.sourceSQL, values });
    return Reflect.apply(run, this, values) as ReturnType<typeof run>;
  } as typeof run;
  return {
    start: () => {
      StatementSync.prototype.run = recordingRun;
    },
    stop: () => {
      StatementSync.prototype.run = run;
    },
    take() {
      const taken = recorded;
      recorded = [];
      return taken;
    },
  };
}
