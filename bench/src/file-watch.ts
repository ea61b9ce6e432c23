// How long does it take from a file's change to its new version in the store? What does watching cost at rest? How long
// does it take at a start to find out which of 10,000 known files changed?
//
// The benchmark uses 10,000 real files in 200 folders of the machine's temporary folder, and the SQLite store. A change
// is timed from the end of its write to the call of the listener, which follows the commit.
import {
  fileBody,
  metadataOf,
  objectId,
  type ObjectWrite,
  sealObject,
} from "@self-context-manager/objects";
import { type ObjectId, silentLogger, type StoredMetadata } from "@self-context-manager/core";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { fileTracker } from "@self-context-manager/tracker";
import { diskFiles, watchFiles } from "@self-context-manager/watcher";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { median, report, rounded } from "./report.ts";

const fileCount = 10_000;
const folderCount = 200;
const changes = 300;
const deletions = 30;
const restSeconds = 90;
const checks = 9;

const folder = await realpath(await mkdtemp(join(tmpdir(), "scm-bench-")));
const workspace = join(folder, "workspace");
const paths = Array.from({ length: fileCount }, (_, index) =>
  join(workspace, `folder-${index % folderCount}`, `file-${index}.ts`),
);
let nextId = 0;
const ids = {
  next: (): ObjectId => {
    nextId += 1;
    return objectId(`0190cccc-0000-7000-8000-${String(nextId).padStart(12, "0")}`);
  },
};
// A watcher does not keep a process alive, so a timer does.
const alive = setInterval(() => undefined, 60_000);

try {
  for (let index = 0; index < folderCount; index += 1)
    await mkdir(join(workspace, `folder-${index}`), { recursive: true });
  for (const [index, path] of paths.entries()) await writeFile(path, text(index, 0));
  // Files that were changed just before they were read are read again at a start, so the files must be older.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await using store = await openSqliteStore({ path: join(folder, "store.sqlite") });
  const files = diskFiles();
  const tracked: StoredMetadata[] = [];
  for (let start = 0; start < fileCount; start += 500) {
    const writes: ObjectWrite[] = [];
    for (const path of paths.slice(start, start + 500)) {
      const body = fileBody(ids.next(), await files.read(path), "human");
      writes.push({ object: sealObject(body) });
    }
    const { versions } = await store.commit(writes);
    for (const [index, { version, at }] of versions.entries()) {
      const object = writes[index]?.object;
      if (object === undefined) continue;
      const { body, hashes } = object;
      tracked.push({ body: metadataOf(body), hashes, version, at });
    }
  }
  const open = () =>
    fileTracker({
      store,
      files,
      watcher: watchFiles({ roots: [workspace] }),
      ids,
      logger: silentLogger,
      workspace,
    });

  const startTimes: number[] = [];
  const readyTimes: number[] = [];
  for (let round = 0; round < checks; round += 1) {
    await using tracker = open();
    const start = performance.now();
    await tracker.track(tracked);
    startTimes.push(performance.now() - start);
    await tracker.ready();
    readyTimes.push(performance.now() - start);
  }

  await using tracker = open();
  const waiting = new Map<ObjectId, (time: number) => void>();
  tracker.onChange((reported) => {
    const now = performance.now();
    for (const { id } of reported) waiting.get(id)?.(now);
  });
  await tracker.track(tracked);
  await tracker.ready();

  const rest = await restCost();
  const changed: number[] = [];
  for (let count = 0; count < changes; count += 1) {
    const index = (count * 37) % fileCount;
    const path = paths[index] ?? "";
    await writeFile(path, text(index, count + 1));
    changed.push(await timeUntilReported(tracked[index]?.body.id));
  }
  const gone: number[] = [];
  for (let count = 0; count < deletions; count += 1) {
    const index = (count * 41 + 1) % fileCount;
    await rm(paths[index] ?? "");
    gone.push(await timeUntilReported(tracked[index]?.body.id));
  }
  const burst = await burstTime();

  report("file-watch", {
    files: fileCount,
    folders: folderCount,
    unit: "milliseconds",
    changeToVersion: summary(changed),
    deletionToVersion: summary(gone),
    burstOf10000ToLastVersion: rounded(burst),
    atRest: rest,
    startCheck: { ...summary(startTimes), aim: 300 },
    startUntilWatched: summary(readyTimes),
  });

  async function timeUntilReported(id: ObjectId | undefined): Promise<number> {
    const start = performance.now();
    if (id === undefined) throw new TypeError("the file has no object");
    const end = await new Promise<number>((resolve) => waiting.set(id, resolve));
    waiting.delete(id);
    return end - start;
  }

  async function burstTime(): Promise<number> {
    // All files that still exist; some were deleted above.
    const left = new Set(tracked.map(({ body }) => body.id));
    const existing = await Promise.all(
      paths.map(async (path) => (await files.stat(path)) !== undefined),
    );
    for (const [index, isThere] of existing.entries())
      if (!isThere) left.delete(tracked[index]?.body.id as ObjectId);
    const start = performance.now();
    const done = new Promise<number>((resolve) => {
      for (const id of left)
        waiting.set(id, (time) => {
          left.delete(id);
          if (left.size === 0) resolve(time);
        });
    });
    for (const [index, path] of paths.entries())
      if (existing[index] === true) await writeFile(path, text(index, 1_000_000));
    return (await done) - start;
  }
} finally {
  clearInterval(alive);
  await rm(folder, { recursive: true });
}

/** The percentage of one processor that the process uses while nothing happens. */
async function restCost(): Promise<Readonly<Record<string, number>>> {
  const before = process.cpuUsage();
  const start = performance.now();
  await new Promise((resolve) => setTimeout(resolve, restSeconds * 1_000));
  const used = process.cpuUsage(before);
  const elapsed = performance.now() - start;
  return {
    seconds: restSeconds,
    processorPercent: rounded(((used.user + used.system) / 1_000 / elapsed) * 100),
  };
}

function text(index: number, round: number): string {
  return `// file ${index}, round ${round}\n${"export const value = 1;\n".repeat(40)}`;
}

function summary(times: readonly number[]): Readonly<Record<string, number>> {
  const sorted = times.toSorted((one, other) => one - other);
  return {
    count: times.length,
    median: rounded(median(times)),
    p99: rounded(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN),
  };
}
