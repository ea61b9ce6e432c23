import { messageOf } from "@self-context-manager/objects";
import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** A file or folder that could not be read. */
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
  /** Default: the user's home folder. */
  readonly home?: string;
}

/**
 * Finds the files that may contain recorded sessions.
 *
 * A named file is included whatever its name is. A named folder contributes every `.jsonl` and `.json` file in it and
 * below it. Without paths, the result is the `.jsonl` files in the session folders of Pi, Claude Code and Codex CLI; a
 * missing folder of theirs is no error. `readSession` determines what a file contains.
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
 * The folders in which Pi, Claude Code and Codex CLI store their sessions: in the user's home folder, or where
 * `PI_CODING_AGENT_SESSION_DIR`, `PI_CODING_AGENT_DIR`, `CLAUDE_CONFIG_DIR` or `CODEX_HOME` point.
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
  /** By real path, so that a session with a link to it counts once. */
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
    // One path that is missing or not readable must not stop the search of the others.
    found.unreadable.push({ path, reason: messageOf(cause) });
  }
}

async function lookInto(folder: string, names: RegExp, found: Found): Promise<void> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    // The search continues here too.
    found.unreadable.push({ path: folder, reason: messageOf(cause) });
    return;
  }
  // By code units, not by locale: the same on every machine.
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    // Folders behind links are not searched, because a link may lead back to its own parent.
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
    // A link without a target is reported like a file that cannot be read.
    found.unreadable.push({ path, reason: messageOf(cause) });
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
    // A missing folder is no error here; any other error appears when the folder is read.
    return false;
  }
}
