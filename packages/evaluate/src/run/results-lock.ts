import { messageOf } from "@self-context-manager/objects";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { EvaluateError } from "../model/evaluate-error.ts";

/**
 * Keeps other processes from doing runs in the same folder of results at the same time. The lock of a process that was
 * killed is taken over. Rejects with `EvaluateError` and `EVALUATE_PLAN` if a process that runs has it, and
 * with `EVALUATE_FILE` if the folder cannot be written.
 */
export async function lockResults(folder: string): Promise<AsyncDisposable> {
  const path = join(folder, "lock");
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    throw notWritable(folder, cause);
  }
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: "wx" });
      return { [Symbol.asyncDispose]: async () => await rm(path, { force: true }) };
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST"))
        throw notWritable(folder, cause);
      const text = await textOf(path);
      if (text === undefined) continue;
      const owner = Number(text);
      if (isRunning(owner))
        throw new EvaluateError(
          "EVALUATE_PLAN",
          `process ${owner} does the runs in ${folder} already; wait for its end, or choose another folder`,
          { cause },
        );
      await rm(path, { force: true });
    }
  }
}

/** Milliseconds between two looks at a lock without a number, and the number of looks. */
const [pauseMs, looks] = [50, 20];

/**
 * Returns the text of a lock; undefined if it is gone. Another process creates the file before it writes its number, so a
 * lock is only one of a killed process if it stays empty.
 */
async function textOf(path: string): Promise<string | undefined> {
  for (let look = 0; look < looks; look += 1) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text !== "") return text;
    await setTimeout(pauseMs);
  }
  return "";
}

function notWritable(folder: string, cause: unknown): EvaluateError {
  return new EvaluateError(
    "EVALUATE_FILE",
    `${folder} cannot be written (${messageOf(cause)}); choose a folder that can`,
    { cause },
  );
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists too.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
