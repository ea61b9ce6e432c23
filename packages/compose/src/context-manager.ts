import {
  type ContextSession,
  fileTracker,
  type HostSession,
  type ObjectStore,
  openContextSession,
  type SessionDependencies,
  silentLogger,
} from "@self-context-manager/core";
import { diskFiles, watchFiles } from "@self-context-manager/watcher";

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";

import { callPatience } from "./call-patience.ts";
import { configFromEnvironment } from "./config-from-environment.ts";
import type { ContextManagerOptions } from "./context-manager-options.ts";
import { type StoreKind, storeKinds } from "./kinds.ts";
import { openStore } from "./open-store.ts";
import { openPresence, type SessionPresence } from "./session-presence.ts";
import { known, sessionSettings } from "./session-settings.ts";
import { isNodeUrl } from "./store-path.ts";
import { systemClock } from "./system-clock.ts";
import { uuidIds } from "./uuid-ids.ts";

/** A store with the parts that its sessions need. */
export interface ContextManager extends AsyncDisposable {
  readonly store: ObjectStore;
  /** The real path of the agent's working folder. */
  readonly workspace: string;
  /** Opens a new or stored session by its host's id. Its operations reject once the manager is disposed of. */
  openSession(host: HostSession): Promise<ContextSession>;
}

/**
 * Opens the store and the parts that sessions need. Rejects with `StoreError` if the store cannot be used, and with
 * `RangeError` for an option whose value is not allowed.
 */
export async function openContextManager(
  options: ContextManagerOptions = {},
): Promise<ContextManager> {
  const kind = kindOf(options);
  const at = options.at ?? usualPath(kind);
  const settings = sessionSettings(options);
  const clock = options.clock ?? systemClock;
  const workspace = await realFolder(options.workspace ?? process.cwd());
  const store = await openStore({
    store: kind,
    at,
    patience: options.patience ?? callPatience(),
    clock,
    ...(options.xtdb === undefined ? {} : { xtdb: options.xtdb }),
  });
  const files = options.files ?? diskFiles();
  const ids = options.ids ?? uuidIds(clock);
  const logger = options.logger ?? silentLogger;
  // A file source other than the machine's cannot be watched on this machine.
  const isWatched = options.watch ?? options.files === undefined;
  const tracker = isWatched
    ? fileTracker({
        store,
        files,
        ids,
        logger,
        workspace,
        watcher: watchFiles({ roots: [workspace], logger }),
      })
    : undefined;
  const dependencies: SessionDependencies = {
    store,
    files,
    ids,
    logger,
    ...(tracker === undefined ? {} : { tracker }),
    ...settings,
    workspace,
    clock,
    ...(options.toolFacts === undefined ? {} : { toolFacts: options.toolFacts }),
  };
  const presences = new Map<string, Promise<SessionPresence>>();
  const present = async (host: HostSession): Promise<boolean> => {
    if (kind !== "sqlite") return false;
    const name = JSON.stringify([host.harness, host.sessionId]);
    const folder = `${at}.open`;
    const presence = presences.get(name) ?? openPresence(folder, host);
    presences.set(name, presence);
    return (await presence).isShared;
  };
  return {
    store,
    workspace,
    openSession: async (host) =>
      await openContextSession(dependencies, host, { isShared: await present(host) }),
    [Symbol.asyncDispose]: async () => {
      await tracker?.[Symbol.asyncDispose]();
      for (const presence of presences.values()) await (await presence)[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** The kind of the store: the given one, else the one to which the place belongs. */
function kindOf(options: ContextManagerOptions): StoreKind {
  const { at } = options;
  const isUrl = at !== undefined && isNodeUrl(at);
  if (isUrl && options.store === undefined) return "xtdb";
  const kind = known("store", storeKinds, options.store ?? "sqlite");
  if (isUrl && kind === "sqlite")
    throw new RangeError(`at is the URL ${at}; it must be a path, or store must be xtdb`);
  return kind;
}

function usualPath(kind: StoreKind): string {
  return configFromEnvironment({ ...process.env, SCM_STORE_KIND: kind }).at;
}

/** Files are stored by their real paths, so the folder that relative paths start from must be a real path too. */
async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    // A folder that does not exist or cannot be read contains no files with another path.
    return resolve(folder);
  }
}
