import type { StoredMetadata } from "@self-context-manager/objects";

import type { RewriteState } from "../xtdb-documents/rewrite-documents.ts";
import type { StoreClock } from "../xtdb-documents/xtdb-documents.ts";

/** The part of the store's state that this client remembers. */
export interface Memory {
  clock: StoreClock;
  /** The commit from which on this client knows all commits. A version that was the latest as of it or later still is. */
  since: number;
  /** Consecutive versions that arrived after a place, all by commits of this client. */
  recent: { readonly after: number; readonly versions: readonly StoredMetadata[] };
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

/** Most versions of own commits that are remembered: those of some model calls, because the indexes follow at once. */
const mostRecent = 64;

/** Records the versions of an own commit, which arrived after a number of others. */
export function noteArrived(
  memory: Memory,
  before: number,
  arrived: readonly StoredMetadata[],
): void {
  const { after, versions } = memory.recent;
  const isNext = after + versions.length === before;
  const all = isNext ? [...versions, ...arrived] : arrived;
  const left = Math.max(0, all.length - mostRecent);
  memory.recent = { after: (isNext ? after : before) + left, versions: all.slice(left) };
}
