import type {
  BodyCache,
  ObjectId,
  StoredMetadata,
  StoredVersion,
} from "@self-context-manager/objects";

import type { CallBudget } from "../client/call-budget.ts";
import type { NodeClient } from "../client/node-client.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
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
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly reader: VersionReader;
  readonly heads: BodyCache<Head>;
  readonly memory: Memory;
}

/** Most objects of which each is asked for by itself whether it exists. */
const fewAbsent = 4;

export function latestObjects({
  client,
  names,
  reader,
  heads,
  memory,
}: LatestObjectsParts): LatestObjects {
  /**
   * Returns the ids without those of objects that do not exist. Before each model call, a session asks whether the ids of its
   * new tool calls are free. The index answers that in less than half of the time of a query.
   */
  async function existing(
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<readonly ObjectId[]> {
    if (ids.length > fewAbsent || ids.some((id) => heads.get(id) !== undefined)) return ids;
    const made = await Promise.all(
      ids.map(async (id) => await client.transactionOf(names.objectId(id), budget)),
    );
    return ids.filter((_, index) => made[index] !== undefined);
  }

  async function whole(
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<ObjectId, StoredVersion>> {
    const { found: latest, clock } = await reader.latest(await existing(ids, budget), budget);
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
