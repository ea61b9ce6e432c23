import { memoryStore } from "@self-context-manager/store-memory";
import { exportObjects, importObjects } from "@self-context-manager/objects";
import type { ObjectStore } from "@self-context-manager/core";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { openXtdbStore } from "@self-context-manager/store-xtdb";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { fillWithSessions, madeSession } from "./made-sessions.ts";
import { type NamedPlace, runScm, type ScmRun, startScm } from "./scm-process.ts";

export interface MoveOptions {
  /** An empty folder for stores and exports. */
  readonly folder: string;
  readonly sessions: number;
  /** An XTDB node. `undefined`: the way does not include XTDB. */
  readonly node: { readonly url: string; readonly token: string } | undefined;
}

/** The results for a store of made sessions that was moved from SQLite over XTDB into another SQLite store. */
export interface Moved {
  readonly objects: number;
  readonly versions: number;
  readonly exports: readonly ExportFacts[];
  readonly imports: readonly ImportFacts[];
  /** SHA-256 of the export of a memory store that has imported the last store's export. */
  readonly fromMemory: string;
}

export interface ExportFacts extends Pick<ScmRun, "seconds" | "megabytes"> {
  readonly from: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** An import that was killed in the middle, run again, and then run once more. */
export interface ImportFacts {
  readonly into: string;
  /** The number of versions in the store at the kill. */
  readonly afterKill: number;
  readonly added: number;
  readonly resumed: Pick<ScmRun, "seconds" | "megabytes">;
  /** The run that found all versions present and verified them. */
  readonly verified: Pick<ScmRun, "seconds" | "megabytes" | "stdout">;
}

/** Moves a store of made sessions with the command, as users run it. Rejects if a run of the command fails. */
export async function moveStores({ folder, sessions, node }: MoveOptions): Promise<Moved> {
  const first: NamedPlace = { kind: "sqlite", at: join(folder, "first.sqlite") };
  await using filled = await openSqliteStore({ path: first.at, clock: tickingClock() });
  await fillWithSessions(filled, sessions);
  const places: readonly NamedPlace[] = [
    first,
    ...(node === undefined
      ? []
      : [{ kind: "xtdb", at: node.url, token: node.token, name: "moved" } satisfies NamedPlace]),
    { kind: "sqlite", at: join(folder, "last.sqlite") },
  ];
  const exports: ExportFacts[] = [];
  const imports: ImportFacts[] = [];
  let file = "";
  for (const [index, place] of places.entries()) {
    if (index > 0) imports.push(await importInto(place, file, sessions * madeSession.versions));
    file = join(folder, `export-${index}.jsonl`);
    exports.push(await exportFrom(place, file));
  }
  return {
    objects: sessions * madeSession.objects,
    versions: sessions * madeSession.versions,
    exports,
    imports,
    fromMemory: await throughMemory(places.at(-1) ?? first),
  };
}

async function exportFrom(place: NamedPlace, file: string): Promise<ExportFacts> {
  const { seconds, megabytes } = await succeeded(place, ["export", file]);
  const { size } = await stat(file);
  const sha256 = await hashOf(createReadStream(file));
  return { from: place.kind, seconds, megabytes, bytes: size, sha256 };
}

async function importInto(place: NamedPlace, file: string, versions: number): Promise<ImportFacts> {
  await killDuringImport(place, file, versions);
  const afterKill = await countVersions(place);
  const resumed = await succeeded(place, ["import", file, "--merge"]);
  const verified = await succeeded(place, ["import", file, "--verify"]);
  const added = Number(/^imported (\d+)/u.exec(resumed.stdout)?.[1]);
  return { into: place.kind, afterKill, added, resumed, verified };
}

/** Kills an import when a fifth of the versions is in the store. */
async function killDuringImport(place: NamedPlace, file: string, versions: number): Promise<void> {
  const child = startScm(place, ["import", file]);
  child.stdout.resume();
  child.stderr.resume();
  const deadline = Date.now() + 300_000;
  while ((await countVersions(place)) < versions / 5) {
    if (Date.now() > deadline) throw new Error(`too little of ${file} was imported`);
    await delay(10);
  }
  child.kill("SIGKILL");
  await once(child, "close");
}

/** Returns the number of versions that another process finds in the store. */
async function countVersions(place: NamedPlace): Promise<number> {
  await using store = await openPlace(place);
  let count = 0;
  let position: string | undefined;
  for (;;) {
    const page = await store.changesSince(position, { limit: 5_000 });
    count += page.versions.length;
    if (page.versions.length === 0) return count;
    position = page.position;
  }
}

async function openPlace({ kind, at, token = "", name }: NamedPlace): Promise<ObjectStore> {
  if (kind === "sqlite") return await openSqliteStore({ path: at });
  return await openXtdbStore({
    url: at,
    token,
    timeout: 120_000,
    ...(name === undefined ? {} : { space: name }),
  });
}

async function throughMemory(place: NamedPlace): Promise<string> {
  await using memory = memoryStore();
  await using store = await openPlace(place);
  await importObjects(memory, () => exportObjects(store));
  return await hashOf(exportObjects(memory));
}

async function hashOf(parts: AsyncIterable<string | Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of parts) hash.update(part);
  return hash.digest("hex");
}

async function succeeded(place: NamedPlace, argv: readonly string[]): Promise<ScmRun> {
  const run = await runScm(place, argv);
  if (run.code !== 0)
    throw new Error(`scm ${argv.join(" ")} ended with ${run.code}: ${run.stderr}`);
  return run;
}

/** Returns a clock whose times differ between transactions and are the same in each run. */
function tickingClock(): { now(): number } {
  let now = Date.UTC(2026, 0, 31, 9);
  return { now: () => (now += 7) };
}
