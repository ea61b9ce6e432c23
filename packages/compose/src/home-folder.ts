import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";

/**
 * Returns the user's home folder; undefined if none is known. `homedir` alone returns an empty text for an empty HOME, and
 * a path from it would be in the working folder.
 */
export function homeFolder(): string | undefined {
  for (const find of [homedir, () => userInfo().homedir]) {
    try {
      const folder = find();
      if (isAbsolute(folder)) return folder;
    } catch {
      // The system has no entry for this user.
    }
  }
  return undefined;
}
