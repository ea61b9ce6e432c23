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

import type { ContextManagerOptions } from "./context-manager-options.ts";
import { managedStore } from "./managed-store.ts";
import { openPresence, type SessionPresence } from "./session-presence.ts";
import { sessionSettings } from "./session-settings.ts";
import { systemClock } from "./system-clock.ts";
import { uuidIds } from "./uuid-ids.ts";

/** A store with the parts that its sessions need. Disposal closes the store if the manager opened it. */
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
  const settings = sessionSettings(options);
  const clock = options.clock ?? systemClock;
  const workspace = await realFolder(options.workspace ?? process.cwd());
  const { store, locks, close } = await managedStore(options, clock);
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
    if (locks === undefined) return false;
    const name = JSON.stringify([host.harness, host.sessionId]);
    const presence = presences.get(name) ?? openPresence(locks, host);
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
      await close();
    },
  };
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
