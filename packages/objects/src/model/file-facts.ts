export interface FileFacts {
  readonly realPath: string;
  readonly kind: "file" | "directory" | "other";
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

export interface FileContent {
  readonly realPath: string;
  /** In bytes. */
  readonly size: number;
  readonly modified: number;
  /** The text; null if the bytes are not text. */
  readonly text: string | null;
}

/** The state of a file on disk that shows whether it has changed since it was read, perhaps by another process. */
export interface FileState {
  /** In bytes. */
  readonly size: number;
  /** The time of the last modification in the file system, in milliseconds since 1970. */
  readonly modified: number;
}
