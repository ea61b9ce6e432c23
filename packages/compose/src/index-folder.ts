import {
  type Clock,
  type IdSource,
  maskedFiles,
  type ObjectId,
  type ObjectStore,
  silentLogger,
} from "@self-context-manager/core";
import { linksOf, linksToFiles, updateIndex } from "@self-context-manager/links";
import { markdownParser } from "@self-context-manager/documents";
import {
  presenceOf,
  type StoredMetadata,
  type TextMask,
  type Watcher,
} from "@self-context-manager/objects";
import {
  type FileChange,
  filesOfFolder,
  fileTracker,
  nameFiles,
  storeFiles,
  type StoreFilesParts,
  type UnreadFile,
} from "@self-context-manager/tracker";
import { diskFiles, watchFiles } from "@self-context-manager/watcher";

import { folderFiles } from "./folder-files.ts";
import { systemClock } from "./system-clock.ts";
import { uuidIds } from "./uuid-ids.ts";

export interface IndexFolderOptions {
  /** Whether all files are named. Default: only those to which notes of the folder link. */
  readonly namesAll?: boolean;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  /** What replaces secrets in the files. Default: nothing does. */
  readonly mask?: TextMask | undefined;
  /** Called with the number of notes that are done and that of all notes. */
  readonly progress?: (done: number, all: number) => void;
}

/** What a folder had when it was indexed. */
export interface IndexedFolder {
  /** The number of Markdown files. */
  readonly notes: number;
  readonly added: number;
  readonly changed: number;
  /** The numbers of known files that are at another path, or no longer there; also those that are no notes. */
  readonly moved: number;
  readonly missing: number;
  /** The number of other files that are known from now on, without their contents. */
  readonly named: number;
  /** Notes that were not read, with the reasons. */
  readonly unread: readonly UnreadFile[];
}

const markdown = /\.mdx?$/iu;

/** The number of keys in one question to the document index. */
const keysAtOnce = 500;

/**
 * Stores the Markdown files of a folder, each as the object that a `read` of it makes, and brings the document
 * index up to date. Files that are known already are compared with the disk, as the tracker does: what moved stays the
 * same object, and what is gone becomes missing. Other files to which notes link are named, and not read. `folder` is a
 * real path. Rejects with `StoreError`, or with a system's error if the folder cannot be listed.
 */
export async function indexFolder(
  store: ObjectStore,
  folder: string,
  options: IndexFolderOptions = {},
): Promise<IndexedFolder> {
  const parts: StoreFilesParts = {
    store,
    files: options.mask === undefined ? diskFiles() : maskedFiles(diskFiles(), options.mask),
    ids: options.ids ?? uuidIds(options.clock ?? systemClock),
  };
  const paths = await folderFiles(folder);
  const notes = paths.filter((path) => markdown.test(path));
  const before = await filesOfFolder(store, folder);
  const changes = await catchUp([...before.values()], folder, parts);
  const known = changes.length === 0 ? before : await filesOfFolder(store, folder);
  const { progress } = options;
  const stored = await storeFiles(notes, known, folder, parts, (done) =>
    progress?.(done, notes.length),
  );
  await updateIndex(store, markdownParser);
  const others = paths.filter((path) => !markdown.test(path) && !known.has(path));
  const linked = options.namesAll === true ? others : await linkedFiles(store, folder, others);
  const named = await nameFiles(linked, parts);
  if (named > 0) await updateIndex(store, markdownParser);
  const count = (...types: readonly FileChange["type"][]): number =>
    changes.filter(({ type }) => types.includes(type)).length;
  return {
    notes: notes.length,
    added: stored.added,
    changed: stored.changed + count("changed", "returned"),
    moved: count("moved"),
    missing: count("vanished"),
    named,
    unread: stored.unread,
  };
}

/** Stores what has changed in known files since their last versions, without watching them. */
async function catchUp(
  objects: readonly StoredMetadata[],
  workspace: string,
  parts: StoreFilesParts,
): Promise<readonly FileChange[]> {
  if (objects.length === 0) return [];
  const changes: FileChange[] = [];
  const watcher = withoutWatches(watchFiles({ roots: [workspace] }));
  await using tracker = fileTracker({ ...parts, watcher, workspace, logger: silentLogger });
  tracker.onChange((some) => changes.push(...some));
  const onlyNamed = objects.filter(({ body }) => {
    const presence = presenceOf(body);
    // A note that is there again is read.
    return presence === "unread" || (presence === "missing" && !markdown.test(lastPath(body)));
  });
  await tracker.track(objects, { onlyNamed: new Set(onlyNamed.map(({ body }) => body.id)) });
  return changes;
}

function lastPath({ path, provenance }: StoredMetadata["body"]): string {
  return typeof path === "string" ? path : provenance.origin;
}

/** A watcher that looks and searches when it is asked, and never by itself. */
function withoutWatches(watcher: Watcher): Watcher {
  return { ...watcher, add: async () => {}, remove: () => {} };
}

/** Returns the files to which notes of the folder link, of some that are no objects. */
async function linkedFiles(
  store: ObjectStore,
  workspace: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const parts = { store, parser: markdownParser, workspace };
  const finder = linksToFiles(paths, workspace);
  const { keys } = finder;
  const documents = new Set<ObjectId>();
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    const some = keys.slice(start, start + keysAtOnce);
    for (const { from } of await store.documents.linking(markdownParser.name, some))
      if (from.path?.startsWith(`${workspace}/`) === true) documents.add(from.id);
  }
  const linked = new Set<string>();
  for (const { from, link, target } of await linksOf([...documents], parts)) {
    const path = target.state === "unresolved" ? finder.find(link, from.path) : undefined;
    if (path !== undefined) linked.add(path);
  }
  return [...linked];
}
