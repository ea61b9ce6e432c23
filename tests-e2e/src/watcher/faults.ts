import type { FileSearch, Sighting, Watcher } from "@self-context-manager/core";
import type { OpenWatcher, WatcherLaw } from "@self-context-manager/testkit";
import { watchFiles } from "@self-context-manager/watcher";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Faults by the law that each breaks: a sentence about the watcher, and how it is opened. */
export const watcherFaults: Readonly<Record<WatcherLaw, Readonly<Record<string, OpenWatcher>>>> = {
  "change-is-reported": {
    "tells the first change of a path only": telling(() => {
      const told = new Set<string>();
      return (sightings) =>
        sightings.filter(({ path }) => {
          if (told.has(path)) return false;
          told.add(path);
          return true;
        });
    }),
    "tells the size of before": telling(() => {
      const sizes = new Map<string, number>();
      return (sightings) =>
        sightings.map((one) => {
          if (one.state !== "file") return one;
          const size = sizes.get(one.path) ?? 1;
          sizes.set(one.path, one.size);
          return { ...one, size };
        });
    }),
  },
  "add-compares": {
    "takes files as they are when they are added": broken((watcher) => ({
      add: async (files) => {
        const sightings = await watcher.look(files.map(({ path }) => path));
        await watcher.add(sightings.map(asKnown));
      },
    })),
    "tells every file that is added": broken((watcher) => ({
      add: async (files) => await watcher.add(files.map(({ path }) => ({ path }))),
    })),
  },
  "last-state-is-reported": {
    "passes over what follows within a while": telling(() => {
      const times = new Map<string, number>();
      return (sightings) =>
        sightings.filter(({ path }) => {
          const last = times.get(path) ?? -Infinity;
          times.set(path, performance.now());
          return performance.now() - last > 400;
        });
    }),
  },
  "rename-over-is-no-absence": {
    "tells every absence at once": (options) => watchFiles({ ...options, timing: hasty }),
  },
  "absence-is-reported": {
    "tells no absence": telling(
      () => (sightings) => sightings.filter(({ state }) => state !== "absent"),
    ),
    "forgets files that went": broken((_, tell) => {
      const gone = new Set<string>();
      return {
        listen: (listener) =>
          tell(listener, (sightings) =>
            sightings.filter(({ path, state }) => {
              if (gone.has(path)) return false;
              if (state === "absent") gone.add(path);
              return true;
            }),
          ),
      };
    }),
  },
  "moved-is-found": {
    "searches the first folder only": searching((found, { roots }) =>
      found.filter(({ path }) => dirname(path) === roots[0]),
    ),
    "tells other nodes": searching((found) => found.map((one) => ({ ...one, born: 1 }))),
  },
  "moved-folder-is-reported": {
    "sees its own folders only": telling(
      () => (sightings) =>
        sightings.filter(({ path, state }) => state !== "absent" || !path.includes("/x/y/")),
    ),
    "does not look into folders that moved": searching((found) =>
      found.filter(({ path }) => !path.includes("/y/")),
    ),
  },
  "copy-is-found": {
    "goes by nodes alone": wanting(({ files, ...rest }) => ({
      ...rest,
      files: files.map(({ node }) => (node === undefined ? {} : { node })),
    })),
  },
  "case-rename-is-reported": {
    "takes names that differ in case for one": telling(
      () => (sightings) =>
        sightings.filter(({ path, state }) => state !== "absent" || !path.endsWith("readme.md")),
    ),
  },
  "links-are-not-followed": {
    "takes a link for a file": telling(
      () => (sightings) =>
        sightings.map((one) =>
          one.state === "other"
            ? { ...one, state: "file", node: "1:1", size: 3, modified: 1, changed: 1 }
            : one,
        ),
    ),
  },
  "permissions-are-reported": {
    "looks at content only": telling(() => {
      const known = new Map<string, string>();
      return (sightings) =>
        sightings.filter((one) => {
          if (one.state !== "file") return true;
          const content = `${one.size} ${one.modified}`;
          const isNew = known.get(one.path) !== content && one.size !== 1;
          known.set(one.path, content);
          return isNew;
        });
    }),
  },
  "burst-is-complete": {
    "drops one of a thousand": telling(() => {
      let count = 0;
      return (sightings) =>
        sightings.filter(() => {
          count += 1;
          return count % 1_000 !== 0;
        });
    }),
  },
  "unknown-is-silent": {
    "tells whatever is in its folders": broken((watcher) => ({
      add: async (files) => {
        await watcher.add(files);
        const folders = new Set(files.map(({ path }) => dirname(path)));
        const names = [".a.txt.swp", "other.txt"];
        for (const folder of folders)
          await watcher.add(names.map((name) => ({ path: join(folder, name), seen: "absent" })));
      },
    })),
    "answers temporary files": broken((watcher, _, { roots }) => ({
      search: async (wanted) => {
        const found = await watcher.search(wanted);
        const folder = roots[0] ?? "";
        const names = (await readdir(folder)).filter((name) => name.endsWith("~"));
        const others = await watcher.look(names.map((name) => join(folder, name)));
        return [...found, ...others.filter((one) => one.state === "file")];
      },
    })),
  },
  "removed-is-silent": {
    "removes nothing": broken(() => ({ remove: () => undefined })),
  },
  "watches-are-bounded": {
    "uses as many watches as it has folders": ({ roots }) => watchFiles({ roots }),
    "does not look at what is beyond": (options) =>
      watchFiles({ ...options, timing: { poll: 3_600_000 } }),
  },
  "search-stays-inside": {
    "searches the folders above": ({ roots }) => watchFiles({ roots: roots.map(dirname) }),
  },
  "closed-is-silent": {
    "goes on": broken((watcher, _, options) => {
      const other = watchFiles(options);
      return {
        listen(listener) {
          watcher.listen(listener);
          other.listen(listener);
        },
        add: async (files) => {
          await watcher.add(files);
          await other.add(files);
        },
      };
    }),
    "answers still": broken((watcher) => {
      let closed = false;
      return {
        look: async (paths) => (closed ? [] : await watcher.look(paths)),
        async [Symbol.asyncDispose]() {
          closed = true;
          await watcher[Symbol.asyncDispose]();
        },
      };
    }),
  },
};

const hasty = { absence: 0, quiet: 5, emptied: 0 };

type Options = Parameters<OpenWatcher>[0];
type Change = (sightings: readonly Sighting[]) => readonly Sighting[];
type Tell = (listener: Parameters<Watcher["listen"]>[0], change: Change) => void;

/** A sound watcher with some operations in the place of its own. */
export function broken(
  parts: (watcher: Watcher, tell: Tell, options: Options) => Partial<Watcher>,
): OpenWatcher {
  return (options) => {
    const watcher = watchFiles(options);
    const tell: Tell = (listener, change) =>
      watcher.listen((sightings) => {
        const changed = change(sightings);
        if (changed.length > 0) listener(changed);
      });
    return {
      listen: (listener) => watcher.listen(listener),
      add: async (files) => await watcher.add(files),
      remove: (paths) => watcher.remove(paths),
      ready: async () => await watcher.ready(),
      look: async (paths) => await watcher.look(paths),
      search: async (wanted) => await watcher.search(wanted),
      watches: watcher.watches,
      [Symbol.asyncDispose]: async () => await watcher[Symbol.asyncDispose](),
      ...parts(watcher, tell, options),
    };
  };
}

/** A watcher that tells something else than it saw. */
function telling(change: () => Change): OpenWatcher {
  return broken((_, tell) => {
    const changed = change();
    return { listen: (listener) => tell(listener, changed) };
  });
}

/** A watcher that answers something else than it found. */
function searching(
  change: (
    found: Awaited<ReturnType<Watcher["search"]>>,
    options: Options,
  ) => Awaited<ReturnType<Watcher["search"]>>,
): OpenWatcher {
  return broken((watcher, _, options) => ({
    search: async (wanted) => change(await watcher.search(wanted), options),
  }));
}

function wanting(change: (wanted: FileSearch) => FileSearch): OpenWatcher {
  return broken((watcher) => ({ search: async (wanted) => await watcher.search(change(wanted)) }));
}

function asKnown(sighting: Sighting): Parameters<Watcher["add"]>[0][number] {
  const { path } = sighting;
  if (sighting.state !== "file") return { path, seen: "absent" };
  return { path, seen: { size: sighting.size, modified: sighting.modified } };
}
