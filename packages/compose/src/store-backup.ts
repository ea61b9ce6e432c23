import { keepForgotten } from "./keep-forgotten.ts";
import { StoreError } from "@self-context-manager/core";
import { messageOf } from "@self-context-manager/objects";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { StoreKind } from "./kinds.ts";
import { packFile, syncFolderOf, unpackFile } from "./packed-file.ts";
import type { StorePlace } from "./search-path.ts";
import { isNodeUrl } from "./store-path.ts";
import { xtdbNode } from "./xtdb-node.ts";

/** The content of a backup that was checked. */
export interface BackupContent {
  readonly store: StoreKind;
  /** Undefined for a store in XTDB, whose versions only a node can read. */
  readonly versions?: number;
  readonly objects?: number;
}

export interface RestoreReport extends BackupContent {
  /** The path of the store that was there before, with its log; undefined if there was none. */
  readonly movedTo?: string;
}

/**
 * Writes a backup: one compressed file with all acknowledged commits, of one moment. Other processes can write meanwhile.
 * The written file is unpacked and checked before it gets its name: the database's own check, and the hashes of every
 * version. An existing file is replaced. Rejects with `StoreError`, and with the error of the system if the file cannot be
 * written; then no file is left.
 */
export async function backupStore(place: StorePlace, file: string): Promise<BackupContent> {
  checkIsHere(place);
  return await besideFile(file, async (folder) => {
    const copy = join(folder, "copy");
    const packed = join(folder, "packed");
    await copyStore(place, copy);
    await packFile(copy, packed);
    await rm(copy);
    const written = join(folder, "written");
    await unpackFile(packed, written);
    const content = await checkBackup(written).catch((cause: unknown) => {
      throw new StoreError(
        "STORE_CORRUPT",
        `no backup was written, because the store ${place.at} is damaged: ${messageOf(cause)}; scm doctor shows what is damaged, and scm doctor --repair keeps what is sound`,
        { cause },
      );
    });
    await rename(packed, file);
    await syncFolderOf(file);
    return content;
  });
}

/**
 * Makes a store from a backup, which is checked first. With `replaces`, a store at the place is moved aside; without it,
 * it is a reason to reject. Rejects with `StoreError`: `STORE_UNREADABLE` for a file that is no complete backup,
 * `STORE_BUSY` if a process has the store open.
 */
export async function restoreStore(
  place: StorePlace,
  file: string,
  { replaces = false }: { readonly replaces?: boolean } = {},
): Promise<RestoreReport> {
  checkIsHere(place);
  const { store, at } = place;
  return await besideFile(at, async (folder) => {
    const unpacked = join(folder, "store");
    const content = await readBackup(file, unpacked);
    if (content.store !== store) {
      throw new StoreError(
        "STORE_FOREIGN",
        `${file} is the backup of a store of the kind ${content.store}; add --store ${content.store}, and --at with the place for it`,
      );
    }
    await checkUnused(place);
    const isThere = await exists(at);
    if (isThere && !replaces) {
      throw new StoreError(
        "STORE_UNAVAILABLE",
        `${at} exists already; give another place with --at, or move it aside with --force`,
      );
    }
    if (isThere && store === "sqlite") await keepForgotten(at, unpacked);
    const movedTo = isThere ? await moveAside(at) : undefined;
    if (store === "xtdb") await xtdbNode(at).restore(unpacked);
    else await takePlace(unpacked, at);
    return { ...content, ...(movedTo === undefined ? {} : { movedTo }) };
  });
}

/** Unpacks a backup into a new file and checks it. Rejects with `STORE_UNREADABLE` if it is no complete backup. */
async function readBackup(file: string, to: string): Promise<BackupContent> {
  try {
    await unpackFile(file, to);
    return await checkBackup(to);
  } catch (cause) {
    throw new StoreError(
      "STORE_UNREADABLE",
      `${file} is not a complete backup (${messageOf(cause)}); give a file that scm backup wrote`,
      { cause },
    );
  }
}

/** Moves a store and its log aside, under a name with the time. Returns the new path of the store. */
export async function moveAside(at: string): Promise<string> {
  const aside = `${at}.${stamp(new Date())}.former`;
  await rename(at, aside);
  await moveLog(at, aside);
  return aside;
}

/** Puts a file at the place of a store. A log that is left there is of another file, and is moved aside. */
export async function takePlace(file: string, at: string): Promise<void> {
  await moveLog(at, `${at}.${stamp(new Date())}.former`);
  await rename(file, at);
  await syncFolderOf(at);
}

/** The time in names of files: 20260131T090000123Z. */
export function stamp(time: Date): string {
  return time.toISOString().replaceAll(/[-:.]/gu, "");
}

async function moveLog(at: string, aside: string): Promise<void> {
  for (const end of ["-wal", "-shm", "-journal"])
    if (await exists(at + end)) await rename(at + end, aside + end);
}

function checkIsHere({ store, at }: StorePlace): void {
  if (store === "memory")
    throw new StoreError("STORE_UNAVAILABLE", "a store in memory ends with its process");
  if (store !== "xtdb" || !isNodeUrl(at)) return;
  throw new StoreError(
    "STORE_UNAVAILABLE",
    `${at} is the URL of a node; give the node's data folder with --at, on the machine of the node, or use scm export`,
  );
}

async function copyStore({ store, at }: StorePlace, to: string): Promise<void> {
  if (store === "xtdb") return await xtdbNode(at).backup(to);
  const { copySqliteStore } = await import("@self-context-manager/store-sqlite");
  await copySqliteStore(at, to);
}

export async function checkUnused({ store, at }: StorePlace): Promise<void> {
  if (!(await exists(at))) return;
  const isOpen = store === "xtdb" ? await isNodeRunning(at) : await isFileOpen(at);
  if (!isOpen) return;
  const advice = store === "xtdb" ? "stop its node with scm xtdb stop" : "end the agents";
  throw new StoreError("STORE_BUSY", `the store ${at} is in use; ${advice} first`);
}

async function isNodeRunning(at: string): Promise<boolean> {
  const { state } = await xtdbNode(at).status();
  return state === "running" || state === "failed";
}

async function isFileOpen(at: string): Promise<boolean> {
  const { isSqliteStoreOpen } = await import("@self-context-manager/store-sqlite");
  return await isSqliteStoreOpen(at);
}

/** Checks the unpacked database of a backup. Throws an error that says what is wrong with it. */
async function checkBackup(path: string): Promise<BackupContent> {
  if (await isNodeDatabase(path)) return { store: "xtdb" };
  const { openStoreFile } = await import("@self-context-manager/store-sqlite");
  using file = await openStoreFile(path);
  let [problem] = file.damage();
  let versions = 0;
  let objects = 0;
  let last: string | undefined;
  for (const read of file.versions()) {
    problem ??= read.problem;
    versions += 1;
    if (read.id !== last) objects += 1;
    last = read.id;
  }
  if (problem !== undefined) throw new StoreError("STORE_CORRUPT", problem);
  return { store: "sqlite", versions, objects };
}

/** Whether a file is the database of an XTDB node that its backup has marked. Throws if that database is damaged. */
async function isNodeDatabase(path: string): Promise<boolean> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const marks = "SELECT 1 FROM sqlite_schema WHERE name = 'scm_engine'";
    if (database.prepare(marks).get() === undefined) return false;
    const found = Object.values(database.prepare("PRAGMA integrity_check(1)").get() ?? {})[0];
    if (found === "ok") return true;
    throw new TypeError(`its database is damaged: ${String(found)}`);
  } finally {
    database.close();
  }
}

/** Runs work with a folder for this user only, on the same disk as a file, and removes the folder. */
export async function besideFile<Result>(
  file: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = `${file}.${process.pid}.partial`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
