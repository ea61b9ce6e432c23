import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** A file or folder that could not be looked into. */
export interface Unreadable {
  readonly path: string;
  readonly reason: string;
}

export interface FoundSessions {
  /** Absolute paths in a fixed order, each file once. */
  readonly files: readonly string[];
  readonly unreadable: readonly Unreadable[];
}

export interface FindOptions {
  /** Default: the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Default: the home folder of the user. */
  readonly home?: string;
}

/**
 * The files that may hold recorded sessions.
 *
 * A file is taken as it is, whatever its name; of a folder every `.jsonl` and `.json` in it and below. Without paths
 * these are the `.jsonl` files where Pi, Claude Code and Codex CLI keep their sessions, and a folder of theirs that is
 * not there is none. What a file holds is found out by `readSession`.
 */
export async function findSessions(
  paths?: readonly string[],
  options: FindOptions = {},
): Promise<FoundSessions> {
  const found: Found = { files: new Map(), unreadable: [] };
  if (paths === undefined) {
    for (const folder of defaultFolders(options)) {
      if (await exists(folder)) await look(folder, /\.jsonl$/iu, found);
    }
  } else {
    for (const path of paths) await look(resolve(path), /\.jsonl?$/iu, found);
  }
  return { files: [...found.files.values()], unreadable: found.unreadable };
}

/**
 * Where Pi, Claude Code and Codex CLI keep their sessions: in the user's folder, unless `PI_CODING_AGENT_SESSION_DIR`,
 * `PI_CODING_AGENT_DIR`, `CLAUDE_CONFIG_DIR` or `CODEX_HOME` say otherwise.
 */
export function defaultFolders(options: FindOptions = {}): readonly string[] {
  const { environment = process.env, home = homedir() } = options;
  const variable = (name: string): string | undefined => {
    const value = environment[name];
    if (value === undefined || value === "") return undefined;
    return value === "~" || value.startsWith("~/") ? join(home, value.slice(1)) : value;
  };
  const pi = variable("PI_CODING_AGENT_DIR") ?? join(home, ".pi", "agent");
  return [
    variable("PI_CODING_AGENT_SESSION_DIR") ?? join(pi, "sessions"),
    join(variable("CLAUDE_CONFIG_DIR") ?? join(home, ".claude"), "projects"),
    join(variable("CODEX_HOME") ?? join(home, ".codex"), "sessions"),
  ].map((folder) => resolve(folder));
}

interface Found {
  /** By real path, so that a link does not make a session count twice. */
  readonly files: Map<string, string>;
  readonly unreadable: Unreadable[];
}

async function look(path: string, names: RegExp, found: Found): Promise<void> {
  try {
    const facts = await stat(path);
    if (facts.isDirectory()) await lookInto(path, names, found);
    else if (facts.isFile()) await take(path, found);
    else found.unreadable.push({ path, reason: "neither a file nor a folder" });
  } catch (cause) {
    // One path that is gone or locked must not keep the others from being found.
    found.unreadable.push({ path, reason: reasonOf(cause) });
  }
}

async function lookInto(folder: string, names: RegExp, found: Found): Promise<void> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    // As above.
    found.unreadable.push({ path: folder, reason: reasonOf(cause) });
    return;
  }
  // By code units, not by locale: the same on every machine.
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    // A linked folder may lead back to where it is linked from.
    if (entry.isDirectory()) await lookInto(path, names, found);
    else if (!names.test(entry.name)) continue;
    else if (entry.isFile()) await take(path, found);
    else if (entry.isSymbolicLink()) await takeLink(path, found);
  }
}

async function takeLink(path: string, found: Found): Promise<void> {
  try {
    if ((await stat(path)).isFile()) await take(path, found);
  } catch (cause) {
    // A link to nowhere is reported like a file that cannot be read.
    found.unreadable.push({ path, reason: reasonOf(cause) });
  }
}

async function take(path: string, found: Found): Promise<void> {
  const real = await realpath(path);
  if (!found.files.has(real)) found.files.set(real, path);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // Absence is no error here; any other trouble shows when it is looked into by name.
    return false;
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
