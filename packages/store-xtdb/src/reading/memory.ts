import type { RewriteState } from "../xtdb-documents/rewrite-documents.ts";
import type { StoreClock } from "../xtdb-documents/xtdb-documents.ts";

/** The part of the store's state that this client remembers. */
export interface Memory {
  clock: StoreClock;
  /** The commit from which on this client knows all commits. A version that was the latest as of it or later still is. */
  since: number;
  /** The state of rewrites on which all answers of this client are based. */
  rewrites: RewriteState;
}

/**
 * Records the store's clock that came with a read. If other clients have committed in between, only versions that were
 * read from then on count as known. A client that reads an object in order to change it can therefore commit without
 * another query, and other clients do not overtake it each time.
 */
export function learn(memory: Memory, clock: StoreClock): void {
  if (clock.seq <= memory.clock.seq || clock.generation !== memory.clock.generation) return;
  memory.clock = clock;
  memory.since = clock.seq;
}
