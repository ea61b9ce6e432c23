import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { NodeError } from "./node-error.ts";

/** The files of a node's data folder. */
export interface DataFolder {
  readonly folder: string;
  /** Transactions and documents, where SQLite keeps them: all that cannot be built again. */
  readonly database: string;
  /** XTDB's index, built again from the database where it is missing. */
  readonly index: string;
  /** Which engine wrote the data. */
  readonly engine: string;
  readonly config: string;
  /** Where the node listens, while it does. */
  readonly runFile: string;
  /** A file for each process that uses the node, and `keep`. */
  readonly clients: string;
  readonly log: string;
  /** For libraries that Java unpacks; emptied at each start. */
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
    clients: join(folder, "clients"),
    log: join(folder, "node.log"),
    temporary: join(folder, "tmp"),
  };
}

/** Which engine wrote a data folder, and where it keeps transactions and documents. */
export interface EngineRecord {
  readonly format: 1;
  readonly engine: "xtdb";
  readonly version: string;
  readonly storage: "sqlite" | "postgres";
}

/** The record of a data folder, undefined where there is none. */
export async function readEngine(data: DataFolder): Promise<EngineRecord | undefined> {
  if (!existsSync(data.engine)) return undefined;
  const text = await readFile(data.engine, "utf8");
  const record = parseEngine(text);
  if (record !== undefined) return record;
  throw new NodeError(
    "DATA_FOREIGN",
    `${data.engine} does not say which engine wrote ${data.folder}; name another folder, or restore it from a backup`,
  );
}

export function parseEngine(text: string): EngineRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // No JSON is no record, as other JSON is none.
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
 * Records the engine in a new folder, and refuses data of another one: XTDB hashes a document differently from version
 * to version, so that comparing with a stored one would fail without a reason that anybody could see.
 */
export async function checkEngine(data: DataFolder, wanted: EngineRecord): Promise<void> {
  const found = await readEngine(data);
  if (found === undefined) {
    if (existsSync(data.database)) {
      throw new NodeError(
        "DATA_FOREIGN",
        `${data.folder} has a database (golden.db) and no engine.json that says what wrote it; name another folder`,
      );
    }
    await writeEngine(data, wanted);
    return;
  }
  if (found.version !== wanted.version) {
    throw new NodeError(
      "ENGINE_CHANGED",
      `the data in ${data.folder} was written by XTDB ${found.version}, and this is ${wanted.version}, which hashes documents differently; export it with the version of self-context-manager that wrote it, and import that into a new folder`,
    );
  }
  if (found.storage !== wanted.storage) {
    throw new NodeError(
      "DATA_FOREIGN",
      `the node in ${data.folder} keeps its data in ${found.storage}, and ${wanted.storage} was asked for; name another folder`,
    );
  }
}
