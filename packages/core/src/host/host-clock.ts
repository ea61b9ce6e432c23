import type { Clock } from "@self-context-manager/objects";

/** The time of a host's process, for the connection of a session. */
export interface HostClock extends Clock {
  /** Resolves after this time. Its timer does not keep the process running. */
  wait(milliseconds: number): Promise<unknown>;
}
