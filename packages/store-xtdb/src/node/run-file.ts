import { readFile } from "node:fs/promises";

import type { DataFolder } from "./data-folder.ts";

/** Where a node listens. */
export interface RunFacts {
  readonly url: string;
  readonly pid: number;
  /** Tells one start of a node from another. */
  readonly instance: string;
}

/** What a data folder says of its node, undefined where it says nothing. The node may be gone. */
export async function readRunFile(data: DataFolder): Promise<RunFacts | undefined> {
  try {
    return runFacts(JSON.parse(await readFile(data.runFile, "utf8")));
  } catch (error) {
    // The node that wrote a file which is no JSON is not one of ours.
    if (error instanceof SyntaxError) return undefined;
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

export function runFacts(value: unknown): RunFacts | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { url, pid, instance } = value as Record<string, unknown>;
  if (typeof url !== "string" || typeof pid !== "number" || typeof instance !== "string") {
    return undefined;
  }
  return { url, pid, instance };
}
