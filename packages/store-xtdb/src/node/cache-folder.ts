import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Returns the folder of the built node: `$XDG_CACHE_HOME/self-context-manager/xtdb-node`, else the same below the
 * platform's folder for caches. The folder can be deleted while no node runs; the next start builds the node again.
 */
export function cacheFolder(): string {
  return join(cachesFolder(), "self-context-manager", "xtdb-node");
}

function cachesFolder(): string {
  const xdg = process.env["XDG_CACHE_HOME"];
  if (xdg !== undefined && isAbsolute(xdg)) return xdg;
  if (process.platform === "darwin") return join(homedir(), "Library", "Caches");
  if (process.platform !== "win32") return join(homedir(), ".cache");
  return process.env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local");
}
