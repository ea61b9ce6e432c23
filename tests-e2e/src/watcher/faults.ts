import type { FileSearch, Sighting, Watcher } from "@self-context-manager/objects";
import type { OpenWatcher, WatcherLaw } from "@self-context-manager/store-contract";
import { watchFiles } from "@self-context-manager/watcher";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Faults by the law that each breaks: a description of the watcher, and the function that opens it. */
export const watcherFaults: Readonly<Record<WatcherLaw, Readonly<Record<string, OpenWatcher>>>> = {
  "change-is-reported": {
    "reports only the first change of a path": reporting(() => {
      const reported = new Set<string>();
      return (sightings) =>
        sightings.filter(({ path }) => {
          if (reported.has(path)) return false;
          reported.add(path);
          return true;
        });
    }),
    "reports the previous size": reporting(() => {
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
    "accepts the state of files when they are added, without a comparison": broken((watcher) => ({
      add: async (files) => {
        const sightings = await watcher.look(files.map(({ path }) => path));
        await watcher.add(sightings.map(asKnown));
      },
    })),
    "reports every file that is added": broken((watcher) => ({
      add: async (files) => await watcher.add(files.map(({ path }) => ({ path }))),
    })),
  },
  "last-state-is-reported": {
    "ignores changes that follow within 400 milliseconds": reporting(() => {
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
    "reports every absence at once": (options) => watchFiles({ ...options, timing: hasty }),
  },
  "absence-is-reported": {
    "reports no absence": reporting(
      () => (sightings) => sightings.filter(({ state }) => state !== "absent"),
    ),
    "forgets files once they are absent": broken((_, report) => {
      const gone = new Set<string>();
      return {
        listen: (listener) =>
          report(listener, (sightings) =>
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
    "searches only the first folder": searching((found, { roots }) =>
      found.filter(({ path }) => dirname(path) === roots[0]),
    ),
    "returns wrong birth times": searching((found) => found.map((one) => ({ ...one, born: 1 }))),
  },
  "moved-folder-is-reported": {
    "reports no absence in nested folders": reporting(
      () => (sightings) =>
        sightings.filter(({ path, state }) => state !== "absent" || !path.includes("/x/y/")),
    ),
    "does not search nested folders": searching((found) =>
      found.filter(({ path }) => !path.includes("/y/")),
    ),
  },
  "copy-is-found": {
    "searches only by nodes": wanting(({ files, ...rest }) => ({
      ...rest,
      files: files.map(({ node }) => (node === undefined ? {} : { node })),
    })),
  },
  "case-rename-is-reported": {
    "treats names that differ only in case as equal": reporting(
      () => (sightings) =>
        sightings.filter(({ path, state }) => state !== "absent" || !path.endsWith("readme.md")),
    ),
  },
  "links-are-not-followed": {
    "reports a link as a file": reporting(
      () => (sightings) =>
        sightings.map((one) =>
          one.state === "other"
            ? { ...one, state: "file", node: "1:1", size: 3, modified: 1, changed: 1 }
            : one,
        ),
    ),
  },
  "permissions-are-reported": {
    "reports only changes of the content": reporting(() => {
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
    "drops one of a thousand": reporting(() => {
      let count = 0;
      return (sightings) =>
        sightings.filter(() => {
          count += 1;
          return count % 1_000 !== 0;
        });
    }),
  },
  "unknown-is-silent": {
    "reports unknown files in its folders": broken((watcher) => ({
      add: async (files) => {
        await watcher.add(files);
        const folders = new Set(files.map(({ path }) => dirname(path)));
        const names = [".a.txt.swp", "other.txt"];
        for (const folder of folders)
          await watcher.add(names.map((name) => ({ path: join(folder, name), seen: "absent" })));
      },
    })),
    "finds temporary files": broken((watcher, _, { roots }) => ({
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
    "does not poll files without a system watch": (options) =>
      watchFiles({ ...options, timing: { poll: 3_600_000 } }),
  },
  "search-stays-inside": {
    "searches the folders above": ({ roots }) => watchFiles({ roots: roots.map(dirname) }),
  },
  "closed-is-silent": {
    "continues to report": broken((watcher, _, options) => {
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
    "continues to answer": broken((watcher) => {
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
type Report = (listener: Parameters<Watcher["listen"]>[0], change: Change) => void;

/** Returns a sound watcher of which some operations are replaced. */
export function broken(
  parts: (watcher: Watcher, report: Report, options: Options) => Partial<Watcher>,
): OpenWatcher {
  return (options) => {
    const watcher = watchFiles(options);
    const report: Report = (listener, change) =>
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
      ...parts(watcher, report, options),
    };
  };
}

/** Returns a watcher that changes the sightings before it reports them. */
function reporting(change: () => Change): OpenWatcher {
  return broken((_, report) => {
    const changed = change();
    return { listen: (listener) => report(listener, changed) };
  });
}

/** Returns a watcher that changes the results of a search. */
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
