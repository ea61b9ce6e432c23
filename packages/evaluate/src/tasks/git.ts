import { execFile } from "node:child_process";
import { appendFile } from "node:fs/promises";
import { devNull } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { EvaluateError } from "../model/evaluate-error.ts";

const execute = promisify(execFile);

/** Runs Git in a folder, without the settings of the user, and returns its output. */
export async function git(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const { stdout } = await execute("git", [...fixedSettings, ...args], {
      cwd: folder,
      env: { ...gitEnvironment(), ...environment },
      maxBuffer: 256 * 1024 * 1024,
    });
    return stdout;
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split("\n").at(-2) ?? "") : "";
    throw new EvaluateError(
      "EVALUATE_TASK",
      `git ${args.slice(0, 2).join(" ")} failed in ${folder}: ${reason}; install Git, or correct the task's repository or patch`,
      { cause },
    );
  }
}

// Hooks, signatures and changed line ends would make a commit differ between machines.
const fixedSettings = [
  "core.autocrlf=false",
  `core.hooksPath=${devNull}`,
  "commit.gpgSign=false",
  "gc.auto=0",
  "advice.detachedHead=false",
].flatMap((setting) => ["-c", setting]);

/** The author and the time of the first commit are fixed, so its hash depends on the files alone. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const moment = "2026-01-05T09:00:00+00:00";
  const names = ["PATH", "HOME", "SystemRoot", "TMPDIR", "TEMP", "SSH_AUTH_SOCK"];
  const kept = names.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: author,
    GIT_AUTHOR_EMAIL: mail,
    GIT_AUTHOR_DATE: moment,
    GIT_COMMITTER_NAME: author,
    GIT_COMMITTER_EMAIL: mail,
    GIT_COMMITTER_DATE: moment,
    LC_ALL: "C",
  };
}

const author = "Workspace";
const mail = "workspace@example.invalid";

/** Makes a folder a Git repository with one commit of all its files. The folders in `except` stay outside. */
export async function commitAll(folder: string, except: readonly string[] = []): Promise<void> {
  await git(folder, ["init", "--quiet", "--initial-branch=main"]);
  // The agent's own commits need a name, too.
  const user = `[user]\n\tname = ${author}\n\temail = ${mail}\n`;
  await appendFile(join(folder, ".git", "config"), user);
  const excluded = except.map((path) => `:(exclude,top,literal)${path}`);
  await git(folder, ["add", "--all", "--", ".", ...excluded]);
  await git(folder, ["commit", "--quiet", "--allow-empty", "--no-verify", "-m", "Begin"]);
}
