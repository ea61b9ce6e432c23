import type { ObjectStore } from "@self-context-manager/objects";
import { memoryStore } from "@self-context-manager/store-memory";
import { copySqliteStore, openSqliteStore } from "@self-context-manager/store-sqlite";
import {
  damageFile,
  type PlaceOptions,
  type StorePlace,
} from "@self-context-manager/store-contract";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

/** Returns a place for stores in memory. Each opening returns a separate store. */
export async function memoryPlace(): Promise<StorePlace> {
  return {
    open: async (options) => memoryStore(options),
    async [Symbol.asyncDispose]() {},
  };
}

/** Returns a place for a SQLite store in a temporary folder. */
export async function sqlitePlace(): Promise<StorePlace & { readonly path: string }> {
  return folderPlace((path, options) => openSqliteStore({ path, ...options }));
}

/**
 * Returns a place with a file in a temporary folder, and with the child program that opens the file in the given
 * manner.
 */
export async function folderPlace(
  open: (path: string, options: PlaceOptions) => Promise<ObjectStore>,
  manner = "sound",
): Promise<StorePlace & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), "scm-stores-"));
  const path = join(folder, "store.sqlite");
  return {
    path,
    open: (options = {}) => open(path, options),
    child: childCommand(path, manner),
    damage: (random) => damageFile(path, random),
    lose: async () => await rm(path),
    async backup() {
      const copy = await folderPlace(open, manner);
      await copySqliteStore(path, copy.path);
      return copy;
    },
    async block() {
      const other = new DatabaseSync(path);
      other.exec("BEGIN IMMEDIATE");
      return {
        async [Symbol.asyncDispose]() {
          if (other.isOpen) other.close();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function childCommand(path: string, manner: string): readonly string[] {
  return [
    process.execPath,
    "--conditions=@self-context-manager/source",
    fileURLToPath(new URL("./store-child.ts", import.meta.url)),
    path,
    manner,
  ];
}
