// How much slower is the SQLite store than `node:sqlite` itself, for the same inserts and for reading objects back?
//
// First, the writes of a session go through a store, and every statement that changes something is recorded. Then the
// bare side runs the recorded statements, with the same rows, bytes, pages, transactions and durability, and a store gets
// the same writes without being recorded. Both sides take turns, in blocks of calls, each with a separate file. Besides
// the time there is the CPU time, without the wait for the disk.
//
// `store-rates OLD` also commits to the store of OLD, a built checkout of another commit, in turn.
import type { ObjectId, ObjectStore } from "@self-context-manager/core";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync, type SQLInputValue, StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

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

interface Times {
  elapsed: number;
  cpu: number;
}

interface Sides {
  readonly store: Times;
  readonly bare: Times;
  /** The store of the other checkout. */
  readonly other: Times;
}

const blocks: readonly (readonly Call[])[] = Array.from({ length: calls / block }, (_, index) =>
  session.slice(index * block, (index + 1) * block),
);
const [, , checkout] = process.argv;
const openOther = checkout === undefined ? undefined : await storeOf(checkout);
const recorded = await recordWrites();
const commits: Sides[] = [];
const gets: { readonly warm: number; readonly cold: number; readonly bare: number }[] = [];
let bytes = 0;
await compareCommits();
for (let round = 0; round < rounds; round += 1) commits.push(await compareCommits());
for (let round = 0; round < rounds; round += 1) gets.push(await compareGets());

const ofCommits = (of: (sides: Sides) => number): number => median(commits.map(of));
const perCommit = (of: (sides: Sides) => number): number =>
  rounded((ofCommits(of) * 1000) / (calls * 2));
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
    storePerSecond: rounded((calls * 2000) / ofCommits(({ store }) => store.elapsed)),
    barePerSecond: rounded((calls * 2000) / ofCommits(({ bare }) => bare.elapsed)),
    ratio: rounded(ofCommits(({ store, bare }) => store.elapsed / bare.elapsed)),
    aim: 1.3,
    storeCpuMicroseconds: perCommit(({ store }) => store.cpu),
    bareCpuMicroseconds: perCommit(({ bare }) => bare.cpu),
    ...(openOther === undefined
      ? {}
      : {
          otherRatio: rounded(ofCommits(({ other, bare }) => other.elapsed / bare.elapsed)),
          otherCpuMicroseconds: perCommit(({ other }) => other.cpu),
          timeDividedByOther: rounded(
            ofCommits(({ store, other }) => store.elapsed / other.elapsed),
          ),
          cpuDividedByOther: rounded(ofCommits(({ store, other }) => store.cpu / other.cpu)),
        }),
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

async function compareCommits(): Promise<Sides> {
  const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
  const storePath = join(folder, "store.sqlite");
  try {
    const [store, bare, other] = [noTime(), noTime(), noTime()];
    await using opened = await openSqliteStore({ path: storePath });
    await using otherStore = await openOther?.({ path: join(folder, "other.sqlite") });
    using bareSide = openBare(join(folder, "bare.sqlite"), storePath);
    for (const [index, part] of blocks.entries()) {
      await timed(store, () => commitAll(opened, part));
      await timed(bare, () => {
        bareSide.replay(recorded[index] ?? []);
      });
      if (otherStore !== undefined) await timed(other, () => commitAll(otherStore, part));
    }
    bytes = statSync(storePath).size + statSync(`${storePath}-wal`).size;
    return { store, bare, other };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function noTime(): Times {
  return { elapsed: 0, cpu: 0 };
}

async function commitAll(store: ObjectStore, part: readonly Call[]): Promise<void> {
  for (const call of part) for (const writes of call) await store.commit(writes);
}

async function storeOf(other: string): Promise<typeof openSqliteStore> {
  const file = pathToFileURL(join(resolve(other), "packages/store-sqlite/src/index.ts")).href;
  const module = (await import(file)) as { readonly openSqliteStore: typeof openSqliteStore };
  return module.openSqliteStore;
}

async function timed(times: Times, work: () => Promise<void> | void): Promise<void> {
  const [before, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  times.elapsed += performance.now() - before;
  times.cpu += (user + system) / 1000;
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
    await commitAll(written, session);
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
  /** Runs recorded statements. */
  replay(statements: readonly Recorded[]): void;
}

function openBare(path: string, likePath: string): BareSide {
  const database = new DatabaseSync(path);
  database.exec(`ATTACH '${likePath}' AS store`);
  const pageBytes = database.prepare("PRAGMA store.page_size").get()?.["page_size"];
  const schema = database
    .prepare("SELECT sql FROM store.sqlite_schema WHERE sql IS NOT NULL")
    .all();
  const clock = database.prepare("SELECT * FROM store.clock").all();
  database.exec("DETACH store");
  // The log is moved into the file at the same size as in the store.
  database.exec(
    `PRAGMA page_size = ${String(pageBytes)}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ` +
      "PRAGMA wal_autocheckpoint = 4096; PRAGMA foreign_keys = ON",
  );
  for (const { sql } of schema) database.exec(String(sql));
  for (const row of clock) {
    const values = Object.values(row);
    const places = values.map(() => "?").join(", ");
    database.prepare(`INSERT INTO clock VALUES (${places})`).run(...values);
  }
  const statements = new Map<string, StatementSync>();
  for (const { sql } of recorded.flat())
    if (!statements.has(sql)) statements.set(sql, database.prepare(sql));
  return {
    replay(list) {
      for (const { sql, values } of list) statements.get(sql)?.run(...values);
    },
    [Symbol.dispose]: () => database.close(),
  };
}

/** Runs the session in a store, and returns every statement that `node:sqlite` ran for its effect, by block. */
async function recordWrites(): Promise<readonly (readonly Recorded[])[]> {
  const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
  // Called with its statement below.
  // oxlint-disable-next-line typescript/unbound-method
  const run = StatementSync.prototype.run;
  try {
    await using opened = await openSqliteStore({ path: join(folder, "store.sqlite") });
    const found: Recorded[][] = [];
    StatementSync.prototype.run = function record(this: StatementSync, ...values: SQLInputValue[]) {
      found.at(-1)?.push({ sql: this.sourceSQL, values });
      return Reflect.apply(run, this, values) as ReturnType<typeof run>;
    } as typeof run;
    for (const part of blocks) {
      found.push([]);
      await commitAll(opened, part);
    }
    return found;
  } finally {
    StatementSync.prototype.run = run;
    rmSync(folder, { recursive: true });
  }
}
