// What do the recorded views of a session of 500 calls cost: bytes of the store, time in a call, time to rebuild a
// view?
//
// The bytes are the difference between the compacted SQLite file with views and without. `shareOfStore` counts cells
// with their indexes. `shareOfFile` counts whole pages, of which some are empty by chance. `rowBytes` counts the data
// in the rows of the views. The time in a call is the whole of `view()`: planning, rendering, hashing and the commit
// before the call is sent. A view that is not sent needs no hashing and no commit. Rebuilding verifies every version
// that a call names. `verification` is the time to verify all calls in order, divided by the time to rebuild them one by
// one.
import { openContextManager } from "@self-context-manager/compose";
import { epochLayout, pooledLayout, neutralCodec, readList } from "@self-context-manager/core";
import { viewHistory } from "@self-context-manager/core/inspect";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";

import { median, report, rounded } from "./report.ts";
import { syntheticTranscript } from "./synthetic-transcript.ts";

const calls = 500;

const results: Record<string, unknown> = {};
for (const layout of ["epoch", "pooled"] as const) {
  const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
  const at = join(folder, "store.sqlite");
  const viewTimes: number[] = [];
  const lookTimes: number[] = [];
  let epochs = 1;
  {
    await using manager = await openContextManager({ at, workspace: folder, layout });
    const session = await manager.openSession({ harness: "bench", sessionId: "bench" });
    await session.recordSystemPrompt("host", "You help people. ".repeat(200));
    const transcript = syntheticTranscript();
    for (let call = 0; call < calls; call += 1) {
      await session.ingest(readList(transcript.messages, neutralCodec));
      const looked = performance.now();
      await session.peekView();
      const start = performance.now();
      const view = await session.nextView();
      viewTimes.push(performance.now() - start);
      lookTimes.push(start - looked);
      if (view.epoch !== undefined) epochs = view.epoch.number;
      transcript.addCall();
    }
  }
  const rebuild = await rebuildTimes(at);
  const { file, cells, rows } = sizes(at, join(folder, "copy.sqlite"));
  rmSync(folder, { recursive: true });
  results[layout] = {
    ...(layout === "epoch" ? { epochs } : {}),
    storeBytes: file.whole,
    viewBytesPerCall: rounded((cells.whole - cells.without) / calls),
    rowBytesPerCall: rounded(rows / calls),
    shareOfStore: rounded((cells.whole - cells.without) / cells.without),
    shareOfFile: rounded((file.whole - file.without) / file.without),
    aim: 0.05,
    viewMilliseconds: percentiles(viewTimes),
    lookedAtMilliseconds: percentiles(lookTimes),
    rebuild,
  };
}
report("views", { calls, layouts: results });

async function rebuildTimes(path: string): Promise<Readonly<Record<string, unknown>>> {
  await using store = await openSqliteStore({ path });
  const host = { harness: "bench", sessionId: "bench" };
  const layouts = [epochLayout(), pooledLayout];
  const first = performance.now();
  const alone = await (await viewHistory(store, layouts, host))?.rebuild(calls);
  const lastAlone = performance.now() - first;
  const history = await viewHistory(store, layouts, host);
  const times: number[] = [];
  let verified = 0;
  for (let call = 1; call <= (history?.count ?? 0); call += 1) {
    const start = performance.now();
    const view = await history?.rebuild(call);
    times.push(performance.now() - start);
    if (view?.isVerified === true) verified += 1;
  }
  const start = performance.now();
  let verifiedInOrder = 0;
  for await (const view of (await viewHistory(store, layouts, host))?.verify() ?? [])
    if (view.isVerified) verifiedInOrder += 1;
  const inOrder = performance.now() - start;
  const oneByOne = times.reduce((sum, time) => sum + time, 0);
  return {
    verified,
    verification: {
      verified: verifiedInOrder,
      inOrderMilliseconds: rounded(inOrder),
      oneByOneMilliseconds: rounded(oneByOne),
      ratio: rounded(inOrder / oneByOne),
      aim: 0.2,
    },
    lastAloneMilliseconds: rounded(lastAlone),
    lastIsVerified: alone?.isVerified,
    eachOfAllMilliseconds: percentiles(times),
  };
}

interface Compared {
  readonly whole: number;
  readonly without: number;
}

function sizes(
  path: string,
  copy: string,
): {
  readonly file: Compared;
  readonly cells: Compared;
  readonly rows: number;
} {
  copyFileSync(path, copy);
  const database = new DatabaseSync(copy);
  database.exec("PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF; VACUUM");
  const before = { file: statSync(copy).size, cells: cellBytes(database) };
  // The key of the field in the index, as `store-sqlite` computes it.
  const view = `(SELECT object FROM field_keys WHERE field = ${crc32('type\0"view"') | 0})`;
  database.exec(`CREATE TEMP TABLE views AS SELECT object FROM ${view}`);
  const held = database
    .prepare(
      "SELECT sum(length(metadata) + ifnull(length(delta), 0)) AS rows FROM versions WHERE object IN (SELECT object FROM temp.views)",
    )
    .get();
  for (const table of ["versions", "refs", "field_keys"])
    database.exec(`DELETE FROM ${table} WHERE object IN (SELECT object FROM temp.views)`);
  database.exec("VACUUM");
  const after = { file: statSync(copy).size, cells: cellBytes(database) };
  database.close();
  return {
    file: { whole: before.file, without: after.file },
    cells: { whole: before.cells, without: after.cells },
    rows: Number(held?.["rows"]),
  };
}

/** The bytes of all cells, without the unused parts of their pages. */
function cellBytes(database: DatabaseSync): number {
  return Number(
    database.prepare("SELECT sum(pgsize - unused) AS bytes FROM dbstat").get()?.["bytes"],
  );
}

function percentiles(times: readonly number[]): Readonly<Record<string, number>> {
  const sorted = times.toSorted((one, other) => one - other);
  return {
    median: rounded(median(times)),
    p95: rounded(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN),
  };
}
