import {
  type ContextSession,
  type HostSession,
  maskedFiles,
  type ObjectStore,
  openContextSession,
  type SessionDependencies,
  silentLogger,
} from "@self-context-manager/core";
import { type ForgottenMask, forgottenMask } from "@self-context-manager/core/forget";
import { defined } from "@self-context-manager/objects";
import { fileTracker } from "@self-context-manager/tracker";
import { diskFiles, watchFiles } from "@self-context-manager/watcher";

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";

import type { ContextManagerOptions } from "./context-manager-options.ts";
import { managedStore } from "./managed-store.ts";
import { sessionDocuments } from "./session-documents.ts";
import { openPresence } from "./session-presence.ts";
import { sessionSettings } from "./session-settings.ts";
import { type OpenedSession, sharedSessions } from "./shared-sessions.ts";
import { storeMask } from "./store-mask.ts";
import { systemClock } from "./system-clock.ts";
import { uuidIds } from "./uuid-ids.ts";

/** A store with the parts that its sessions need. Disposal closes all sessions, and the store if the manager opened it. */
export interface ContextManager extends AsyncDisposable {
  readonly store: ObjectStore;
  /** The real path of the agent's working folder. */
  readonly workspace: string;
  /**
   * Opens a new or stored session by its host's id. While the session is open, or is being opened, the same id returns
   * the same session. Each call returns a handle of its own: after its disposal the operations of this handle reject with
   * `STORE_CLOSED`, and the session closes with its last handle. Rejects with `StoreError` if the manager is closed, or if
   * the session cannot be read; then a later call tries again.
   */
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
  const { store, locks, place, close } = await managedStore(options, clock);
  const workspace = await realFolder(options.workspace ?? process.cwd());
  const files = options.files ?? diskFiles();
  const mask = forgottenMask(storeMask(place, options));
  const ids = options.ids ?? uuidIds(clock);
  const logger = options.logger ?? silentLogger;
  // A file source other than the machine's cannot be watched on this machine.
  const isWatched = options.watch ?? options.files === undefined;
  const tracker = isWatched
    ? fileTracker({
        store: committingAt(store, mask),
        files: maskedFiles(files, mask),
        ids,
        logger,
        workspace,
        watcher: watchFiles({ roots: [workspace], logger }),
      })
    : undefined;
  const documents =
    options.documents === false ? undefined : await sessionDocuments({ store, place, logger });
  const dependencies: SessionDependencies = {
    store,
    files,
    ids,
    logger,
    ...defined({ tracker, documents, mask, linkedObjects: options.linkedObjects }),
    ...settings,
    workspace,
    clock,
    ...defined({ toolFacts: options.toolFacts }),
  };
  const sessions = sharedSessions(async (host) => await openWithLock(dependencies, host, locks));
  return {
    store,
    workspace,
    openSession: async (host) => await sessions.open(host),
    [Symbol.asyncDispose]: async () => {
      await sessions[Symbol.asyncDispose]();
      await tracker?.[Symbol.asyncDispose]();
      await documents?.[Symbol.asyncDispose]();
      await close();
    },
  };
}

/**
 * Returns a store whose commits are refused after a rewrite, until a session has read what was forgotten: a file can still
 * have it.
 */
function committingAt(store: ObjectStore, mask: ForgottenMask): ObjectStore {
  return {
    ...store,
    commit: async (writes, options) =>
      await store.commit(writes, { generation: mask.revision, ...options }),
  };
}

/** Opens a session, and the lock that shows other processes that it is open. Both are closed together. */
async function openWithLock(
  dependencies: SessionDependencies,
  host: HostSession,
  locks: string | undefined,
): Promise<OpenedSession> {
  const presence = locks === undefined ? undefined : await openPresence(locks, host);
  try {
    const session = await openContextSession(dependencies, host, {
      isShared: presence?.isShared === true,
    });
    return {
      session,
      close: async () => {
        await session[Symbol.asyncDispose]();
        await presence?.[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await presence?.[Symbol.asyncDispose]();
    throw error;
  }
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
