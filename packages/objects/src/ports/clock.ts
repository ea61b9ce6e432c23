/** The source of time. Stores use it for transaction times; rendered text never contains it. */
export interface Clock {
  /** Returns milliseconds since 1970, UTC. */
  now(): number;
}
