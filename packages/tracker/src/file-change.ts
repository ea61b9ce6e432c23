import type { ObjectId, StoredMetadata, StoredVersion } from "@self-context-manager/objects";

/** The change of a tracked file that a tracker reports. */
export type FileChange = NewVersion | NewFile | OtherChange;

/** The file's object has a version that the listeners do not know. This tracker or another session made it. */
export interface NewVersion {
  readonly id: ObjectId;
  /**
   * The kind of change. `moved`: the path differs, and the content can differ too; `vanished`: content and path are
   * null; `returned`: a vanished file is back.
   */
  readonly type: "changed" | "moved" | "vanished" | "returned";
  readonly stored: StoredVersion;
  /** The last version that the tracker knew before. */
  readonly previous: StoredMetadata;
}

/**
 * An unrelated file replaced a known file at its path. It is a separate object, and its content is unread (decision
 * D56).
 */
interface NewFile {
  readonly id: ObjectId;
  readonly type: "appeared";
  readonly stored: StoredVersion;
}

/** A change that makes no version. */
export interface OtherChange {
  readonly id: ObjectId;
  /**
   * `unreadable`: the file cannot be read. `readable`: the file can be read again and has the stored content.
   * `outdated`: the file differs from the stored version and is read only when a `read` names it, because it is outside
   * the workspace or may contain secrets.
   */
  readonly type: "unreadable" | "readable" | "outdated";
  readonly stored: StoredMetadata;
  /** The reason, as a sentence for the user. */
  readonly reason: string;
}

/** Returns the change from one version of a file to a later one. */
export function newVersion(previous: StoredMetadata, stored: StoredVersion): NewVersion {
  const before = previous.body["path"] ?? null;
  const after = stored.body["path"] ?? null;
  const { id } = stored.body;
  if (after === null)
    return { id, type: before === null ? "changed" : "vanished", stored, previous };
  if (before === null) return { id, type: "returned", stored, previous };
  return { id, type: before === after ? "changed" : "moved", stored, previous };
}
