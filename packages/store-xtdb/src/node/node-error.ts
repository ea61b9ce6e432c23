/** What can go wrong with a local node, as codes that do not change; messages may. */
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

/** A local XTDB node could not do what was asked, in a way that the caller can act on. */
export class NodeError extends Error {
  override readonly name = "NodeError";
  readonly code: NodeErrorCode;

  constructor(code: NodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Goes by name and code, not by class: true across two copies of this package. */
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
 * A node ended while it was waited for: killed, crashed, or kept from its index by one that was about to end. Started
 * anew it may well come up, because nothing of its data is lost.
 */
export class NodeDeath extends NodeError {
  constructor(message: string, options?: ErrorOptions) {
    super("START_FAILED", message, options);
  }
}
