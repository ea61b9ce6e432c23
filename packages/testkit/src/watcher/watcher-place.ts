import type { Watcher } from "@self-context-manager/objects";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Opens the watcher under test. */
export type OpenWatcher = (options: {
  /** Folders in which moved files are looked for, by their real paths. */
  readonly roots: readonly string[];
  /** The most of the system's watches that it may use; its own choice unless told. */
  readonly maxWatches?: number;
}) => Watcher;

export interface WatcherScenarioOptions {
  /** How long something that must be told is waited for, in milliseconds. */
  readonly deadline?: number;
  /** Which round of a long run it is, from 0; most need not know. */
  readonly round?: number;
}

/** Tries one law on files of its own; throws where the law is broken. */
export type WatcherScenario = (
  openWatcher: OpenWatcher,
  options?: WatcherScenarioOptions,
) => Promise<void>;

/** A new, empty folder by its real path. */
export async function emptyFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "scm-watch-")));
  return {
    path,
    [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true }),
  };
}
