import { type ObjectId, type ObjectStore, StoreError } from "@self-context-manager/core";
import { forgottenVersions } from "@self-context-manager/core/forget";
import {
  compareText,
  forgottenIn,
  importObjects,
  messageOf,
  type StoredVersion,
} from "@self-context-manager/objects";
import type { StoreFile } from "@self-context-manager/store-sqlite";
import { constants, createReadStream } from "node:fs";
import { copyFile, open, stat } from "node:fs/promises";
import { join } from "node:path";

import { openStore } from "./open-store.ts";
import { unpackFile } from "./packed-file.ts";
import type { StorePlace } from "./search-path.ts";
import { besideFile, checkUnused, moveAside, stamp, takePlace } from "./store-backup.ts";
import { systemClock } from "./system-clock.ts";

/** The result of a repair. The repaired store is at the place of the damaged one. */
export interface RepairReport {
  readonly versions: number;
  /** The number of versions that were taken from the other file. */
  readonly taken: number;
  /** The number of versions that neither the store nor the other file has. */
  readonly lost: number;
  /** A JSON Lines file with what is known of the lost versions; undefined if none is lost. */
  readonly lostFile?: string;
  /** The path of the damaged store. */
  readonly movedTo: string;
}

export interface RepairOptions {
  /** The path of a backup or an export of the store, from which versions are taken that the store has lost. */
  readonly from?: string;
  /** Splits the bytes of an export into lines. */
  readonly lines: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<string>;
  readonly progress?: (versions: number) => void;
}

/**
 * Makes a store of the sound versions of a damaged SQLite store, and of those that a backup or an export has. It works on
 * a copy; the damaged store is moved aside only after every version of the repaired one was checked. Rejects with
 * `StoreError`, and then the store is unchanged: `STORE_BUSY` if a process has it open, `STORE_CORRUPT` if nothing of it
 * can be saved, `STORE_UNREADABLE` for an other file that cannot be read.
 */
export async function repairStore(
  place: StorePlace,
  options: RepairOptions,
): Promise<RepairReport> {
  const { store, at } = place;
  if (store !== "sqlite") {
    throw new StoreError(
      "STORE_UNAVAILABLE",
      "only a SQLite store can be repaired; of a store in XTDB, scm export writes what is sound, and scm restore and scm import make a new store",
    );
  }
  await checkUnused(place);
  return await besideFile(at, async (folder) => {
    const { copySqlitePrivacy, openStoreFile, salvageSqliteFile } =
      await import("@self-context-manager/store-sqlite");
    const damaged = join(folder, "damaged");
    for (const end of ["", "-wal"]) await copyIfThere(at + end, damaged + end);
    await salvageSqliteFile(damaged, join(folder, "rows"));
    using rows = await openStoreFile(join(folder, "rows"));
    using other =
      options.from === undefined
        ? undefined
        : await openOther(options, options.from, join(folder, "other"));
    const { kept, unsound } = choose(rows, other);
    const made = join(folder, "made");
    const forgotten = forgottenVersions(await copySqlitePrivacy(join(folder, "rows"), made));
    const outcome = await fill(made, kept, { other, forgotten, progress: options.progress });
    for (const [key, one] of outcome.refused) unsound.set(key, one);
    const lost = await lostOf(made, unsound);
    if (outcome.written === 0) {
      throw new StoreError(
        "STORE_CORRUPT",
        `nothing of the store ${at} can be saved; scm restore makes a store of a backup`,
      );
    }
    await checkMade(made, outcome.written);
    const lostFile = `${at}.${stamp(new Date())}.lost.jsonl`;
    if (lost.length > 0) await writeLost(lostFile, lost);
    const movedTo = await moveAside(at);
    await takePlace(made, at);
    const { written: versions, taken } = outcome;
    return {
      versions,
      taken,
      lost: lost.length,
      movedTo,
      ...(lost.length > 0 ? { lostFile } : {}),
    };
  });
}

/** A version that can be written, and the file that has it. */
interface Kept {
  readonly id: ObjectId;
  readonly version: number;
  readonly txId: number;
  readonly source: StoreFile;
  readonly isTaken: boolean;
}

/** A version that is not in the repaired store. */
interface Lost {
  readonly id: ObjectId;
  readonly version: number;
  readonly reason: string;
  /** The version, if only its place in the history is the problem. */
  readonly stored?: StoredVersion;
}

/** Chooses the versions of the repaired store: sound ones of the store, else those of the other file. */
function choose(
  rows: StoreFile,
  other: StoreFile | undefined,
): { readonly kept: readonly Kept[]; readonly unsound: Map<string, Lost> } {
  const kept: Kept[] = [];
  const known = new Map<string, string>();
  const unsound = new Map<string, Lost>();
  const forgotten = new Set<string>();
  for (const { id, version, stored, problem } of rows.versions()) {
    if (stored === undefined) {
      unsound.set(keyOf({ id, version }), { id, version, reason: problem ?? "" });
      continue;
    }
    known.set(keyOf({ id, version }), stored.hashes.object_hash);
    if (forgottenIn(stored.body) !== undefined) forgotten.add(keyOf({ id, version }));
    kept.push({ id, version, txId: stored.at.tx_id, source: rows, isTaken: false });
  }
  for (const { id, version, stored } of other?.versions() ?? []) {
    if (stored === undefined || other === undefined) continue;
    const key = keyOf({ id, version });
    // The backup is from before.
    if (forgotten.has(key)) continue;
    const own = known.get(key);
    if (own !== undefined) {
      // After a repair with losses, a program gave the number of a lost version to another one.
      const reason = "the store has another version with this number";
      if (own !== stored.hashes.object_hash) unsound.set(key, { id, version, reason, stored });
      continue;
    }
    unsound.delete(key);
    kept.push({ id, version, txId: stored.at.tx_id, source: other, isTaken: true });
  }
  kept.sort(
    (one, next) =>
      one.txId - next.txId || compareText(one.id, next.id) || one.version - next.version,
  );
  return { kept, unsound };
}

function keyOf({ id, version }: { readonly id: ObjectId; readonly version: number }): string {
  return `${version} ${id}`;
}

/** Versions and characters that are written in one transaction. */
const batchLimit = { versions: 500, characters: 4_000_000 };

interface Outcome {
  readonly written: number;
  readonly taken: number;
  readonly refused: ReadonlyMap<string, Lost>;
}

interface Filling {
  readonly other: StoreFile | undefined;
  /** Returns a version without what the user had forgotten in the damaged store, which a backup can still have. */
  readonly forgotten: (stored: StoredVersion) => StoredVersion;
  readonly progress: RepairOptions["progress"];
}

/** Writes versions into a new store, in order. Versions that contradict earlier ones are refused. */
async function fill(
  path: string,
  kept: readonly Kept[],
  { other, forgotten, progress }: Filling,
): Promise<Outcome> {
  await using store = await openStore({ store: "sqlite", at: path, clock: systemClock });
  const refused = new Map<string, Lost>();
  let written = 0;
  let taken = 0;
  let batch: StoredVersion[] = [];
  let characters = 0;

  async function flush(): Promise<void> {
    written += await restoreEach(store, batch, refused);
    batch = [];
    characters = 0;
    progress?.(written);
  }

  for (const { id, version, source, isTaken } of kept) {
    const own = source.read(id, version);
    // In order of transactions a version needs rows that it did not need after the version before it.
    const stored = own ?? other?.read(id, version);
    if (stored === undefined) {
      refused.set(keyOf({ id, version }), { id, version, reason: "its history cannot be read" });
      continue;
    }
    if (isTaken || own === undefined) taken += 1;
    batch.push(isTaken || own === undefined ? forgotten(stored) : stored);
    characters += JSON.stringify(stored.body).length;
    if (batch.length >= batchLimit.versions || characters >= batchLimit.characters) await flush();
  }
  await flush();
  return { written, taken, refused };
}

/** Restores versions together, or else one after the other, so that one that is refused hinders no other. */
async function restoreEach(
  store: ObjectStore,
  versions: readonly StoredVersion[],
  refused: Map<string, Lost>,
): Promise<number> {
  if (versions.length === 0) return 0;
  try {
    return (await store.restore(versions, { gaps: true })).added;
  } catch (error) {
    if (!StoreError.is(error, "HISTORY_CONFLICT") && !StoreError.is(error, "NICKNAME_TAKEN"))
      throw error;
    const [only] = versions;
    if (versions.length === 1 && only !== undefined) {
      const { id } = only.body;
      const lost = { id, version: only.version, reason: messageOf(error), stored: only };
      refused.set(keyOf(lost), lost);
      return 0;
    }
    const middle = Math.floor(versions.length / 2);
    const first = await restoreEach(store, versions.slice(0, middle), refused);
    return first + (await restoreEach(store, versions.slice(middle), refused));
  }
}

/** Returns the versions that are not in the repaired store: unsound ones, and numbers that are missing before others. */
async function lostOf(path: string, unsound: ReadonlyMap<string, Lost>): Promise<readonly Lost[]> {
  const { openStoreFile } = await import("@self-context-manager/store-sqlite");
  using file = await openStoreFile(path);
  const lost = new Map(unsound);
  const latest = new Map<ObjectId, number>();
  const noteUpTo = (id: ObjectId, version: number): void => {
    for (let number = (latest.get(id) ?? 0) + 1; number < version; number += 1) {
      const one = { id, version: number, reason: "no row of it was found" };
      if (!lost.has(keyOf(one))) lost.set(keyOf(one), one);
    }
    latest.set(id, Math.max(version, latest.get(id) ?? 0));
  };
  for (const { id, version } of file.versions()) noteUpTo(id, version);
  for (const { id, version } of [...unsound.values()].sort(
    (one, next) => one.version - next.version,
  ))
    noteUpTo(id, version);
  return [...lost.values()];
}

async function checkMade(path: string, versions: number): Promise<void> {
  const { openStoreFile } = await import("@self-context-manager/store-sqlite");
  using file = await openStoreFile(path);
  let [problem] = file.damage();
  let count = 0;
  for (const read of file.versions()) {
    problem ??= read.problem;
    count += 1;
  }
  if (count !== versions) problem ??= `it has ${count} versions instead of ${versions}`;
  if (problem === undefined) return;
  throw new StoreError(
    "STORE_CORRUPT",
    `the repaired store is not sound (${problem}), so nothing was changed; check the disk and the memory of this machine`,
  );
}

/** Writes what is known of lost versions: a line of JSON for each. */
async function writeLost(path: string, lost: readonly Lost[]): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  for (const { id, version, reason, stored } of lost) {
    const known = stored === undefined ? {} : { ...stored.at, object: stored.body };
    await file.write(`${JSON.stringify({ id, version, reason, ...known })}\n`);
  }
  await file.sync();
}

/** Opens a backup or an export as the file of a store. Its versions are checked when they are read. */
async function openOther({ lines }: RepairOptions, from: string, to: string): Promise<StoreFile> {
  const { openStoreFile } = await import("@self-context-manager/store-sqlite");
  try {
    const unpacked = `${to}.unpacked`;
    await unpackFile(from, unpacked);
    if (!(await isExport(unpacked))) return await openStoreFile(unpacked);
    await using store = await openStore({ store: "sqlite", at: to, clock: systemClock });
    await importObjects(store, () => lines(createReadStream(unpacked)));
    return await openStoreFile(to);
  } catch (cause) {
    throw new StoreError(
      "STORE_UNREADABLE",
      `${from} cannot be read (${messageOf(cause)}); give a file that scm backup or scm export wrote`,
      { cause },
    );
  }
}

async function isExport(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, 0);
  return buffer.toString() === "{";
}

async function copyIfThere(from: string, to: string): Promise<void> {
  const isThere = await stat(from).then(
    () => true,
    () => false,
  );
  if (isThere) await copyFile(from, to, constants.COPYFILE_FICLONE);
}
