import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { NodeError } from "./node-error.ts";

/** The files of a node's data folder. */
export interface DataFolder {
  readonly folder: string;
  /** The SQLite database with transactions and documents, the only data that cannot be built again. */
  readonly database: string;
  /** The folder of XTDB's index. If it is missing, it is built again from the database. */
  readonly index: string;
  /** The file with the record of the engine that wrote the data. */
  readonly engine: string;
  readonly config: string;
  /** The file with the address of the node; it exists while the node listens. */
  readonly runFile: string;
  /** The file with the token that the node requires; only this user can read it. */
  readonly token: string;
  /** The folder with a file for each process that uses the node, and the file `keep`. */
  readonly clients: string;
  readonly log: string;
  /** The folder for libraries that Java unpacks. It is emptied at each start. */
  readonly temporary: string;
}

export function dataFolderOf(folder: string): DataFolder {
  return {
    folder,
    database: join(folder, "golden.db"),
    index: join(folder, "index"),
    engine: join(folder, "engine.json"),
    config: join(folder, "xtdb.edn"),
    runFile: join(folder, "node.json"),
    token: join(folder, "token"),
    clients: join(folder, "clients"),
    log: join(folder, "node.log"),
    temporary: join(folder, "tmp"),
  };
}

/** The engine that wrote a data folder, and its storage for transactions and documents. */
export interface EngineRecord {
  readonly format: 1;
  readonly engine: "xtdb";
  readonly version: string;
  readonly storage: "sqlite" | "postgres";
}

/** Returns the engine record of a data folder; undefined if there is none. */
export async function readEngine(data: DataFolder): Promise<EngineRecord | undefined> {
  if (!existsSync(data.engine)) return undefined;
  const text = await readFile(data.engine, "utf8");
  const record = parseEngine(text);
  if (record !== undefined) return record;
  throw new NodeError(
    "DATA_FOREIGN",
    `${data.engine} does not name the engine that wrote ${data.folder}; choose another folder, or restore it from a backup`,
  );
}

export function parseEngine(text: string): EngineRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A text that is not JSON is not a record.
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { format, engine, version, storage } = value as Record<string, unknown>;
  if (format !== 1 || engine !== "xtdb" || typeof version !== "string") return undefined;
  if (storage !== "sqlite" && storage !== "postgres") return undefined;
  return { format, engine, version, storage };
}

async function writeEngine(data: DataFolder, record: EngineRecord): Promise<void> {
  const partial = `${data.engine}.${process.pid}.partial`;
  await writeFile(partial, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(partial, data.engine);
}

/**
 * Records the engine in a new folder, and refuses the data of another one. Versions of XTDB hash a document differently,
 * so a comparison with a stored document would fail without a visible reason.
 */
export async function checkEngine(data: DataFolder, wanted: EngineRecord): Promise<void> {
  const found = await readEngine(data);
  if (found === undefined) {
    if (existsSync(data.database)) {
      throw new NodeError(
        "DATA_FOREIGN",
        `${data.folder} has a database (golden.db), but no engine.json that names the engine that wrote it; choose another folder`,
      );
    }
    await writeEngine(data, wanted);
    return;
  }
  if (found.version !== wanted.version) {
    throw new NodeError(
      "ENGINE_CHANGED",
      `the data in ${data.folder} was written by XTDB ${found.version}, but this version uses ${wanted.version}, which hashes documents differently; export it with the version of self-context-manager that wrote it, and import the export into a new folder`,
    );
  }
  if (found.storage !== wanted.storage) {
    throw new NodeError(
      "DATA_FOREIGN",
      `the node in ${data.folder} keeps its data in ${found.storage}, but ${wanted.storage} is configured; choose another folder`,
    );
  }
}
