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
  /** The text, or null for what is not text. */
  readonly text: string | null;
}

/** What can be compared of a file that was read earlier, perhaps by another process. */
export interface FileState {
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since 1970, as the file system says. */
  readonly modified: number;
}
