import { commandWords } from "@self-context-manager/core";
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

import { isFields } from "./pi-api.ts";

/** What a tool that names files was asked and what it printed. */
export interface NamingCall {
  readonly tool: string;
  readonly input: unknown;
  /** The text of its result. */
  readonly output: string;
  readonly workspace: string;
}

/**
 * The files that a call names, as absolute paths: those that `ls`, `find` and `grep` print, and for `bash` the words of
 * its command that are files. Only regular files inside the workspace, by their real path, are answered: a call must not make the session read other
 * files.
 */
export async function namedFiles(call: NamingCall): Promise<readonly string[]> {
  const candidates = [...new Set(candidatePaths(call))].slice(0, mostCandidates);
  if (candidates.length === 0) return [];
  const root = await realPathOf(call.workspace);
  if (root === undefined) return [];
  const found = await Promise.all(candidates.map(async (path) => await fileWithin(path, root)));
  return found.filter((path) => path !== undefined);
}

/** More than any of Pi's searches prints. */
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
        // Of a search in one file Pi prints the file's name only.
        return name === undefined ? [] : [join(base, name), join(dirname(base), name)];
      });
    case "bash":
      return typeof args["command"] === "string" ? commandPaths(args["command"], workspace) : [];
    default:
      return [];
  }
}

/** The words of a command that could be paths; whether they are is for the disk to say. */
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
    // What has gone since, or may not be looked at, is as good as not named.
    return undefined;
  }
}

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    // Most words of a command are no paths at all.
    return undefined;
  }
}
