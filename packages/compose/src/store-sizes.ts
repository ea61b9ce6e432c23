import type { FileSizes } from "@self-context-manager/store-sqlite";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import type { Environment } from "./environment.ts";
import { inMemory, searchPath, type StorePlace } from "./search-path.ts";
import { isNodeUrl } from "./store-path.ts";

/** A file or a folder that belongs to a store, with the bytes of all that is in it. */
export interface SizedFile {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Returns what takes the room inside the file of a store; undefined for a store in XTDB, whose node does not know the bytes
 * of a document, and for one in memory.
 */
export async function fileSizes({ store, at }: StorePlace): Promise<FileSizes | undefined> {
  if (store !== "sqlite") return undefined;
  const { openStoreFile } = await import("@self-context-manager/store-sqlite");
  using file = await openStoreFile(at);
  return file.sizes();
}

/**
 * Returns the files of a store and those beside it, each with its size: the log, the search index, backups, and stores that
 * a repair has moved aside. Of a node on another machine only the search index is on this one.
 */
export async function storeFiles(
  place: StorePlace,
  environment: Environment = process.env,
): Promise<readonly SizedFile[]> {
  const { store, at } = place;
  if (store === "memory") return [];
  const index = searchPath(place, environment);
  const paths = [
    ...(isNodeUrl(at) ? [] : await beginningWith(at)),
    ...(isNodeUrl(at) ? [] : await beginningWith(join(dirname(at), "backups", basename(at)))),
    ...(index === inMemory ? [] : await beginningWith(index)),
  ];
  const files: SizedFile[] = [];
  for (const path of new Set(paths)) files.push({ path, bytes: await bytesIn(path) });
  return files;
}

/** The path itself, and the paths that continue it with a `.` or a `-`. */
async function beginningWith(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const name = basename(path);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((one) => one === name || one.startsWith(`${name}.`) || one.startsWith(`${name}-`))
    .toSorted()
    .map((one) => join(folder, one));
}

/** The bytes of a file, or of all files in a folder. One that is deleted meanwhile has none. */
async function bytesIn(path: string): Promise<number> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) return 0;
  if (!facts.isDirectory()) return facts.size;
  let bytes = 0;
  for (const name of await readdir(path).catch(() => [])) bytes += await bytesIn(join(path, name));
  return bytes;
}
