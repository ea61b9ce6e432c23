import { readFile } from "node:fs/promises";

import type { DataFolder } from "./data-folder.ts";
import { readToken } from "./token.ts";

/** The address of a node and its process. */
export interface RunFacts {
  readonly url: string;
  readonly pid: number;
  /** An id that distinguishes this start of the node from others. */
  readonly instance: string;
}

/** The address of a node, and the token that it requires. */
export interface NodeAccess extends RunFacts {
  readonly token: string;
}

/** Returns the node that a data folder records; undefined if it records none. The node may have ended. */
export async function readRunFile(data: DataFolder): Promise<NodeAccess | undefined> {
  try {
    const facts = runFacts(JSON.parse(await readFile(data.runFile, "utf8")));
    return facts === undefined ? undefined : { ...facts, token: await readToken(data) };
  } catch (error) {
    // A file that is not JSON was not written by a node of this package.
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
