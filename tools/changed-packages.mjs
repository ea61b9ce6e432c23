// What differs from main: `npm test` runs the long-only tests of the packages that do, and `npm test -- --changed` only the
// tests that import a file that does. Uncommitted and new files count.
import { spawnSync } from "node:child_process";

/**
 * The commit at which the work since main began, or `SCM_BASE`; undefined where git does not know main. On main itself it is
 * the last commit that was pushed.
 */
export function mainCommit() {
  const base = process.env["SCM_BASE"];
  if (base !== undefined && base !== "") return base;
  for (const main of ["origin/main", "main"]) {
    const commit = git("merge-base", "HEAD", main);
    if (commit !== undefined) return commit;
  }
  return undefined;
}

/**
 * The packages with files that differ from a commit.
 * @param {string | undefined} commit
 * @returns {readonly string[]}
 */
export function changedPackages(commit) {
  if (commit === undefined) return [];
  const files = [
    git("diff", "--name-only", commit) ?? "",
    git("ls-files", "--others", "--exclude-standard") ?? "",
  ];
  const names = files
    .join("\n")
    .split("\n")
    .map((file) => /^packages\/([^/]+)\/.*(?<!\.md)$/u.exec(file)?.[1] ?? "");
  return [...new Set(names)].filter((name) => name !== "").toSorted();
}

/**
 * The output of a git command, or undefined if it failed.
 * @param {readonly string[]} command
 */
function git(...command) {
  const { status, stdout } = spawnSync("git", command, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}
