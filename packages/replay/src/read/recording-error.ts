/** `RECORDING_UNREADABLE`: the file cannot be read. `RECORDING_UNKNOWN`: it is not a known kind of recording. */
export type RecordingErrorCode = "RECORDING_UNREADABLE" | "RECORDING_UNKNOWN";

/** A file that could not be read as a recorded session. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
  readonly code: RecordingErrorCode;
  readonly file: string;

  constructor(code: RecordingErrorCode, file: string, reason: string, options?: ErrorOptions) {
    super(`${file}: ${reason}`, options);
    this.code = code;
    this.file = file;
  }

  /** Checks name and code, not the class, so it works across two copies of this package. */
  static is(error: unknown): error is RecordingError {
    return (
      error instanceof Error &&
      error.name === "RecordingError" &&
      "code" in error &&
      (error.code === "RECORDING_UNREADABLE" || error.code === "RECORDING_UNKNOWN")
    );
  }
}
