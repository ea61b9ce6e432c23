import { damageFile, type StorePlace } from "@self-context-manager/store-contract";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { copySqliteStore, openSqliteStore } from "../src/index.ts";
import { lockFile } from "./lock-file.ts";
import { storedTexts } from "./stored-texts.ts";

/** Returns a place in a temporary folder. Disposal removes the folder. */
export async function sqlitePlace(): Promise<StorePlace & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), "scm-sqlite-"));
  const path = join(folder, "store.sqlite");
  return {
    path,
    open: (options = {}) => openSqliteStore({ path, ...options }),
    child: [
      process.execPath,
      "--conditions=@self-context-manager/source",
      fileURLToPath(new URL("./store-child.ts", import.meta.url)),
      path,
    ],
    stored: () => storedTexts(folder, path),
    damage: (random) => damageFile(path, random),
    // The side files stay, so a new store must not read them. The renamed file can still be written.
    lose: async () => await rename(path, `${path}.old`),
    async backup() {
      const copy = await sqlitePlace();
      await copySqliteStore(path, copy.path);
      return copy;
    },
    async block() {
      const release = lockFile(path, "IMMEDIATE");
      return { [Symbol.asyncDispose]: async () => release() };
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}
