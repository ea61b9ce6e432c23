/** Tells the time. Stores stamp transactions with it; nothing that is rendered ever reads it. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
}
