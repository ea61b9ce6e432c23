import { exportObjects } from "@self-context-manager/objects";
import { openSqliteStore } from "@self-context-manager/store-sqlite";

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The data folder of the user, as `XDG_DATA_HOME` names it, with the extension's store. */
export interface DataFolder {
  readonly environment: Readonly<Record<string, string>>;
  readonly store: string;
  /** Returns all versions of all objects as exported, and the bytes of all files. Contents can be packed in the files. */
  text(): Promise<string>;
  remove(): Promise<void>;
  /**
   * Changes what the store's file has, as a faulty disk does: the contents of all versions, or only their long texts, so
   * that a session can be opened and its files cannot be read.
   */
  damage(part: DamagedPart): void;
  /** Takes the store's write lock in another process, until the disposal of the result. */
  lock(): Promise<AsyncDisposable>;
}

export type DamagedPart = "contents" | "long texts";

/** Creates an empty data folder in a folder. */
export async function newDataFolder(parent: string): Promise<DataFolder> {
  const folder = await mkdtemp(join(parent, "data-"));
  const store = join(folder, "self-context-manager", "store.sqlite");
  return {
    environment: { XDG_DATA_HOME: folder },
    store,
    text: async () => [await exported(store), await bytesIn(folder)].join("\n"),
    remove: async () => await rm(join(folder, "self-context-manager"), { recursive: true }),
    damage: (part) => damageFile(store, part),
    lock: async () => await lockFile(store),
  };
}

function damageFile(path: string, part: DamagedPart): void {
  using database = new DatabaseSync(path);
  database.exec(
    part === "contents"
      ? "UPDATE versions SET delta = '[0,{}]' WHERE delta IS NOT NULL"
      : "UPDATE chunks SET text = 'another text'",
  );
}

async function exported(path: string): Promise<string> {
  if (!existsSync(path)) return "";
  await using store = await openSqliteStore({ path });
  const lines: string[] = [];
  for await (const line of exportObjects(store)) lines.push(line);
  return lines.join("");
}

async function bytesIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const texts = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return (await stat(path)).isFile() ? await readFile(path, "utf8") : "";
    }),
  );
  return texts.join("\n");
}

/** The program of the process that holds the lock: it ends when its input ends. */
const holder = `
const { DatabaseSync } = require("node:sqlite");
const store = new DatabaseSync(process.argv[1]);
store.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
console.log("locked");
process.stdin.resume().on("end", () => { store.exec("ROLLBACK"); store.close(); });
`;

async function lockFile(path: string): Promise<AsyncDisposable> {
  const child = spawn(process.execPath, ["-e", holder, path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const first = await Promise.race([once(child.stdout, "data"), closed]);
  if (!String(first[0]).includes("locked")) throw new Error(`${path} could not be locked`);
  return {
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await closed;
    },
  };
}
