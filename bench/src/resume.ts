// How long does it take to resume a session that knows 10,000 objects, until the first call can be sent?
//
// Half of the objects are files on the disk that were read, and half are tool calls. Each round is a separate process.
// It opens the store and the session, which compares every known file with the disk, and makes the view of the first
// call. The time that a program takes to start is not counted. In the rounds with a change, others wrote 20 files
// before.
import { openContextManager } from "@self-context-manager/compose";
import { neutralCodec, readList } from "@self-context-manager/core";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { median, report, rounded } from "./report.ts";
import { syntheticTranscript } from "./synthetic-transcript.ts";

const objects = 10_000;
const fileCount = objects / 2;
const folderCount = 100;
const rounds = 9;
const changedFiles = 20;
const callsApart = 10;
const host = { harness: "bench", sessionId: "bench" };

type Times = Readonly<Record<"store" | "session" | "view" | "whole", number>>;

const [, , given] = process.argv;
if (given === undefined) await compare();
else console.log(JSON.stringify(await resume(given)));

/** Measures one process that resumes. */
async function resume(folder: string): Promise<Times> {
  const start = performance.now();
  await using manager = await openContextManager(placeIn(folder));
  const opened = performance.now();
  const session = await manager.openSession(host);
  const resumed = performance.now();
  await session.nextView();
  const end = performance.now();
  return {
    store: opened - start,
    session: resumed - opened,
    view: end - resumed,
    whole: end - start,
  };
}

async function compare(): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "scm-bench-")));
  try {
    const paths = await writeFiles(placeIn(folder).workspace);
    await makeSession(folder, paths);
    const still = runs(folder);
    const changed: Times[] = [];
    for (let round = 0; round < rounds; round += 1) {
      for (const path of paths.slice(round * changedFiles, (round + 1) * changedFiles))
        await writeFile(path, `changed in round ${round}\n`);
      changed.push(...runs(folder, 1));
    }
    report("resume", {
      objects,
      files: fileCount,
      unit: "milliseconds",
      aim: 300,
      nothingChanged: summary(still),
      [`${changedFiles}FilesChanged`]: summary(changed),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function runs(folder: string, count = rounds): readonly Times[] {
  const program = [fileURLToPath(import.meta.url), folder];
  return Array.from({ length: count }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, ...program], {
      encoding: "utf8",
    });
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as Times;
  });
}

function placeIn(folder: string): { readonly at: string; readonly workspace: string } {
  return { at: join(folder, "store.sqlite"), workspace: join(folder, "work") };
}

async function writeFiles(workspace: string): Promise<readonly string[]> {
  const paths = Array.from({ length: fileCount }, (_, index) =>
    join(workspace, `folder-${index % folderCount}`, `file-${index}.ts`),
  );
  for (let index = 0; index < folderCount; index += 1)
    await mkdir(join(workspace, `folder-${index}`), { recursive: true });
  for (const [index, path] of paths.entries())
    await writeFile(path, `// file ${index}\n${"export const value = 1;\n".repeat(40)}`);
  return paths;
}

async function makeSession(folder: string, paths: readonly string[]): Promise<void> {
  // Files that were changed just before they were read are read again at a start, so the files must be older.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await using manager = await openContextManager(placeIn(folder));
  const session = await manager.openSession(host);
  const transcript = syntheticTranscript();
  for (const [index, path] of paths.entries()) {
    transcript.addCall();
    await session.read({ path });
    // Fewer calls than outputs, because the time to make the session is not measured.
    if (index % callsApart === callsApart - 1)
      await session.ingestAndView(readList(transcript.messages, neutralCodec));
  }
}

function summary(times: readonly Times[]): Readonly<Record<string, unknown>> {
  const part = (name: keyof Times): number => rounded(median(times.map((one) => one[name])));
  return {
    rounds: times.length,
    store: part("store"),
    session: part("session"),
    view: part("view"),
    whole: part("whole"),
    slowest: rounded(Math.max(...times.map(({ whole }) => whole))),
  };
}
