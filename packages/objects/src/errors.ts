/** What can go wrong in a store, as codes that do not change; messages may. */
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
  | "STORE_FOREIGN"
  | "STORE_UNAVAILABLE";

/** A store could not do what was asked, in a way that the caller can act on. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Goes by name and code, not by class: true across two copies of this package. */
  static is(error: unknown, code?: StoreErrorCode): error is StoreError {
    return isCoded(error, "StoreError") && (code === undefined || error.code === code);
  }
}

/** What can go wrong when a file is read. */
export type FileErrorCode =
  | "FILE_MISSING"
  | "FILE_UNREADABLE"
  | "FILE_IS_DIRECTORY"
  | "FILE_NOT_REGULAR"
  | "FILE_TOO_LARGE";

/** A file could not be read. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Goes by name and code, not by class: true across two copies of this package. */
  static is(error: unknown, code?: FileErrorCode): error is FileError {
    return isCoded(error, "FileError") && (code === undefined || error.code === code);
  }
}

/** What can go wrong with a watcher. */
export type WatcherErrorCode = "WATCHER_CLOSED";

/** A watcher could not do what was asked. */
export class WatcherError extends Error {
  override readonly name = "WatcherError";
  readonly code: WatcherErrorCode;

  constructor(code: WatcherErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Goes by name and code, not by class: true across two copies of this package. */
  static is(error: unknown, code?: WatcherErrorCode): error is WatcherError {
    return isCoded(error, "WatcherError") && (code === undefined || error.code === code);
  }
}

/** What can go wrong when an export is read. */
export type ImportErrorCode =
  | "IMPORT_MALFORMED"
  | "IMPORT_DAMAGED"
  | "IMPORT_TOO_NEW"
  | "IMPORT_DIFFERS";

/** An exported line cannot be taken in, or is not what a store gives back. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code: ImportErrorCode;

  constructor(code: ImportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

function isCoded(error: unknown, name: string): error is Error & { readonly code: string } {
  return error instanceof Error && error.name === name && "code" in error;
}
