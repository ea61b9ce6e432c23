/** The codes of a local node's failures. Codes are stable; messages can change. */
export type NodeErrorCode =
  | "JAVA_MISSING"
  | "JAVA_TOO_OLD"
  | "MAVEN_MISSING"
  | "BUILD_FAILED"
  | "START_FAILED"
  | "NODE_RUNNING"
  | "NODE_BUSY"
  | "NODE_UNAVAILABLE"
  | "ENGINE_CHANGED"
  | "DATA_FOREIGN"
  | "BACKUP_REFUSED"
  | "RESTORE_REFUSED";

/** A failure of a local XTDB node that the caller can act on. */
export class NodeError extends Error {
  override readonly name = "NodeError";
  readonly code: NodeErrorCode;

  constructor(code: NodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Whether an error is a `NodeError`, by name and code and not by class, so that two copies of this package agree. */
  static is(error: unknown, code?: NodeErrorCode): error is NodeError {
    return (
      error instanceof Error &&
      error.name === "NodeError" &&
      "code" in error &&
      (code === undefined || error.code === code)
    );
  }
}

/**
 * The end of a node during the wait for it: it was killed, crashed, or found its index locked by a node that was ending.
 * Its data are not lost, so another start can succeed.
 */
export class NodeDeath extends NodeError {
  constructor(message: string, options?: ErrorOptions) {
    super("START_FAILED", message, options);
  }
}
