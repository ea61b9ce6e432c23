import type { ObjectId, StoredMetadata, StoredVersion } from "@self-context-manager/objects";

/** What became of a known file. */
export type FileChange = NewVersion | NewFile | OtherChange;

/** The file's object has a version that whoever tracks it did not know, made here or by another session. */
export interface NewVersion {
  readonly id: ObjectId;
  /** `moved` may come with another content; `vanished` has null content and path; `returned` is back from that. */
  readonly type: "changed" | "moved" | "vanished" | "returned";
  readonly stored: StoredVersion;
  /** The version that was known before. */
  readonly previous: StoredMetadata;
}

/** An unrelated file took the place of a known one (decision D56); it is an object of its own, unread. */
export interface NewFile {
  readonly id: ObjectId;
  readonly type: "appeared";
  readonly stored: StoredVersion;
}

/** What makes no version: the last one stays. */
export interface OtherChange {
  readonly id: ObjectId;
  /**
   * `unreadable`: it cannot be read; `readable`: it can again, and is as stored; `outdated`: it differs from what is
   * stored, and is not read unless a `read` names it (design §8).
   */
  readonly type: "unreadable" | "readable" | "outdated";
  readonly stored: StoredMetadata;
  /** Why, for people. */
  readonly reason: string;
}

/** A change as the difference of two versions of a file. */
export function newVersion(previous: StoredMetadata, stored: StoredVersion): NewVersion {
  const before = previous.body["path"] ?? null;
  const after = stored.body["path"] ?? null;
  const { id } = stored.body;
  if (after === null)
    return { id, type: before === null ? "changed" : "vanished", stored, previous };
  if (before === null) return { id, type: "returned", stored, previous };
  return { id, type: before === after ? "changed" : "moved", stored, previous };
}
