/** The command was called in a wrong way: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The call was correct, but the command cannot do it: exit code 1. */
export class CliError extends Error {
  override readonly name = "CliError";
}

/** The command has printed a part of the answer, and the rest is unknown: exit code 2. */
export class IncompleteError extends Error {
  override readonly name = "IncompleteError";
}

/** Whether an error means that the reader of the output has closed it, as `head` does. */
export function isClosedPipe(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED";
}
