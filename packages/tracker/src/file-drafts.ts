import {
  diskState,
  type FileSighting,
  type ObjectId,
  presenceOf,
  type Sighting,
  type StoredMetadata,
} from "@self-context-manager/objects";
import { isUncertain } from "./find-exchanged.ts";
import { isAsStored } from "./judge-sighting.ts";
import { largeFile } from "./large-file.ts";
import {
  afterDeletion,
  afterNaming,
  afterRead,
  asUnread,
  atPath,
  type ReadContent,
} from "./next-version.ts";
import { tryRead } from "./read-files.ts";
import type { Draft } from "./store-drafts.ts";
import type { TrackedFile } from "./tracked-files.ts";
import { mayRead, notifyOther, type TrackerParts } from "./tracker-parts.ts";
import { needsExplicitRead } from "./workspace-rule.ts";

/** A version to store, with the sighting that led to it. */
export interface FileDraft {
  readonly id: ObjectId;
  readonly seen: Sighting | undefined;
  readonly body: Draft["body"];
}

/**
 * Returns the draft for a file that is at its path and may have changed: "gone" if it is no longer there, undefined if it
 * needs no version.
 */
export async function readDraft(
  file: TrackedFile,
  sighting: FileSighting,
  parts: TrackerParts,
): Promise<FileDraft | "gone" | undefined> {
  const { files, tracked, workspace } = parts;
  const presence = presenceOf(file.stored.body);
  const isReadable = mayRead(sighting.path, parts);
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
    return notifyOther(file, "outdated", reason, parts);
  }
  const { version } = file.stored;
  const outcome = await tryRead(files, sighting.path);
  if ("gone" in outcome) return "gone";
  if ("reason" in outcome) {
    tracked.saw(file, sighting);
    return notifyOther(file, "unreadable", `${outcome.reason} Its last version is kept.`, parts);
  }
  if (file.reported === "unreadable")
    notifyOther(file, "readable", `${file.path} can be read again.`, parts);
  file.reported = undefined;
  const isByPath = file.seen === undefined && presence !== "missing" && isUncertain(file, sighting);
  const read = { content: outcome.file, readAfter: version, isByPath };
  return contentDraft(file, sighting, read, parts);
}

/** Returns the draft for a file that is at another path now. */
export async function moveDraft(
  file: TrackedFile,
  target: FileSighting,
  parts: TrackerParts,
): Promise<FileDraft> {
  const { files, store } = parts;
  const { seen } = file;
  const isAsSeen =
    seen === undefined
      ? isAsStored(file, target)
      : seen.state === "file" && seen.size === target.size && seen.modified === target.modified;
  if (presenceOf(file.stored.body) === "unread")
    return draftOf(file, target, (latest) => asUnread(latest, target.path, target));
  if (!isAsSeen && mayRead(target.path, parts)) {
    const { version } = file.stored;
    const outcome = await tryRead(files, target.path);
    if ("file" in outcome)
      return contentDraft(file, target, { content: outcome.file, readAfter: version }, parts);
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
  { files }: TrackerParts,
): FileDraft {
  return draftOf(file, seen, afterRead(files, file.id, { ...read, generator: "human" }).body);
}

/** Returns the draft for a file that was found nowhere. */
export function deletionDraft(
  file: TrackedFile,
  seen: Sighting,
  { files }: TrackerParts,
): FileDraft {
  return draftOf(file, seen, afterDeletion(files, file.id, file.stored.version).body, null);
}

/**
 * Returns a draft of an object for an unrelated file at the path of another; undefined if another session has made
 * one already.
 */
export async function newcomerDraft(
  newcomer: FileSighting,
  leaving: ReadonlySet<ObjectId>,
  { ids, store }: TrackerParts,
): Promise<FileDraft | undefined> {
  const { path } = newcomer;
  const { items } = await store.find({ where: { path } });
  if (items.some(({ body }) => !leaving.has(body.id))) return undefined;
  const facts = { ...newcomer, realPath: path, kind: "file" } as const;
  return { ...afterNaming(ids.next(), facts), seen: newcomer };
}

/**
 * Whether a large file has another size than its stored version. Its content is read when somebody asks for it: to read
 * a growing log after each change costs more than the work of the model. A large file of the same size is read, because
 * it was possibly only touched.
 */
function isLargeChange({ stored }: TrackedFile, { size }: FileSighting): boolean {
  const disk = diskState(stored.body);
  return presenceOf(stored.body) === "present" && size > largeFile && size !== disk?.size;
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
