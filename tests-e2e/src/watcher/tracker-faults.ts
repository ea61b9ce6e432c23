import {
  type FileChange,
  type FileContent,
  type FileSource,
  type FileTracker,
  fileTracker,
  type ObjectStore,
  type ObjectWrite,
  sealObject,
  type Sighting,
} from "@self-context-manager/core";
import { memoryStore } from "@self-context-manager/store-memory";
import type { TrackerLaw, TrackerParts } from "@self-context-manager/testkit";
import { diskFiles, watchFiles } from "@self-context-manager/watcher";
import { dirname } from "node:path";

import { searching, telling } from "./faults.ts";

/** What a tracker needs, without a fault. */
const soundParts: TrackerParts = {
  openWatcher: watchFiles,
  openStore: () => memoryStore({ clock: { now: () => Date.now() } }),
  openFiles: diskFiles,
};

/**
 * Faults by the law that each breaks: a sentence about the tracker, and parts that make it so. Faults that the tracker's
 * own tests in core find are not planted here again.
 */
export const trackerFaults: Readonly<
  Partial<Record<TrackerLaw, Readonly<Record<string, TrackerParts>>>>
> = {
  "move-keeps-the-object": {
    "looks for moved files nowhere": {
      ...soundParts,
      openWatcher: searching(() => []),
    },
    "looks for them in one folder": {
      ...soundParts,
      openWatcher: searching((found, { roots }) =>
        found.filter(({ path }) => dirname(path) === roots[0]),
      ),
    },
  },
  "swap-keeps-both": {
    "goes by paths": {
      ...soundParts,
      openWatcher: telling(() => (sightings) => sightings.map(withoutNode)),
    },
  },
  "deletion-keeps-history": {
    "keeps the path": storing(({ object, ...rest }) => ({
      ...rest,
      object: sealObject({ ...object.body, path: object.body.provenance.origin }),
    })),
    "leaves what is gone as it was": {
      ...soundParts,
      openWatcher: telling(
        () => (sightings) => sightings.filter(({ state }) => state !== "absent"),
      ),
    },
  },
  "recreation-is-the-same-object": {
    "forgets what is gone": {
      ...soundParts,
      openTracker: (options) => {
        const tracker = fileTracker(options);
        tracker.onChange((changes) =>
          tracker.untrack(changes.filter(({ type }) => type === "vanished").map(({ id }) => id)),
        );
        return tracker;
      },
    },
    "does not know a file that comes back": {
      ...soundParts,
      openWatcher: telling(() => {
        const gone = new Set<string>();
        return (sightings) =>
          sightings.map((one) => {
            if (one.state === "absent") gone.add(one.path);
            return one.state === "file" && gone.has(one.path) ? { ...one, node: "another" } : one;
          });
      }),
    },
  },
  "unreadable-keeps-the-last": {
    "takes what it may not read for gone": {
      ...soundParts,
      openFiles: () => refusing(diskFiles()),
    },
  },
  "others-versions-are-told": {
    "tells its own versions only": {
      ...soundParts,
      openTracker: (options) => {
        const made = new Set<string>();
        const { store } = options;
        const noting: ObjectStore = {
          ...store,
          commit: async (writes, commitOptions) => {
            const result = await store.commit(writes, commitOptions);
            for (const { id, version } of result.versions) made.add(`${id} ${version}`);
            return result;
          },
        };
        return filtered(fileTracker({ ...options, store: noting }), ({ id, stored }) =>
          made.has(`${id} ${stored.version}`),
        );
      },
    },
    "does not tell what a session on it stored": {
      ...soundParts,
      openTracker: (options) => {
        const given = new Set<string>();
        const tracker = fileTracker(options);
        return {
          ...filtered(tracker, ({ id, stored }) => !given.has(`${id} ${stored.version}`)),
          track: async (objects) => {
            for (const { body, version } of objects) given.add(`${body.id} ${version}`);
            await tracker.track(objects);
          },
        };
      },
    },
  },
  "late-reads-are-not-stored": {
    "believes what it read, however late it is": {
      ...soundParts,
      openTracker: (options) => fileTracker({ ...options, files: remembering(options.files) }),
    },
  },
  "start-catches-up": {
    "looks only at what happens from now on": {
      ...soundParts,
      openTracker: (options) => {
        const tracker = fileTracker(options);
        return {
          ...tracker,
          track: async (objects) => {
            void tracker.track(objects).catch(() => undefined);
            await Promise.resolve();
          },
        };
      },
    },
  },
};

function filtered(tracker: FileTracker, isTold: (change: FileChange) => boolean): FileTracker {
  return {
    ...tracker,
    onChange: (listener) =>
      tracker.onChange((changes) => {
        const told = changes.filter(isTold);
        if (told.length > 0) listener(told);
      }),
  };
}

/** A tracker that stores something else than it should; what sessions store stays as it is. */
function storing(change: (write: ObjectWrite) => ObjectWrite): TrackerParts {
  return {
    ...soundParts,
    openTracker: (options) => {
      const { store } = options;
      const changing: ObjectStore = {
        ...store,
        commit: async (writes, commitOptions) =>
          await store.commit(writes.map(change), commitOptions),
      };
      return fileTracker({ ...options, store: changing });
    },
  };
}

/** Answers the same again where it is asked twice at a time. */
function remembering(files: FileSource): FileSource {
  const read = new Map<string, { readonly content: FileContent; readonly at: number }>();
  return {
    ...files,
    read: async (path) => {
      const known = read.get(path);
      const isNow = known !== undefined && performance.now() - known.at < 5;
      const content = isNow ? known.content : await files.read(path);
      read.set(path, { content, at: performance.now() });
      return content;
    },
  };
}

function refusing(files: FileSource): FileSource {
  return {
    ...files,
    read: async (path) => {
      try {
        return await files.read(path);
      } catch (cause) {
        throw new Error("not told apart", { cause });
      }
    },
  };
}

function withoutNode(one: Sighting): Sighting {
  return one.state === "file" ? { ...one, node: one.path } : one;
}
