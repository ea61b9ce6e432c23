/**
 * What identifies a file on its disk, independent of its path. A file source gives both if its disk has them, and with the
 * same values as the watcher.
 */
export interface FileIdentity {
  /** Device and inode. The node of a deleted file can be reused. */
  readonly node?: string;
  /** The time of creation, in milliseconds since 1970. */
  readonly born?: number;
}

export interface FileFacts extends FileState {
  readonly realPath: string;
  readonly kind: "file" | "directory" | "other";
}

export interface FileContent extends FileState {
  readonly realPath: string;
  /** The text; null if the bytes are not text. */
  readonly text: string | null;
  /** The SHA-256 of bytes that are not text, by which a change of the same size is seen; undefined: not known. */
  readonly bytesHash?: string;
}

/** The state of a file on disk that shows whether it has changed since it was read, perhaps by another process. */
export interface FileState extends FileIdentity {
  /** In bytes. */
  readonly size: number;
  /** The time of the last modification in the file system, in milliseconds since 1970. */
  readonly modified: number;
}

/** A file or a folder that is directly in a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "directory";
}
