/**
 * How long stores wait while something keeps them from working: another program's lock, or a node that does not answer.
 * One patience can serve several stores one after another, so that a store that is opened again does not wait as long again.
 */
export interface Patience {
  /** Returns the milliseconds that a call may still wait. With 0 it makes one attempt. */
  left(): number;
  /** Called when a store was found unable to work. */
  blocked(): void;
  /** Called when a store has written, or when a call succeeded that had found the store unable to work. */
  worked(): void;
}
