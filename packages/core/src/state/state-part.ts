/** A part of a session's state that the session object stores. Only the file of the part changes it. */
export interface StatePart {
  /** Whether the stored session lacks a change of the part. */
  readonly isChanged: boolean;
  /** Notes that the session is stored with the part as it is now. */
  noteStored(): void;
}
