import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import type { ChildJob } from "./store-child.ts";
import type { StorePlace } from "./store-place.ts";

/** A child process that uses the store of a place. */
export interface StoreChild extends AsyncDisposable {
  /** The lines that the child has printed up to now. */
  readonly lines: readonly string[];
  /** Resolves once the child has printed this many lines. Rejects if it ends earlier. */
  printed(count: number): Promise<void>;
  kill(): void;
  /** Resolves with all printed lines when the child has ended. Rejects if it failed without being killed. */
  ended(): Promise<readonly string[]>;
}

/** Starts the child program of a place. */
export function startChild(place: StorePlace, job: ChildJob): StoreChild {
  const [command, ...args] = place.child ?? [];
  assert.ok(command !== undefined, "a place of a durable or shared store names a child program");
  const child = spawn(command, [...args, JSON.stringify(job)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let complaints = "";
  let killed = false;
  let over = false;
  const wake = (): void => waiting.forEach((check) => check());
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const end = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      over = true;
      wake();
      resolve(code);
    });
  });
  // Callers that wait for the end get its error. Without such a caller, an unhandled rejection must not end the run.
  end.catch(() => undefined);

  function failure(code: number | null): Error {
    return new Error(
      `the child process ended with ${code} after ${lines.length} lines:\n${complaints}`,
    );
  }

  return {
    lines,
    printed(count) {
      return new Promise((resolve, reject) => {
        const check = (): void => {
          if (lines.length >= count) resolve();
          else if (over) reject(failure(child.exitCode));
          else return;
          waiting.delete(check);
        };
        waiting.add(check);
        check();
      });
    },
    kill() {
      killed = true;
      child.kill("SIGKILL");
    },
    async ended() {
      const code = await end;
      if (code !== 0 && !killed) throw failure(code);
      return lines;
    },
    async [Symbol.asyncDispose]() {
      if (!over) child.kill("SIGKILL");
      await end.catch(() => undefined);
    },
  };
}
