import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import type { ChildJob } from "./store-child.ts";
import type { StorePlace } from "./store-place.ts";

/** A child process at work on a place. */
export interface StoreChild extends AsyncDisposable {
  /** What it printed so far, line by line. */
  readonly lines: readonly string[];
  /** Resolves once it has printed this many lines; rejects if it ends before. */
  printed(count: number): Promise<void>;
  kill(): void;
  /** Resolves with everything it printed when it has ended; rejects where it failed by itself. */
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
  // Whoever waits for the end is told; nobody has to.
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
