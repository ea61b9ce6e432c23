import { commandWords } from "@self-context-manager/core/host";
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

import { isFields } from "./pi-api.ts";

/** The arguments and the output of a tool call that names files. */
export interface NamingCall {
  readonly tool: string;
  readonly input: unknown;
  /** The text of its result. */
  readonly output: string;
  readonly workspace: string;
}

/**
 * The files that a call names, as absolute paths: those that `ls`, `find` and `grep` print, and for `bash` the words of
 * its command that are files. Only regular files whose real path is inside the workspace are returned, because a call
 * must not make the session read other files.
 */
export async function namedFiles(call: NamingCall): Promise<readonly string[]> {
  const candidates = [...new Set(candidatePaths(call))].slice(0, mostCandidates);
  if (candidates.length === 0) return [];
  const root = await realPathOf(call.workspace);
  if (root === undefined) return [];
  const found = await Promise.all(candidates.map(async (path) => await fileWithin(path, root)));
  return found.filter((path) => path !== undefined);
}

/** More paths than any of Pi's searches prints. */
const mostCandidates = 1_000;

function candidatePaths({ tool, input, output, workspace }: NamingCall): readonly string[] {
  const args = isFields(input) ? input : {};
  const place = typeof args["path"] === "string" && args["path"] !== "" ? args["path"] : ".";
  const base = resolve(workspace, withHome(place.replace(/^@/u, "")));
  switch (tool) {
    case "ls":
    case "find":
      return output
        .split("\n")
        .filter((line) => line !== "" && !line.endsWith("/"))
        .map((line) => join(base, line));
    case "grep":
      return output.split("\n").flatMap((line) => {
        const name = /^(.+?):\d+: /u.exec(line)?.[1];
        // For a search in a single file Pi prints only the file's name.
        return name === undefined ? [] : [join(base, name), join(dirname(base), name)];
      });
    case "bash":
      return typeof args["command"] === "string" ? commandPaths(args["command"], workspace) : [];
    default:
      return [];
  }
}

/** The words of a command that could be paths. Whether they are files is checked on disk later. */
function commandPaths(command: string, workspace: string): readonly string[] {
  return commandWords(command)
    .filter((word) => word !== "" && word.length < 1_024 && !word.startsWith("-"))
    .map((word) => resolve(workspace, withHome(word)));
}

function withHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? `${homedir()}${path.slice(1)}` : path;
}

async function fileWithin(path: string, root: string): Promise<string | undefined> {
  const real = await realPathOf(path);
  if (real === undefined) return undefined;
  const inside = relative(root, real);
  if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    return undefined;
  try {
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    // A file that is gone by now, or that may not be read, counts as not named.
    return undefined;
  }
}

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    // Most words of a command are not paths.
    return undefined;
  }
}
