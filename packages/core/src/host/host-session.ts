/** A session by the host's names. */
export interface HostSession {
  /** Name of the harness, such as `pi` or `openclaw`. */
  readonly harness: string;
  readonly sessionId: string;
}
