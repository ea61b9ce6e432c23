/** An error with a code that the caller can act on. */
class CodedError<Code extends string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The codes of store errors. Codes are stable; the texts of messages may change. */
export type StoreErrorCode =
  | "STORE_CLOSED"
  | "VERSION_CONFLICT"
  | "REQUEST_CONFLICT"
  | "NICKNAME_TAKEN"
  | "HISTORY_CONFLICT"
  | "STORE_BUSY"
  | "STORE_FULL"
  | "STORE_READ_ONLY"
  | "STORE_UNREADABLE"
  | "STORE_CORRUPT"
  | "STORE_TOO_NEW"
  | "STORE_TOO_OLD"
  | "STORE_FOREIGN"
  | "STORE_UNAVAILABLE"
  | "STORE_LOST";

/** A store error that the caller can act on. */
export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = "StoreError";

  /** Compares name and code, not the class, so it also accepts errors from another copy of this package. */
  static is(error: unknown, code?: StoreErrorCode): error is StoreError {
    return isCoded(error, "StoreError") && (code === undefined || error.code === code);
  }
}

/** The codes of errors that reading a file can cause. */
export type FileErrorCode =
  | "FILE_MISSING"
  | "FILE_UNREADABLE"
  | "FILE_IS_DIRECTORY"
  | "FILE_NOT_REGULAR"
  | "FILE_TOO_LARGE";

/** A file could not be read. */
export class FileError extends CodedError<FileErrorCode> {
  override readonly name = "FileError";

  /** Compares name and code, not the class, so it also accepts errors from another copy of this package. */
  static is(error: unknown, code?: FileErrorCode): error is FileError {
    return isCoded(error, "FileError") && (code === undefined || error.code === code);
  }
}

/** The codes of watcher errors. */
export type WatcherErrorCode = "WATCHER_CLOSED";

/** A watcher error that the caller can act on. */
export class WatcherError extends CodedError<WatcherErrorCode> {
  override readonly name = "WatcherError";

  /** Compares name and code, not the class, so it also accepts errors from another copy of this package. */
  static is(error: unknown, code?: WatcherErrorCode): error is WatcherError {
    return isCoded(error, "WatcherError") && (code === undefined || error.code === code);
  }
}

/** The codes of errors that reading an export can cause. */
export type ImportErrorCode =
  | "IMPORT_MALFORMED"
  | "IMPORT_DAMAGED"
  | "IMPORT_TOO_NEW"
  | "IMPORT_MERGES"
  | "IMPORT_INCOMPLETE"
  | "IMPORT_DIFFERS";

/** A line of an export cannot be imported, or differs from what the store returns. */
export class ImportError extends CodedError<ImportErrorCode> {
  override readonly name = "ImportError";
}

/** The message of an error, or a thrown value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isCoded(error: unknown, name: string): error is Error & { readonly code: string } {
  return error instanceof Error && error.name === name && "code" in error;
}
