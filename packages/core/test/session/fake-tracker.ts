import type { FileChange, FileChangeListener, FileTracker } from "@self-context-manager/tracker";

export interface FakeTracker extends FileTracker {
  /** The paths that were tracked fully. */
  readonly tracked: readonly unknown[];
  /** The paths that were tracked as only named. */
  readonly named: readonly unknown[];
  /** The number of listeners. */
  readonly listening: () => number;
  /** Reports changes to the listeners. */
  readonly tell: (changes: readonly FileChange[]) => void;
  /** Makes `track` fail until it is called without an error. */
  readonly fail: (error?: Error) => void;
}

/** A tracker that reports the changes that a test passes to it. */
export function fakeTracker(): FakeTracker {
  const listeners = new Set<FileChangeListener>();
  const tracked: unknown[] = [];
  const named: unknown[] = [];
  let failure: Error | undefined;
  return {
    tracked,
    named,
    listening: () => listeners.size,
    tell: (changes) => {
      for (const listener of listeners) listener(changes);
    },
    fail: (error) => void (failure = error),
    track: async (objects, { onlyNamed } = {}) => {
      if (failure !== undefined) throw failure;
      for (const { body } of objects)
        (onlyNamed?.has(body.id) === true ? named : tracked).push(body["path"]);
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
