import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents for this user only. Node's own recursive `mkdir` never ends where the system
 * answers that a folder in an existing folder does not exist, as `/proc` does.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // The caller checks whether an existing path can be used.
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder, { mode: 0o700 }).catch((cause: unknown) => {
      const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
      if (!isThere) throw cause;
    });
  }
}
