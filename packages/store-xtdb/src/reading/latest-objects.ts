import type {
  BodyCache,
  ObjectId,
  StoredMetadata,
  StoredVersion,
} from "@self-context-manager/objects";

import type { CallBudget } from "../client/call-budget.ts";
import { type Head, isVersionOf } from "./head.ts";
import { learn, type Memory } from "./memory.ts";
import type { VersionPair, VersionReader } from "./version-reader.ts";

/** Reads the latest versions of objects. Those that are in the cache are not read again. */
export interface LatestObjects {
  whole(
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<ObjectId, StoredVersion>>;
  describe(
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<ObjectId, StoredMetadata>>;
}

export interface LatestObjectsParts {
  readonly reader: VersionReader;
  readonly heads: BodyCache<Head>;
  readonly memory: Memory;
}

export function latestObjects({ reader, heads, memory }: LatestObjectsParts): LatestObjects {
  async function whole(
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<ObjectId, StoredVersion>> {
    const { found: latest, clock } = await reader.latest(ids, budget);
    if (clock !== undefined) learn(memory, clock);
    const asOf = clock?.seq ?? -1;
    const known = new Map<ObjectId, StoredVersion>();
    const missing: VersionPair[] = [];
    for (const [id, one] of latest) {
      const cached = heads.get(id);
      if (cached !== undefined && isVersionOf(cached, one.object)) {
        known.set(id, cached.stored);
        if (asOf > cached.asOf) heads.set(id, { ...cached, asOf });
      } else missing.push(one);
    }
    const read = await reader.whole(missing, budget);
    for (const [index, { object, version }] of missing.entries()) {
      const stored = read[index];
      if (stored === undefined) continue;
      const { id, place } = object;
      const { base, weight, size } = version;
      known.set(id, stored);
      // A commit in the meantime may have cached a newer version.
      if ((heads.get(id)?.stored.version ?? 0) < stored.version)
        heads.set(id, { stored, place, base, weight, size, asOf });
    }
    return known;
  }

  async function describe(
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<ObjectId, StoredMetadata>> {
    const read = await reader.metadata(await reader.objects(ids, budget), budget);
    return new Map(read.map((metadata) => [metadata.body.id, metadata]));
  }

  return { whole, describe };
}
