import type { StoredMetadata } from "@self-context-manager/core";
import { createReadStream } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

/** Units of a file that are looked at together; as many of the part before are looked at again, for a text at the cut. */
const part = 1 << 20;

/**
 * Returns the files outside of the store that have a text: the files of the objects, and the hosts' own files of the
 * sessions. A file that cannot be read is left out.
 */
export async function filesWith(
  hasText: (text: string) => boolean,
  objects: readonly StoredMetadata[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const paths = new Set<string>();
  const sessions: string[] = [];
  for (const { body } of objects) {
    const { path, type, session_id: session } = body;
    if (typeof path === "string") paths.add(path);
    if (type === "session" && typeof session === "string" && session !== "")
      sessions.push(basename(session));
  }
  if (sessions.length > 0)
    for (const file of await hostFiles(environment))
      if (sessions.some((id) => basename(file).includes(id))) paths.add(file);
  const found: string[] = [];
  for (const path of paths) if (await hasTextIn(path, hasText)) found.push(path);
  return found.toSorted();
}

/** Returns the files in which Pi and OpenClaw keep sessions. The name of each has the id of its session. */
async function hostFiles(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const home = homedir();
  const pi = environment["PI_CODING_AGENT_DIR"] ?? join(home, ".pi", "agent");
  const openclaw = environment["OPENCLAW_STATE_DIR"] ?? join(home, ".openclaw");
  return [
    ...(await namesBelow(join(pi, "sessions"))),
    ...(await namesBelow(join(openclaw, "agents"))),
  ];
}

async function namesBelow(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  } catch {
    return [];
  }
}

async function hasTextIn(path: string, hasText: (text: string) => boolean): Promise<boolean> {
  try {
    if (!(await stat(path)).isFile()) return false;
    let before = "";
    for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: part })) {
      const text = before + String(chunk);
      if (hasText(text)) return true;
      before = text.slice(-part);
    }
    return false;
  } catch {
    return false;
  }
}

/** What copies begin with: a database, a packed backup, an export. */
const beginnings = ["SQLite format 3", "\u001F\u008B", '{"format":"self-context-manager'];

/** Returns the databases, backups and exports in the folder of a store and in its folder of backups, without its own files. */
export async function copiesBeside(at: string): Promise<readonly string[]> {
  const own = ["", "-wal", "-shm", "-journal", ".search", ".search-wal", ".search-shm"];
  const names = new Set(own.map((end) => `${at}${end}`));
  const folder = dirname(at);
  const copies: string[] = [];
  for (const inside of [folder, join(folder, "backups")])
    for (const entry of await readdir(inside, { withFileTypes: true }).catch(() => [])) {
      const path = join(inside, entry.name);
      if (entry.isFile() && !names.has(path) && (await isCopy(path))) copies.push(path);
    }
  return copies.toSorted();
}

async function isCopy(path: string): Promise<boolean> {
  if (path.endsWith(".lost.jsonl")) return true;
  try {
    await using file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(32), 0, 32, 0);
    const beginning = buffer.toString("latin1");
    return beginnings.some((one) => beginning.startsWith(one));
  } catch {
    return false;
  }
}
