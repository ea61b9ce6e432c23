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

/** Faults by the law that each breaks: a sentence about the tracker, and parts that make it so. */
export const trackerFaults: Readonly<Record<TrackerLaw, Readonly<Record<string, TrackerParts>>>> = {
  "change-makes-a-version": {
    "says that the agent wrote it": storing(({ object, ...rest }) => ({
      ...rest,
      object: sealObject({
        ...object.body,
        provenance: { ...object.body.provenance, generator: "agent" },
      }),
    })),
    "tells nobody": with_({ onChange: () => () => undefined }),
  },
  "last-content-is-stored": {
    "reads each file once": { ...soundParts, openFiles: () => readingOnce(diskFiles()) },
  },
  "edit-after-read-is-stored": {
    "takes files as they are when they are tracked": {
      ...soundParts,
      openTracker: (options) => {
        const tracker = fileTracker(options);
        return {
          ...tracker,
          track: async (objects, trackOptions) =>
            await tracker.track(
              await Promise.all(
                objects.map(async (stored) => {
                  const facts = await options.files.stat(stored.body["path"] as string);
                  const disk = { size: facts?.size ?? 0, modified: facts?.modified ?? 0 };
                  // Long ago, so that size and time are believed.
                  const at = { ...stored.at, tx_time: "2001-01-01T00:00:00.000Z" };
                  return { ...stored, at, body: { ...stored.body, disk } };
                }),
              ),
              trackOptions,
            ),
        };
      },
    },
  },
  "untouched-makes-no-version": {
    "does not compare contents": {
      ...soundParts,
      openTracker: (options) => {
        const { store } = options;
        const forgetful: ObjectStore = {
          ...store,
          describe: async (ids) =>
            (await store.describe(ids)).map(
              (stored) =>
                stored && { ...stored, hashes: { ...stored.hashes, content_hash: "unknown" } },
            ),
        };
        return fileTracker({ ...options, store: forgetful });
      },
    },
  },
  "atomic-save-is-a-change": {
    "takes any other node for an unrelated file": {
      ...soundParts,
      openWatcher: telling(
        () => (sightings) =>
          sightings.map((one) => (one.state === "file" ? { ...one, born: 1, modified: 1 } : one)),
      ),
    },
    "takes a save that was begun before for an unrelated file": {
      ...soundParts,
      openWatcher: telling(() => (sightings) => sightings.map(unmodified)),
    },
  },
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
  "unrelated-file-is-another": {
    "does not ask how old a file is": {
      ...soundParts,
      openWatcher: telling(() => (sightings) => sightings.map(newborn)),
    },
  },
  "unreadable-keeps-the-last": {
    "takes what it may not read for gone": {
      ...soundParts,
      openFiles: () => refusing(diskFiles()),
    },
  },
  "own-writes-are-not-foreign": {
    "holds nothing": with_({
      hold: async () => await Promise.resolve({ async [Symbol.asyncDispose]() {} }),
    }),
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
  "unnamed-is-not-read": {
    "reads whatever it tracks": {
      ...soundParts,
      openTracker: (options) => fileTracker({ ...options, workspace: "/" }),
    },
  },
};

function with_(parts: Partial<FileTracker>): TrackerParts {
  return { ...soundParts, openTracker: (options) => ({ ...fileTracker(options), ...parts }) };
}

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

function readingOnce(files: FileSource): FileSource {
  const read = new Map<string, ReturnType<FileSource["read"]>>();
  let count = 0;
  return {
    ...files,
    read: async (path) => {
      count += 1;
      // The first two are those of the session.
      const known = count > 3 ? read.get(path) : undefined;
      const content = known ?? files.read(path);
      read.set(path, content);
      return await content;
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

function unmodified(one: Sighting): Sighting {
  return one.state === "file" ? { ...one, modified: one.born ?? one.modified } : one;
}

function newborn(one: Sighting): Sighting {
  if (one.state !== "file") return one;
  const { born: _, ...rest } = one;
  return rest;
}
