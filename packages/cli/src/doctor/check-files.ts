import { isNodeUrl, type StorePlace, xtdbNode } from "@self-context-manager/compose";

import { readdir, readFile, stat, statfs } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { counted, shortCount } from "../format/amounts.ts";
import { type Finding, note, ok } from "./finding.ts";

/** Checks the files of a store that is on this machine: leftovers of ended processes, permissions, free space. */
export async function checkFiles({ store, at }: StorePlace): Promise<readonly Finding[]> {
  if (store === "memory" || isNodeUrl(at)) return [];
  return [
    ...(await checkRepairs({ store, at })),
    await checkLeftovers(at),
    await checkPermissions(at),
    await checkSpace({ store, at }),
  ];
}

/** Names the versions that an earlier repair could not save: afterwards nothing in the store shows that they existed. */
async function checkRepairs(place: StorePlace): Promise<readonly Finding[]> {
  const path = await lostFileOf(place);
  if (path === undefined) return [];
  const lost = (await readFile(path, "utf8")).trimEnd().split("\n").length;
  return [
    note("repair", `a repair could not save ${counted(lost, "version")}; ${path} names them`),
  ];
}

/** The newest list of versions that a repair of a store could not save; undefined without one. */
export async function lostFileOf({ store, at }: StorePlace): Promise<string | undefined> {
  if (store !== "sqlite") return undefined;
  const beginning = `${basename(at)}.`;
  const names = await namesIn(dirname(at));
  const name = names
    .filter((one) => one.startsWith(beginning) && one.endsWith(".lost.jsonl"))
    .sort()
    .at(-1);
  return name === undefined ? undefined : join(dirname(at), name);
}

/** Looks for files that a process made beside the store and did not remove, because it was killed. */
async function checkLeftovers(at: string): Promise<Finding> {
  const found: string[] = [];
  for (const folder of [dirname(at), join(dirname(at), "backups")]) {
    for (const name of await namesIn(folder)) {
      const [, pid] = /\.(\d+)\.partial$/u.exec(name) ?? [];
      if (pid !== undefined && !isRunning(Number(pid))) found.push(join(folder, name));
    }
  }
  return found.length === 0
    ? ok("leftovers", "no unfinished files of ended processes")
    : note(
        "leftovers",
        `${counted(found.length, "unfinished file")} of ended processes; they can be deleted`,
        found,
      );
}

/** The names in a folder; none if it does not exist. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists, and may not be asked.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The bits of a file's mode that give access to other users. */
const accessOfOthers = 0o077;

/** Windows has no such bits: there the folder of a user is closed to others. */
async function checkPermissions(at: string): Promise<Finding> {
  if (process.platform === "win32") return ok("permissions", "as those of the folder");
  const open: string[] = [];
  for (const end of ["", "-wal", "-shm", ".search"]) {
    const facts = await stat(at + end).catch(() => undefined);
    if (facts !== undefined && (facts.mode & accessOfOthers) !== 0)
      open.push(`chmod go= ${at}${end}`);
  }
  return open.length === 0
    ? ok("permissions", "only this user can read the store")
    : note("permissions", "other users have access to the store; these commands end it", open);
}

async function checkSpace({ store, at }: StorePlace): Promise<Finding> {
  const { bavail, bsize } = await statfs(dirname(at));
  const free = bavail * bsize;
  const size =
    store === "xtdb" ? ((await xtdbNode(at).status()).databaseBytes ?? 0) : (await stat(at)).size;
  const text = `${shortCount(free)}B free, the store ${basename(at)} has ${shortCount(size)}B`;
  // A repair and a backup need the size of the store twice for a moment.
  return free >= 2 * size
    ? ok("space", text)
    : note("space", `${text}; a backup or a repair needs twice that`);
}
