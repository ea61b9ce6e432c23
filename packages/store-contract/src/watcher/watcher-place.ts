import type { Watcher } from "@self-context-manager/objects";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Opens the watcher under test. */
export type OpenWatcher = (options: {
  /** The real paths of the folders in which moved files are searched. */
  readonly roots: readonly string[];
  /** The greatest number of system watches that the watcher may use. Default: the watcher decides. */
  readonly maxWatches?: number;
}) => Watcher;

export interface WatcherScenarioOptions {
  /** How long the scenario waits for a report that must come, in milliseconds. */
  readonly deadline?: number;
  /** The round of a long run, from 0. Most scenarios do not use it. */
  readonly round?: number;
}

/** Tests one law on separate files. Throws if the law is broken. */
export type WatcherScenario = (
  openWatcher: OpenWatcher,
  options?: WatcherScenarioOptions,
) => Promise<void>;

/** Creates a new, empty folder. Returns its real path. */
export async function emptyFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "scm-watch-")));
  return {
    path,
    [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true }),
  };
}
