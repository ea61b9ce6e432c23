import {
  diskState,
  type FileSighting,
  type FileSource,
  type IdSource,
  metadataVersion,
  type ObjectId,
  type ObjectStore,
  presenceOf,
  sha256,
  type Sighting,
  type StoredMetadata,
  type StoredVersion,
  type Watcher,
} from "@self-context-manager/objects";
import { type FileChange, newVersion, type OtherChange } from "./file-change.ts";
import { findExchanged, isUncertain, type Seen } from "./find-exchanged.ts";
import { findMoved } from "./find-moved.ts";
import { isAsStored, judgeSighting } from "./judge-sighting.ts";
import {
  afterDeletion,
  afterNaming,
  afterRead,
  asUnread,
  atPath,
  type ReadContent,
} from "./next-version.ts";
import { inParallel, tryRead } from "./read-files.ts";
import { type Draft, isWhole, storeDrafts } from "./store-drafts.ts";
import { isMissing, isSameFile, type TrackedFile, type TrackedFiles } from "./tracked-files.ts";
import { needsExplicitRead } from "./workspace-rule.ts";

export interface SightingProcessorOptions {
  readonly store: ObjectStore;
  readonly files: FileSource;
  readonly watcher: Watcher;
  readonly ids: IdSource;
  readonly workspace: string;
  readonly tracked: TrackedFiles;
  /** Whether changes at a path are ignored because a tool writes it. */
  readonly isHeld: (path: string) => boolean;
  readonly notify: (changes: readonly FileChange[]) => void;
}

/** Turns sightings into versions and reports them. `came` are files that are known to be new at their paths. */
export type ProcessSightings = (
  sightings: readonly Sighting[],
  came: readonly FileSighting[],
) => Promise<void>;

/** A version to store, with the sighting that led to it. */
interface FileDraft {
  readonly id: ObjectId;
  readonly seen: Sighting | undefined;
  readonly body: Draft["body"];
}

/** The size up to which a file that has changed is read before anybody asks for its content. */
const mostBytesUnasked = 1024 * 1024;

/** The number of contents that are in memory at once. */
const chunkSize = 200;

export function sightingProcessor(options: SightingProcessorOptions): ProcessSightings {
  const { store, files, watcher, ids, workspace, tracked, isHeld, notify } = options;
  const mayRead = (path: string): boolean => needsExplicitRead(path, workspace) === undefined;

  return async (sightings, came) => {
    let reads: Seen[] = [];
    /** Files that are no longer at their paths, with the sighting of what is there. */
    const leaving = new Map<TrackedFile, Sighting>();
    const arrived = [...came];
    const newcomers: FileSighting[] = [];

    for (const sighting of sightings) {
      if (isHeld(sighting.path)) continue;
      for (const file of tracked.at(sighting.path)) {
        if (!leaving.has(file)) await sort(file, sighting);
        else if (sighting.state === "file") arrived.push(sighting);
      }
    }
    const exchanged = await findExchanged(files, reads, [...leaving.keys()], mayRead);
    for (const [file, { path, at }] of exchanged) {
      const resident = reads.find(({ sighting }) => sighting.path === path)?.file;
      for (const one of [file, resident])
        if (one !== undefined && !leaving.has(one))
          leaving.set(one, gone({ state: "absent", path: one.path, at }));
    }
    if (exchanged.size > 0) reads = reads.filter(({ file }) => !leaving.has(file));
    for (let start = 0; start < reads.length; start += chunkSize)
      await storeAll(await readAll(reads.slice(start, start + chunkSize)));
    await storeAll(await placeAll());

    async function sort(file: TrackedFile, sighting: Sighting): Promise<void> {
      if (sighting.state === "file") {
        const owner = await movedHere(file, sighting);
        if (owner !== undefined) {
          leaving.set(owner.file, owner.home);
          if (!isMissing(file)) leaving.set(file, gone(sighting));
          arrived.push(sighting);
          return;
        }
      }
      const verdict = judgeSighting(file, sighting);
      if (verdict === "same") tracked.saw(file, sighting);
      else if (verdict === "unreadable") {
        notifyOther(
          file,
          "unreadable",
          `${file.path} cannot be examined; its last version is kept.`,
        );
      } else if (sighting.state !== "file") leaving.set(file, sighting);
      else if (verdict === "displaced" && !(await hasItsContent(file, sighting))) {
        leaving.set(file, gone(sighting));
        arrived.push(sighting);
        newcomers.push(sighting);
      } else reads.push({ file, sighting });
    }

    async function readAll(chunk: readonly Seen[]): Promise<readonly FileDraft[]> {
      const drafts: FileDraft[] = [];
      await inParallel(chunk, async ({ file, sighting }) => {
        const draft = await readOne(file, sighting);
        if (draft === "gone") leaving.set(file, gone(sighting));
        else if (draft !== undefined) drafts.push(draft);
      });
      return drafts;
    }

    /**
     * Returns drafts for files that are not at their paths: their new paths, or their deletion if they are found
     * nowhere.
     */
    async function placeAll(): Promise<readonly FileDraft[]> {
      const wasThere = [...leaving.keys()].filter(
        (file) => !isMissing(file) && !exchanged.has(file),
      );
      const leavingIds = new Set([...leaving.keys()].map(({ id }) => id));
      const goneAt = (file: TrackedFile): number => leaving.get(file)?.at ?? 0;
      const search = { store, files, watcher, mayRead, leaving: leavingIds, goneAt };
      const found = await findMoved(search, wasThere, arrived);
      const moved = new Map([...exchanged, ...found]);
      const drafts: FileDraft[] = [];
      for (const [file, sighting] of leaving) {
        const target = moved.get(file);
        if (target !== undefined) drafts.push(await moveDraft(file, target));
        else if (isMissing(file)) tracked.saw(file, sighting);
        else drafts.push(deletionDraft(file, sighting));
      }
      const targets = new Set([...moved.values()].map(({ path }) => path));
      for (const newcomer of newcomers) {
        if (targets.has(newcomer.path)) continue;
        const draft = await newcomerDraft(newcomer, leavingIds);
        if (draft !== undefined) drafts.push(draft);
      }
      return drafts;
    }
  };

  /** Returns another tracked file that this sighting shows, if it is no longer at its last path. */
  async function movedHere(
    file: TrackedFile,
    sighting: FileSighting,
  ): Promise<{ readonly file: TrackedFile; readonly home: Sighting } | undefined> {
    const owner = tracked.shownBy(sighting);
    if (owner === undefined || owner.path === file.path || isHeld(owner.path)) return undefined;
    const [home] = await watcher.look([owner.path]);
    // A second hard link of a file is not a move.
    if (home === undefined || (home.state === "file" && isSameFile(home, sighting)))
      return undefined;
    return { file: owner, home: home.state === "file" ? gone(home) : home };
  }

  async function hasItsContent(file: TrackedFile, { path }: FileSighting): Promise<boolean> {
    if (presenceOf(file.stored.body) !== "present" || !mayRead(path)) return false;
    const outcome = await tryRead(files, path);
    if (!("file" in outcome) || outcome.file.text === null) return false;
    return sha256(outcome.file.text) === file.stored.hashes.content_hash;
  }

  async function readOne(
    file: TrackedFile,
    sighting: FileSighting,
  ): Promise<FileDraft | "gone" | undefined> {
    const presence = presenceOf(file.stored.body);
    const isReadable = mayRead(sighting.path);
    if (presence === "unread" && file.isOnlyNamed) {
      tracked.saw(file, sighting);
      return undefined;
    }
    const isUnasked = presence === "unread" || (isReadable && isLargeChange(file, sighting));
    if (isUnasked || (presence === "missing" && (!isReadable || file.isOnlyNamed)))
      return draftOf(file, sighting, (latest) => asUnread(latest, sighting.path, sighting));
    if (!isReadable) {
      tracked.saw(file, sighting);
      const why = needsExplicitRead(sighting.path, workspace) ?? "";
      const reason = `${file.path} changed; ${why}, so it is read only when a read names it.`;
      return notifyOther(file, "outdated", reason);
    }
    const { version } = file.stored;
    const outcome = await tryRead(files, sighting.path);
    if ("gone" in outcome) return "gone";
    if ("reason" in outcome) {
      tracked.saw(file, sighting);
      return notifyOther(file, "unreadable", `${outcome.reason} Its last version is kept.`);
    }
    if (file.reported === "unreadable")
      notifyOther(file, "readable", `${file.path} can be read again.`);
    file.reported = undefined;
    const isByPath =
      file.seen === undefined && presence !== "missing" && isUncertain(file, sighting);
    return contentDraft(file, sighting, { content: outcome.file, readAfter: version, isByPath });
  }

  async function moveDraft(file: TrackedFile, target: FileSighting): Promise<FileDraft> {
    const { seen } = file;
    const isAsSeen =
      seen === undefined
        ? isAsStored(file, target)
        : seen.state === "file" && seen.size === target.size && seen.modified === target.modified;
    if (presenceOf(file.stored.body) === "unread")
      return draftOf(file, target, (latest) => asUnread(latest, target.path, target));
    if (!isAsSeen && mayRead(target.path)) {
      const { version } = file.stored;
      const outcome = await tryRead(files, target.path);
      if ("file" in outcome)
        return contentDraft(file, target, { content: outcome.file, readAfter: version });
    }
    const state = isAsSeen ? target : undefined;
    // Without a sighting, the next check reads a file that may have changed, or reports that it is not to be read.
    return draftOf(
      file,
      state,
      async (latest) => await atPath(store, latest, target.path, state),
      target.path,
    );
  }

  function contentDraft(
    file: TrackedFile,
    seen: FileSighting,
    read: Omit<ReadContent, "generator">,
  ): FileDraft {
    return draftOf(file, seen, afterRead(files, file.id, { ...read, generator: "human" }).body);
  }

  function deletionDraft(file: TrackedFile, seen: Sighting): FileDraft {
    return draftOf(file, seen, afterDeletion(files, file.id, file.stored.version).body, null);
  }

  /**
   * Returns a draft of an object for an unrelated file at the path of another; undefined if another session has made
   * one already.
   */
  async function newcomerDraft(
    newcomer: FileSighting,
    leaving: ReadonlySet<ObjectId>,
  ): Promise<FileDraft | undefined> {
    const { path } = newcomer;
    const { items } = await store.find({ where: { path } });
    if (items.some(({ body }) => !leaving.has(body.id))) return undefined;
    const facts = { ...newcomer, realPath: path, kind: "file" } as const;
    return { ...afterNaming(ids.next(), facts), seen: newcomer };
  }

  async function storeAll(drafts: readonly FileDraft[]): Promise<void> {
    for (let start = 0; start < drafts.length; start += chunkSize) {
      const chunk = drafts.slice(start, start + chunkSize);
      const latest = await storeDrafts(store, chunk);
      const changes: FileChange[] = [];
      for (const { id, seen } of chunk) {
        const stored = latest.get(id);
        if (stored === undefined) continue;
        const previous = tracked.all.get(id)?.stored;
        const file = tracked.put(isWhole(stored) ? metadataVersion(stored) : stored);
        if (file !== undefined && (seen === undefined || seen.path === file.path))
          tracked.saw(file, seen);
        if (previous !== undefined && previous.version >= stored.version) continue;
        const whole = await wholeVersion(stored);
        if (previous === undefined) changes.push({ id, type: "appeared", stored: whole });
        else changes.push(newVersion(previous, whole));
      }
      if (changes.length > 0) notify(changes);
    }
  }

  async function wholeVersion(stored: StoredVersion | StoredMetadata): Promise<StoredVersion> {
    if (isWhole(stored)) return stored;
    const { id } = stored.body;
    const whole = await store.get(id, { version: stored.version });
    if (whole === undefined) throw new TypeError(`object ${id} is not in the store`);
    return whole;
  }

  function notifyOther(file: TrackedFile, type: OtherChange["type"], reason: string): undefined {
    const problem = type === "readable" ? undefined : type;
    if (problem === undefined || file.reported !== problem)
      notify([{ id: file.id, type, stored: file.stored, reason }]);
    file.reported = problem;
  }
}

/**
 * Whether a large file has another size than its stored version. Its content is read when somebody asks for it: to read
 * a growing log after each change costs more than the work of the model. A large file of the same size is read, because
 * it was possibly only touched.
 */
function isLargeChange({ stored }: TrackedFile, { size }: FileSighting): boolean {
  const disk = diskState(stored.body);
  return presenceOf(stored.body) === "present" && size > mostBytesUnasked && size !== disk?.size;
}

/**
 * Returns a draft that follows the latest version. It makes no version if another session has since found the file at a
 * different path than `from` and `target`, the path of the sighting.
 */
function draftOf(
  file: TrackedFile,
  seen: Sighting | undefined,
  body: (latest: StoredMetadata) => ReturnType<Draft["body"]>,
  target: string | null = seen?.path ?? null,
): FileDraft {
  const from = file.path;
  return {
    id: file.id,
    seen,
    body: (latest) => {
      const path = latest?.body["path"] ?? null;
      const isElsewhere = path !== null && path !== from && path !== target;
      return latest === undefined || isElsewhere ? undefined : body(latest);
    },
  };
}

/** Returns a sighting that a file is absent from a path, although another file is there. */
function gone({ path, at }: Sighting): Sighting {
  return { state: "absent", path, at };
}
