import type { FileChange } from "../../src/files/file-change.ts";
import type { FileChangeListener, FileTracker } from "../../src/files/file-tracker.ts";

export interface FakeTracker extends FileTracker {
  /** The paths that were tracked. */
  readonly tracked: readonly unknown[];
  /** Reports changes to the listeners. */
  readonly tell: (changes: readonly FileChange[]) => void;
  /** Makes `track` fail until it is called without an error. */
  readonly fail: (error?: Error) => void;
}

/** A tracker that reports the changes that a test passes to it. */
export function fakeTracker(): FakeTracker {
  const listeners = new Set<FileChangeListener>();
  const tracked: unknown[] = [];
  let failure: Error | undefined;
  return {
    tracked,
    tell: (changes) => {
      for (const listener of listeners) listener(changes);
    },
    fail: (error) => void (failure = error),
    track: async (objects) => {
      if (failure !== undefined) throw failure;
      tracked.push(...objects.map(({ body }) => body["path"]));
      await Promise.resolve();
    },
    untrack: () => {},
    ready: async () => await Promise.resolve(),
    check: async () => await Promise.resolve(),
    adopt: async () => await Promise.resolve(undefined),
    hold: async () =>
      await Promise.resolve({ [Symbol.asyncDispose]: async () => await Promise.resolve() }),
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  };
}
