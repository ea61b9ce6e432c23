import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

import { NodeError } from "./node-error.ts";

/** Creates a folder and its missing parents for this user only. Rejects with `START_FAILED`. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await make(folder);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NodeError(
      "START_FAILED",
      `the folder ${folder} cannot be created (${reason}); choose another one`,
      { cause },
    );
  }
}

/** Node's own recursive `mkdir` never ends in `/proc`, where a folder cannot be created in a folder that exists. */
async function make(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    if (!hasCode(error, "ENOENT") || dirname(folder) === folder) throw error;
    await make(dirname(folder));
    await mkdir(folder, { mode: 0o700 }).catch((cause: unknown) => {
      if (!hasCode(cause, "EEXIST")) throw cause;
    });
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
