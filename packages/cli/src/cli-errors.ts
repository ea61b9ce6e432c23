/** The command was called in a way that it does not understand: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command was understood and cannot do what it was asked: exit code 1. */
export class CliError extends Error {
  override readonly name = "CliError";
}

/** Whether an error says that whoever read the output has gone, as `head` does. */
export function isClosedPipe(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "EPIPE" || error.code === "ERR_STREAM_DESTROYED";
}
