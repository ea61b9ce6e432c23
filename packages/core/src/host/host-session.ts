/** Names a session as its host does. */
export interface HostSession {
  /** `pi`, `openclaw` … */
  readonly harness: string;
  readonly sessionId: string;
}
