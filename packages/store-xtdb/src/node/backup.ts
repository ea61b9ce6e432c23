import { existsSync } from "node:fs";
import { chmod, copyFile, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { runningNode } from "./ask-node.ts";
import {
  checkEngine,
  dataFolderOf,
  type EngineRecord,
  parseEngine,
  readEngine,
} from "./data-folder.ts";
import { withFolderLock } from "./folder-lock.ts";
import { makeFolder } from "./make-folder.ts";
import { moduleFiles } from "./module-files.ts";
import { NodeError } from "./node-error.ts";

const lockMilliseconds = 120_000;

/**
 * Copies the database of a node into one file, whether the node runs or not. The file contains the transactions and
 * documents of one moment and the engine that wrote them. Rejects with `BACKUP_REFUSED` and leaves no incomplete file.
 */
export async function backupNode(dataFolder: string, file: string): Promise<void> {
  const data = dataFolderOf(resolve(dataFolder));
  const target = resolve(file);
  const record = await readEngine(data);
  if (record === undefined) {
    throw new NodeError(
      "BACKUP_REFUSED",
      `there is no data of a node in ${data.folder}; choose the data folder of a node`,
    );
  }
  if (record.storage !== "sqlite") {
    throw new NodeError(
      "BACKUP_REFUSED",
      `the node in ${data.folder} keeps its data in PostgreSQL; back up that database with pg_dump`,
    );
  }
  if (existsSync(target)) {
    throw new NodeError("BACKUP_REFUSED", `${target} exists already; choose another file`);
  }
  const partial = `${target}.${process.pid}.partial`;
  await makeFolder(dirname(target));
  try {
    await copyDatabase(data.database, partial, record);
    await rename(partial, target);
  } catch (cause) {
    await rm(partial, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NodeError("BACKUP_REFUSED", `${target} could not be written (${reason})`, { cause });
  }
}

async function copyDatabase(from: string, to: string, record: EngineRecord): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite");
  // The copy is written into an empty file that only this user can read.
  await (await open(to, "wx", 0o600)).close();
  const source = new DatabaseSync(from);
  try {
    source.exec("PRAGMA busy_timeout = 10000");
    source.prepare("VACUUM INTO ?").run(to);
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(to);
  try {
    copy.exec("CREATE TABLE scm_engine (record TEXT NOT NULL)");
    copy.prepare("INSERT INTO scm_engine VALUES (?)").run(JSON.stringify(record));
  } finally {
    copy.close();
  }
}

/**
 * Fills an empty data folder from a backup. The next start builds the index from it. Rejects with `RESTORE_REFUSED`, or
 * with `ENGINE_CHANGED` if another version of XTDB wrote the backup.
 */
export async function restoreNode(file: string, dataFolder: string): Promise<void> {
  const source = resolve(file);
  const data = dataFolderOf(resolve(dataFolder));
  const { engine } = await moduleFiles();
  if (!existsSync(source)) {
    throw new NodeError(
      "RESTORE_REFUSED",
      `the backup ${source} does not exist; choose another file`,
    );
  }
  await withFolderLock(data.folder, { wait: lockMilliseconds }, async () => {
    if (existsSync(data.database) || (await runningNode(data)) !== undefined) {
      throw new NodeError(
        "RESTORE_REFUSED",
        `${data.folder} already contains the data of a node; choose another folder, or move that data away`,
      );
    }
    const partial = `${data.database}.partial`;
    try {
      await copyFile(source, partial);
      await chmod(partial, 0o600);
      const record = await takeRecord(partial, source);
      if (record.version !== engine) {
        throw new NodeError(
          "ENGINE_CHANGED",
          `${source} was written by XTDB ${record.version}, but this version uses ${engine}; restore the backup with the version of self-context-manager that wrote it, export the objects there, and import them here`,
        );
      }
      await rm(data.index, { recursive: true, force: true });
      await rm(data.engine, { force: true });
      await checkEngine(data, record);
      await rename(partial, data.database);
    } finally {
      await rm(partial, { force: true });
    }
  });
}

/** Removes the record of the engine from a copy of a backup, so that only XTDB's own tables remain, and returns it. */
async function takeRecord(path: string, backup: string): Promise<EngineRecord> {
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const database = new DatabaseSync(path);
    try {
      const row = database.prepare("SELECT record FROM scm_engine").get();
      const record = parseEngine(String(row?.["record"]));
      const check = database.prepare("PRAGMA quick_check").get();
      if (record === undefined || Object.values(check ?? {})[0] !== "ok") {
        throw new TypeError("damaged");
      }
      database.exec("DROP TABLE scm_engine");
      return record;
    } finally {
      database.close();
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NodeError(
      "RESTORE_REFUSED",
      `${backup} is not a complete backup of a node (${reason}); choose a file that \`scm backup\` wrote`,
      { cause },
    );
  }
}
