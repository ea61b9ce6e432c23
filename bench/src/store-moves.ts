// Can a whole store be moved between SQLite, XTDB and memory, and how long does it take?
//
// A store with `--objects N` objects of five versions each, with references between them, is exported from SQLite and
// imported into XTDB. The first import stops in the middle, and a second one continues. The export of XTDB, and the
// export of a store in memory that imported it, must have the same bytes. Each import checks every hash.
import {
  exportHeader,
  exportObjects,
  importObjects,
  objectId,
  sealObject,
} from "@self-context-manager/objects";
import type { ObjectStore } from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { openXtdbStore, startNode } from "@self-context-manager/store-xtdb";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { databaseBytes } from "./database-bytes.ts";
import { report, rounded } from "./report.ts";

const { values: given } = parseArgs({ options: { objects: { type: "string", default: "10000" } } });
const objects = Number(given.objects);
const versions = 5;

const folder = mkdtempSync(join(tmpdir(), "scm-bench-"));
const data = join(folder, "node");
const node = await startNode({ dataFolder: data });
try {
  await using sqlite = await openSqliteStore({ path: join(folder, "store.sqlite") });
  await fill(sqlite);
  const exported = await exportOf(sqlite);
  await using xtdb = await openXtdbStore({ url: node.url, token: node.token, timeout: 120_000 });
  // A header without a count, so that half of the lines is a complete file.
  const half = [exportHeader(), ...exported.lines.slice(1, Math.floor(exported.lines.length / 2))];
  const cut = await timed(() => importObjects(xtdb, () => half));
  const rest = await timed(() => importObjects(xtdb, () => exported.lines, { merge: true }));
  const again = await exportOf(xtdb);
  await using memory = memoryStore();
  await importObjects(memory, () => again.lines);
  const last = await exportOf(memory);
  const count = exported.lines.length - 1;
  if (again.hash !== exported.hash || last.hash !== exported.hash)
    throw new Error("an export differs");
  if (cut.result.added + rest.result.added !== count) throw new Error("versions are missing");
  report("store-moves", {
    objects,
    versions: count,
    exportSeconds: { sqlite: rounded(exported.seconds), xtdb: rounded(again.seconds) },
    importIntoXtdbSeconds: {
      firstHalf: rounded(cut.seconds),
      wholeAfterHalf: rounded(rest.seconds),
    },
    exportBytes: exported.bytes,
    xtdbBytes: databaseBytes(join(data, "golden.db")),
    sha256OfEveryExport: exported.hash,
  });
} finally {
  await node.stop();
  rmSync(folder, { recursive: true });
}

async function fill(store: ObjectStore): Promise<void> {
  for (let version = 1; version <= versions; version += 1) {
    for (let start = 0; start < objects; start += 100) {
      const writes = Array.from({ length: Math.min(100, objects - start) }, (_, index) => {
        const number = start + index;
        return {
          object: sealObject({
            id: objectId(`object-${number}`),
            type: number % 2 === 0 ? "file" : "note",
            path: `/work/${number}`,
            content: `version ${version} of ${number} ${"some words of it ".repeat(20 + (number % 60))}`,
            locked: false,
            provenance: { origin: "bench", generator: "tool" as const },
            to: { ref: "dynamic", id: objectId(`object-${(number * 7) % objects}`) },
          }),
        };
      });
      await store.commit(writes);
    }
  }
}

async function exportOf(store: ObjectStore): Promise<{
  readonly lines: readonly string[];
  readonly hash: string;
  readonly bytes: number;
  readonly seconds: number;
}> {
  const lines: string[] = [];
  const hash = createHash("sha256");
  let bytes = 0;
  const start = performance.now();
  for await (const line of exportObjects(store)) {
    lines.push(line);
    hash.update(line);
    bytes += Buffer.byteLength(line);
  }
  return { lines, hash: hash.digest("hex"), bytes, seconds: (performance.now() - start) / 1_000 };
}

async function timed<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly seconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - start) / 1_000 };
}
