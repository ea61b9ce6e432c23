import {
  type BodyCache,
  bodyCache,
  type ChainEnd,
  type ObjectId,
} from "@self-context-manager/objects";

import type { WholeMetadata } from "./metadata-rows.ts";

/** The latest version of an object, with all that is needed to write the next one. */
export interface Head extends ChainEnd {
  /** The key of the object's row in this file. */
  readonly key: number;
  /** The whole metadata in the row of this version, or of the earlier version that the row names. */
  readonly whole: WholeMetadata;
}

/** The cache of latest versions. */
export interface Heads extends BodyCache<Head> {
  /** Returns a head that was set after the last `doubt`, so it is still the latest version. */
  latest(id: ObjectId): Head | undefined;
  /** Notes that another connection may have written: from now on each head is compared with its row. */
  doubt(): void;
}

/** Returns a cache of heads with that many characters. */
export function cachedHeads(capacity: number): Heads {
  const cache = bodyCache<Head>(capacity);
  let known = new WeakSet<Head>();
  return {
    get: (id) => cache.get(id),
    set(id, head) {
      cache.set(id, head);
      known.add(head);
    },
    clear: () => cache.clear(),
    latest(id) {
      const head = cache.get(id);
      return head !== undefined && known.has(head) ? head : undefined;
    },
    doubt() {
      known = new WeakSet();
    },
  };
}
