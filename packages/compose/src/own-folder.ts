import { chmod } from "node:fs/promises";
import { dirname } from "node:path";

import { homeFolder } from "./home-folder.ts";
import { usualFolder } from "./store-path.ts";

/**
 * Takes the access of other users from a store in the default folder, which this project made. The permissions of a
 * folder that the user has chosen stay as they are.
 */
export async function keepPrivate(at: string): Promise<void> {
  const own = usualFolder(process.env, { name: process.platform, home: homeFolder() });
  if (own === undefined || dirname(at) !== own) return;
  // A path that does not exist yet is created for this user only.
  await chmod(own, 0o700).catch(() => undefined);
  if (!at.endsWith(".sqlite")) return;
  for (const end of ["", "-wal", "-shm", ".secrets", ".key"])
    await chmod(at + end, 0o600).catch(() => undefined);
}
