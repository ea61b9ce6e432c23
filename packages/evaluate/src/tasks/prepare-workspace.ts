import { appendFile, cp, lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { EvaluateError } from "../model/evaluate-error.ts";
import type { Task, TaskRepository } from "../model/task.ts";
import { commitAll, git } from "./git.ts";
import { pathFault, writeInside } from "./workspace-path.ts";

/**
 * Fills a folder with the files that a task begins with, and makes it a Git repository with one commit. The history of the
 * task's repositories is left out, because later commits can contain the solution. Throws `EvaluateError` with
 * `EVALUATE_TASK`.
 */
export async function prepareWorkspace(task: Task, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { files, repositories = [] } = task.workspace;
  if (task.workspace.folder !== undefined) await copyFolder(task.workspace.folder, folder);
  for (const repository of repositories) await checkOut(repository, folder);
  for (const [path, text] of Object.entries(files)) await writeInside(folder, path, text);
  const inner = repositories.map(({ path }) => path).filter((path) => path !== "");
  for (const path of inner) await commitAll(join(folder, path));
  await commitAll(folder, inner);
  if (inner.length === 0) return;
  const lines = inner.map((path) => `/${path}/\n`).join("");
  await appendFile(join(folder, ".git", "info", "exclude"), lines);
}

/** Copies files, folders and symbolic links. The folder `.git` at the top stays behind. */
async function copyFolder(source: string, folder: string): Promise<void> {
  const stats = await lstat(source).catch(() => undefined);
  if (stats?.isDirectory() !== true) {
    throw new EvaluateError(
      "EVALUATE_TASK",
      `the task's folder ${source} is not a folder; correct \`workspace.folder\``,
    );
  }
  await copyFiles(source, folder, (path) => path !== join(source, ".git"));
}

/** Copies a folder without what is neither a file, a folder nor a symbolic link, such as a socket. */
export async function copyFiles(
  source: string,
  target: string,
  isWanted: (path: string) => boolean = () => true,
): Promise<void> {
  await cp(source, target, {
    recursive: true,
    // A relative link must lead into the copy.
    verbatimSymlinks: true,
    filter: async (path) => {
      if (!isWanted(path)) return false;
      const stats = await lstat(path);
      return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
    },
  });
}

async function checkOut({ path, url, commit }: TaskRepository, folder: string): Promise<void> {
  const fault = path === "" ? undefined : pathFault(path);
  if (fault !== undefined || !/^[0-9a-f]{40,64}$/u.test(commit) || url.startsWith("-")) {
    throw new EvaluateError(
      "EVALUATE_TASK",
      `repository ${url} at ${commit} in ${JSON.stringify(path)} is refused: ${fault ?? "a full commit hash and a path or URL are needed"}`,
    );
  }
  const target = join(folder, path);
  await mkdir(target, { recursive: true });
  await git(target, ["init", "--quiet"]);
  await git(target, ["fetch", "--quiet", "--depth=1", "--no-tags", url, commit]).catch(() =>
    // A server can refuse a single commit. Then all branches are fetched.
    git(target, ["fetch", "--quiet", "--no-tags", url, "+refs/heads/*:refs/fetched/*"]),
  );
  await git(target, ["checkout", "--quiet", "--force", "--detach", commit]);
  await rm(join(target, ".git"), { recursive: true });
}
