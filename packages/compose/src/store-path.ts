import { posix, win32 } from "node:path";

import { ConfigError } from "./config-error.ts";
import { type Environment, variableOf } from "./environment.ts";
import type { StoreKind } from "./kinds.ts";

/** The facts about a machine that determine where a user's data is stored. */
export interface Platform {
  /** In the form of `process.platform`. */
  readonly name: string;
  /** Undefined if no home folder of the user is known. */
  readonly home: string | undefined;
}

/**
 * The path of the user's store: `$SCM_STORE`, else `$XDG_DATA_HOME/self-context-manager/store.sqlite`, else the same
 * below the platform's folder for application data. The default of a store in XTDB is the folder `xtdb` there, which a
 * node of this machine serves; `$SCM_STORE` can also be the URL of a node that runs elsewhere.
 */
export function storePath(
  environment: Environment,
  platform: Platform,
  kind: StoreKind = "sqlite",
): string {
  const path = platform.name === "win32" ? win32 : posix;
  const place = variableOf(environment, "SCM_STORE");
  if (place !== undefined) {
    return isNodeUrl(place) ? place : path.resolve(withHome(place, platform));
  }
  if (kind === "memory") return fileNames.memory;
  const folder = usualFolder(environment, platform);
  if (folder === undefined) throw noHome("");
  return path.join(folder, fileNames[kind]);
}

/** The default folder of the user's stores; undefined if no home folder is known. */
export function usualFolder(environment: Environment, platform: Platform): string | undefined {
  const path = platform.name === "win32" ? win32 : posix;
  const folder = dataFolder(environment, platform);
  return folder === undefined ? undefined : path.join(folder, "self-context-manager");
}

function noHome(place: string): ConfigError {
  return new ConfigError(
    "SCM_STORE",
    place,
    "the absolute path of the store, because no home folder of this user is known (HOME is empty or missing)",
  );
}

/** The default name of each store. The store in memory ignores it. */
const fileNames: Readonly<Record<StoreKind, string>> = {
  sqlite: "store.sqlite",
  xtdb: "xtdb",
  memory: "memory",
};

/** Whether a place is the URL of an XTDB node and not a path. */
export function isNodeUrl(place: string): boolean {
  return /^https?:\/\//iu.test(place);
}

function dataFolder(environment: Environment, { name, home }: Platform): string | undefined {
  const path = name === "win32" ? win32 : posix;
  const xdg = environment["XDG_DATA_HOME"];
  // The XDG specification requires that a relative path is ignored.
  if (xdg !== undefined && path.isAbsolute(xdg)) return xdg;
  const local = environment["LOCALAPPDATA"];
  if (name === "win32" && local !== undefined && path.isAbsolute(local)) return local;
  if (home === undefined) return undefined;
  if (name === "darwin") return path.join(home, "Library", "Application Support");
  if (name !== "win32") return path.join(home, ".local", "share");
  return path.join(home, "AppData", "Local");
}

/** Replaces a leading `~`: shells do not replace it in quotes, nor in a settings file. */
function withHome(text: string, { home }: Platform): string {
  if (text !== "~" && !text.startsWith("~/")) return text;
  if (home === undefined) throw noHome(text);
  return `${home}${text.slice(1)}`;
}
