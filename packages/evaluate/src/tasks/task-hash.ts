import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, sep } from "node:path";
import { canonicalJson, sha256, toJson } from "@self-context-manager/objects";
import type { Task } from "../model/task.ts";

/**
 * The SHA-256 of a task as canonical JSON, in hex. A folder counts by its files and a repository by its commit, not by
 * the place on this machine, so the hash of a task is the same everywhere.
 */
export function taskHash(task: Task): string {
  const { files, folder, repositories } = task.workspace;
  const workspace = {
    files,
    ...(folder !== undefined && { folder: folderHash(folder) }),
    ...(repositories !== undefined && {
      repositories: repositories.map(({ path, commit }) => ({ path, commit })),
    }),
  };
  return sha256(canonicalJson(toJson({ ...task, workspace })));
}

/** The SHA-256 of the paths and contents of a folder, in hex. The folder `.git` does not count. */
function folderHash(folder: string): string {
  const lines = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length).split(sep).filter(Boolean).join("/");
    if (name === ".git" || name.startsWith(".git/")) return [];
    if (entry.isSymbolicLink()) return [`${name} -> ${readlinkSync(path)}`];
    return entry.isFile() ? [`${name} ${sha256(readFileSync(path, "base64"))}`] : [];
  });
  return sha256(lines.toSorted().join("\n"));
}
