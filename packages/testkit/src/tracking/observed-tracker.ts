import {
  fileBody,
  type FileSource,
  metadataOf,
  type ObjectBody,
  objectId,
  type ObjectId,
  type ObjectStore,
  sealObject,
  silentLogger,
  type StoredMetadata,
  type StoredVersion,
  unreadFileBody,
} from "@self-context-manager/objects";
import {
  type FileChange,
  type FileTracker,
  fileTracker,
  type FileTrackerOptions,
} from "@self-context-manager/tracker";
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import {
  emptyFolder,
  type OpenWatcher,
  type WatcherScenarioOptions,
} from "@self-context-manager/store-contract";

/** The parts that a tracker is tested with. */
export interface TrackerParts {
  readonly openWatcher: OpenWatcher;
  readonly openStore: () => ObjectStore | Promise<ObjectStore>;
  readonly openFiles: () => FileSource;
  /** Opens the tracker under test. Default: core's `fileTracker`. */
  readonly openTracker?: (options: FileTrackerOptions) => FileTracker;
}

/** Tests one law of `FileTracker`. Throws if the law is broken. */
export type TrackerScenario = (
  parts: TrackerParts,
  options?: WatcherScenarioOptions,
) => Promise<void>;

/** A tracker with a separate store over separate files, with everything that it has reported. */
export interface ObservedTracker {
  /** The tracker as a session uses it. Files that the session tracks itself are not reported in `changes`. */
  readonly tracker: FileTracker;
  readonly store: ObjectStore;
  readonly files: FileSource;
  readonly changes: readonly FileChange[];
  readonly at: (...names: readonly string[]) => string;
  readonly write: (name: string, text: string) => Promise<string>;
  /** Reads files and stores their objects, as a session does. Does not track them. */
  readonly index: (...names: readonly string[]) => Promise<readonly StoredVersion[]>;
  /** Stores the objects of files that were named and not read. Does not track them. */
  readonly name: (...names: readonly string[]) => Promise<readonly StoredVersion[]>;
  /** Indexes and tracks files. Waits until they are watched. */
  readonly know: (...names: readonly string[]) => Promise<readonly ObjectId[]>;
  /** Returns the latest version of an object. */
  readonly latest: (id: ObjectId) => Promise<StoredVersion>;
  /** Waits until the latest version of an object meets a condition. */
  readonly until: (
    id: ObjectId | undefined,
    isSo: (stored: StoredVersion) => boolean,
    what: string,
  ) => Promise<StoredVersion>;
  readonly untilContent: (id: ObjectId | undefined, content: string) => Promise<StoredVersion>;
  readonly untilGone: (id: ObjectId | undefined) => Promise<StoredVersion>;
  readonly untilAt: (id: ObjectId | undefined, path: string) => Promise<StoredVersion>;
  readonly untilReported: (
    isSo: (change: FileChange) => boolean,
    what: string,
  ) => Promise<FileChange>;
  /** Waits until a change and a deletion that happen after all others are stored. */
  readonly untilQuiet: () => Promise<void>;
  /** Opens another session on the same store and files. It can have a separate file source. */
  readonly openAnother: (files?: FileSource) => Promise<{
    readonly tracker: FileTracker;
    readonly changes: readonly FileChange[];
  }>;
}

const usualDeadline = 20_000;

/** Returns a scenario that runs with one tracker on one folder, which is its workspace. */
export function tracking(scenario: (observed: ObservedTracker) => Promise<void>): TrackerScenario {
  return async (parts, { deadline = usualDeadline } = {}) => {
    await using place = await emptyFolder();
    await using disposal = disposables();
    const folder = join(place.path, "root");
    await mkdir(folder);
    const store = await parts.openStore();
    disposal.add(store);
    const files = parts.openFiles();
    const ids = countedIds();
    const waiting = new Set<() => void>();

    function open(seen: FileSource): {
      readonly tracker: FileTracker;
      readonly changes: FileChange[];
    } {
      const watcher = parts.openWatcher({ roots: [folder] });
      const tracker = (parts.openTracker ?? fileTracker)({
        store,
        files: seen,
        watcher,
        ids,
        logger: silentLogger,
        workspace: folder,
      });
      disposal.add(tracker);
      const changes: FileChange[] = [];
      const listener = (reported: readonly FileChange[]): void => {
        changes.push(...reported);
        for (const look of waiting) look();
      };
      tracker.onChange(listener);
      const ofSession: FileTracker = {
        ...tracker,
        track: async (objects, given = {}) =>
          await tracker.track(objects, { ...given, except: listener }),
      };
      return { tracker: ofSession, changes };
    }

    const { tracker, changes } = open(files);
    const at = (...names: readonly string[]): string => join(folder, ...names);

    async function write(name: string, text: string): Promise<string> {
      await mkdir(dirname(at(name)), { recursive: true });
      await writeFile(at(name), text);
      return at(name);
    }

    async function index(...names: readonly string[]): Promise<readonly StoredVersion[]> {
      return await stored(names, async (path) =>
        fileBody(ids.next(), await files.read(path), "human"),
      );
    }

    async function name(...names: readonly string[]): Promise<readonly StoredVersion[]> {
      return await stored(names, async (path) => {
        const facts = await files.stat(path);
        assert.ok(facts, `there is no file at ${path}`);
        return unreadFileBody(ids.next(), facts);
      });
    }

    async function stored(
      names: readonly string[],
      bodyOf: (path: string) => Promise<ObjectBody>,
    ): Promise<readonly StoredVersion[]> {
      return await Promise.all(
        names.map(async (one) => {
          const object = sealObject(await bodyOf(at(one)));
          await store.commit([{ object }]);
          return await latest(object.body.id);
        }),
      );
    }

    async function know(...names: readonly string[]): Promise<readonly ObjectId[]> {
      const stored = await index(...names);
      await tracker.track(stored.map(asMetadata));
      await tracker.ready();
      return stored.map(({ body }) => body.id);
    }

    async function latest(id: ObjectId): Promise<StoredVersion> {
      const stored = await store.get(id);
      assert.ok(stored, `object ${id} does not exist`);
      return stored;
    }

    async function untilSo<Value>(
      look: () => Promise<Value | undefined>,
      what: () => Promise<string>,
    ): Promise<Value> {
      const end = performance.now() + deadline;
      for (;;) {
        const reported = new Promise<void>((resolve) => {
          const timer = setTimeout(done, Math.min(1_000, deadline));
          function done(): void {
            clearTimeout(timer);
            waiting.delete(done);
            resolve();
          }
          waiting.add(done);
        });
        const value = await look();
        if (value !== undefined) return value;
        if (performance.now() > end) throw new assert.AssertionError({ message: await what() });
        await reported;
      }
    }

    async function until(
      id: ObjectId | undefined,
      isSo: (stored: StoredVersion) => boolean,
      what: string,
    ): Promise<StoredVersion> {
      assert.ok(id);
      return await untilSo(
        async () => {
          const stored = await latest(id);
          return isSo(stored) ? stored : undefined;
        },
        async () => `object ${id} is not ${what}: ${JSON.stringify((await latest(id)).body)}`,
      );
    }

    let markers = 0;
    async function untilQuiet(): Promise<void> {
      markers += 1;
      const names = [`marker-${markers}-a`, `marker-${markers}-b`];
      for (const name of names) await write(name, `1 ${name}`);
      const ids = await know(...names);
      await write(names[0] ?? "", "2");
      await writeFile(at(names[1] ?? ""), "");
      await untilContent(ids[0], "2");
      await untilContent(ids[1], "");
      tracker.untrack(ids);
    }

    async function untilContent(id: ObjectId | undefined, content: string): Promise<StoredVersion> {
      return await until(id, ({ body }) => body.content === content, JSON.stringify(content));
    }

    await scenario({
      tracker,
      store,
      files,
      changes,
      at,
      write,
      index,
      name,
      know,
      latest,
      until,
      untilContent,
      untilGone: async (id) =>
        await until(id, ({ body }) => body["path"] === null && body.content === null, "gone"),
      untilAt: async (id, path) =>
        await until(id, ({ body }) => body["path"] === path, `at ${path}`),
      untilReported: async (isSo, what) =>
        await untilSo(
          async () => changes.find(isSo),
          async () => `${what} was not reported; all reports: ${JSON.stringify(changes)}`,
        ),
      untilQuiet,
      openAnother: async (seen = files) => await Promise.resolve(open(seen)),
    });
  };
}

export function asMetadata(stored: StoredVersion): StoredMetadata {
  return { ...stored, body: metadataOf(stored.body) };
}

/** Waits so long that a later check sees all earlier changes for certain, and that new files have a later time. */
export async function pastTick(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 150));
}

function countedIds(): { next(): ObjectId } {
  let count = 0;
  return {
    next() {
      count += 1;
      return objectId(`0190bbbb-0000-7000-8000-${String(count).padStart(12, "0")}`);
    },
  };
}

function disposables(): AsyncDisposable & { add(one: AsyncDisposable): void } {
  const all: AsyncDisposable[] = [];
  return {
    add: (one) => void all.push(one),
    async [Symbol.asyncDispose]() {
      for (const one of all.toReversed()) await one[Symbol.asyncDispose]();
    },
  };
}
