import {
  type BodyCache,
  type Changes,
  checkLimit,
  collectReferences,
  compareText,
  fieldConditions,
  type FindQuery,
  type HistoryOptions,
  indexedValue,
  meetsCondition,
  normalTime,
  type ObjectId,
  type Page,
  readPlace,
  readReferrerPosition,
  type Referrer,
  type ReferrersOptions,
  type StoredMetadata,
  type StoredVersion,
  type VersionSelector,
  writeReferrerPosition,
} from "@self-context-manager/objects";

import {
  type AttributeName,
  conditionKey,
  type Documents,
  edgeKey,
  padded,
  paddedTime,
  placed,
  placeIn,
  pointKey,
} from "../documents/documents.ts";
import { learn, type Memory } from "./memory.ts";
import type { Head } from "./head.ts";
import { type Listed, listObjects } from "./list-objects.ts";
import type { NodeClient, CallBudget } from "../client/node-client.ts";
import { batched } from "./batched.ts";
import type { LatestVersion, VersionReader } from "./version-reader.ts";
import { RequestFailure } from "../client/xtdb-errors.ts";

/** The queries of the port. */
export interface Queries {
  get(
    id: ObjectId,
    at: VersionSelector | undefined,
    budget: CallBudget,
  ): Promise<StoredVersion | undefined>;
  getMany(
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<readonly (StoredVersion | undefined)[]>;
  describe(
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<readonly (StoredMetadata | undefined)[]>;
  history(
    id: ObjectId,
    options: HistoryOptions,
    budget: CallBudget,
  ): Promise<readonly StoredMetadata[]>;
  find(query: FindQuery, budget: CallBudget): Promise<Page<StoredMetadata>>;
  lookup(nickname: string, budget: CallBudget): Promise<StoredMetadata | undefined>;
  referrers(id: ObjectId, options: ReferrersOptions, budget: CallBudget): Promise<Page<Referrer>>;
  changesSince(position: string, limit: number | undefined, budget: CallBudget): Promise<Changes>;
}

export interface QueriesParts {
  readonly client: NodeClient;
  readonly names: Documents;
  readonly reader: VersionReader;
  readonly heads: BodyCache<Head>;
  readonly memory: Memory;
}

/** Number of versions that one query requests, if all versions are needed. */
const versionsAtOnce = 500;

/** Number of objects whose metadata one query requests. */
const objectsAtOnce = 300;

const referenceKinds = ["dynamic", "static"] as const;

/** The greatest number that XTDB's index keeps exactly. */
const largest = Number.MAX_SAFE_INTEGER;

/** The greatest version number that fits into a key. */
const mostVersions = 9_999_999_999;

export function queries({ client, names, reader, heads, memory }: QueriesParts): Queries {
  const name = (attribute: AttributeName): string => names.attribute(attribute);

  async function whole(
    ids: readonly ObjectId[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<ObjectId, StoredVersion>> {
    const { found: latest, clock } = await reader.latest(ids, budget);
    if (clock !== undefined) learn(memory, clock);
    const asOf = clock?.seq ?? -1;
    const known = new Map<ObjectId, StoredVersion>();
    const missing: LatestVersion[] = [];
    for (const [id, one] of latest) {
      const cached = heads.get(id);
      if (cached?.stored.version === one.document.version) {
        known.set(id, cached.stored);
        if (asOf > cached.asOf) heads.set(id, { ...cached, asOf });
      } else missing.push(one);
    }
    const read = await reader.whole(
      missing.map(({ document }) => document),
      budget,
    );
    for (const [index, { place, document }] of missing.entries()) {
      const stored = read[index];
      if (stored === undefined) continue;
      const { id, base, weight, size } = document;
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
    const found = new Map<ObjectId, StoredMetadata>();
    const unique = [...new Set(ids)];
    for (let start = 0; start < unique.length; start += objectsAtOnce) {
      const documentIds = unique
        .slice(start, start + objectsAtOnce)
        .map((id) => names.objectId(id));
      const rows = await client.query(
        `{:find [o (pull v ${reader.metadataPattern})] :in [[o ...]] :where [[o :${name("latest")} v]]}`,
        [documentIds],
        budget,
      );
      const read = await reader.metadata(
        rows.map(([, document]) => document),
        budget,
      );
      for (const metadata of read) found.set(metadata.body.id, metadata);
    }
    return found;
  }

  /** Returns the number of an object's last version whose key is between two texts; undefined if there is none. */
  async function lastPoint(
    key: string,
    from: string,
    to: string,
    budget: CallBudget,
  ): Promise<number | undefined> {
    const rows = await client.query(
      `{:find [(max k)] :in [a b] :where [[v :${name("points")} k] [(>= k a)] [(<= k b)]]}`,
      [from, to],
      budget,
    );
    const [text] = rows[0] ?? [];
    if (typeof text !== "string" || !text.startsWith(key)) return undefined;
    return placeIn(text, text.slice(0, text.lastIndexOf("#")));
  }

  async function versionAt(
    id: ObjectId,
    at: VersionSelector,
    budget: CallBudget,
  ): Promise<number | undefined> {
    if ("version" in at) return at.version;
    if ("contentHash" in at) {
      const rows = await client.query(
        `{:find [(max n)] :in [h o] :where [[v :${name("content")} h] [v :${name("of")} o] [v :${name("version")} n]]}`,
        [at.contentHash, id],
        budget,
      );
      const [version] = rows[0] ?? [];
      return typeof version === "number" ? version : undefined;
    }
    if ("txId" in at) {
      const txId = Math.min(Math.floor(at.txId), largest);
      if (!(txId >= 0)) return undefined;
      return await lastPoint(
        pointKey(id, "tx", ""),
        pointKey(id, "tx", padded(0)),
        placed(pointKey(id, "tx", padded(txId)), mostVersions),
        budget,
      );
    }
    return await lastPoint(
      pointKey(id, "time", ""),
      pointKey(id, "time", ""),
      placed(pointKey(id, "time", paddedTime(normalTime(at.txTime))), mostVersions),
      budget,
    );
  }

  /** Returns a version by the id of its document. A caller that reads many at once, such as an export, shares queries. */
  const versionOf = batched(
    async (documentIds: readonly string[]) => {
      const budget = client.budget();
      const found = await reader.versions(documentIds, budget);
      const read = await reader.whole(found, budget);
      return new Map(
        read.map((stored) => [names.versionId(stored.body.id, stored.version), stored]),
      );
    },
    (reason) => reason instanceof RequestFailure,
  );

  return {
    async get(id, at, budget) {
      if (at === undefined) return (await whole([id], budget)).get(id);
      const version = await versionAt(id, at, budget);
      if (version === undefined || !Number.isSafeInteger(version) || version < 1) return undefined;
      const cached = heads.get(id);
      if (cached?.stored.version === version) return cached.stored;
      return await versionOf(names.versionId(id, version));
    },

    async getMany(ids, budget) {
      const found = await whole(ids, budget);
      return ids.map((id) => found.get(id));
    },

    async describe(ids, budget) {
      const found = await describe(ids, budget);
      return ids.map((id) => found.get(id));
    },

    async history(id, { after = 0, limit }, budget) {
      const end = limit === undefined ? largest : after + checkLimit(limit);
      const head = await client.entity(names.objectId(id), budget);
      const newest = Math.min(end, head === undefined ? 0 : Number(names.read(head, "version")));
      const all: StoredMetadata[] = [];
      for (let start = Math.max(0, after); start < newest; start += versionsAtOnce) {
        const count = Math.min(versionsAtOnce, newest - start);
        const rows = await client.query(
          `{:find [v (pull v ${reader.metadataPattern})] :in [[v ...]] :where [[v :xt/id]]}`,
          [Array.from({ length: count }, (_, index) => names.versionId(id, start + index + 1))],
          budget,
        );
        const read = await reader.metadata(
          rows.map(([, document]) => document),
          budget,
        );
        all.push(...inOrder(read, ({ version }) => version));
      }
      return all;
    },

    async find(query, budget) {
      const conditions = fieldConditions(query);
      const limit = checkLimit(query.limit ?? 100);
      const listed: Listed = {
        listings: conditions
          // An object without a field is in no listing of that field.
          .filter(({ value }) => value !== null)
          .map(({ field, value }) => ({
            attribute: "listing",
            keys: [conditionKey(field, indexedValue(value))],
          })),
        idPrefix: query.idPrefix ?? "",
        newestFirst: query.newestFirst === true,
        after: query.after === undefined ? undefined : readPlace(query.after),
      };
      const found: { readonly place: number; readonly metadata: StoredMetadata }[] = [];
      const portion = limit + 1;
      for await (const places of listObjects(listed, portion, client, names, budget)) {
        for (let start = 0; start < places.length && found.length <= limit; start += portion) {
          const part = places
            .slice(start, start + portion)
            .filter(({ id }) => id.startsWith(listed.idPrefix));
          const described = await describe(
            part.map(({ id }) => id),
            budget,
          );
          for (const { place, id } of part) {
            const metadata = described.get(id);
            // The index cannot decide three conditions: a field is absent, a long value, of which it contains only the
            // hash, and a version that was committed in the meantime.
            if (
              metadata !== undefined &&
              conditions.every((condition) => meetsCondition(metadata.body, condition))
            )
              found.push({ place, metadata });
          }
        }
        if (found.length > limit) break;
      }
      const items = found.slice(0, limit).map(({ metadata }) => metadata);
      return found.length > limit ? { items, next: String(found[limit - 1]?.place) } : { items };
    },

    async lookup(nickname, budget) {
      const document = await client.entity(names.nicknameId(nickname), budget);
      if (document === undefined) return undefined;
      const owner = String(names.read(document, "owner")) as ObjectId;
      const metadata = (await describe([owner], budget)).get(owner);
      return metadata?.body.nickname === nickname ? metadata : undefined;
    },

    async referrers(id, { kind, limit = 100, after }, budget) {
      checkLimit(limit);
      const start = after === undefined ? undefined : readReferrerPosition(after);
      const listed: Listed = {
        listings: [
          {
            attribute: "edge",
            keys: (kind === undefined ? referenceKinds : [kind]).map((one) => edgeKey(id, one)),
          },
        ],
        idPrefix: "",
        newestFirst: false,
        // The last holder of the previous page can have more references.
        after: start === undefined ? undefined : start[0] - 1,
      };
      const found: { readonly place: number; readonly referrer: Referrer }[] = [];
      for await (const places of listObjects(listed, limit, client, names, budget)) {
        for (let first = 0; first < places.length && found.length <= limit; first += limit) {
          const part = places.slice(first, first + limit);
          const holders = await whole(
            part.map((one) => one.id),
            budget,
          );
          for (const { place, id: holder } of part) {
            const located = collectReferences(holders.get(holder)?.body ?? {})
              .filter(
                ({ reference, path }) =>
                  reference.id === id &&
                  (kind === undefined || reference.ref === kind) &&
                  (start === undefined ||
                    place > start[0] ||
                    (place === start[0] && compareText(path, start[1]) > 0)),
              )
              .sort((one, other) => compareText(one.path, other.path));
            for (const one of located) found.push({ place, referrer: { id: holder, ...one } });
          }
        }
        if (found.length > limit) break;
      }
      const items = found.slice(0, limit).map(({ referrer }) => referrer);
      const last = found[limit - 1];
      return found.length > limit && last !== undefined
        ? { items, next: writeReferrerPosition(last.place, last.referrer.path) }
        : { items };
    },

    async changesSince(position, limit, budget) {
      const start = readPlace(position);
      const end = limit === undefined ? largest : start + checkLimit(limit);
      const versions: StoredMetadata[] = [];
      let reached = start;
      while (reached < end) {
        const last = Math.min(end, reached + versionsAtOnce);
        const rows = await client.query(
          `{:find [n (pull v ${reader.metadataPattern})] :in [a b] :where [[v :${name("arrival")} n] [(> n a)] [(<= n b)]]}`,
          [reached, last],
          budget,
        );
        const unique = new Map(rows.map(([arrival, document]) => [Number(arrival), document]));
        const arrivals = [...unique.keys()].sort((one, other) => one - other);
        versions.push(
          ...(await reader.metadata(
            arrivals.map((arrival) => unique.get(arrival)),
            budget,
          )),
        );
        const isLast = arrivals.length < last - reached;
        reached = arrivals.at(-1) ?? reached;
        if (isLast) break;
      }
      return { versions, position: versions.length === 0 ? position : String(reached) };
    },
  };
}

/** Returns items in the order of a number, each number once, because a response can contain the same row twice. */
function inOrder<Item>(items: readonly Item[], numberOf: (item: Item) => number): readonly Item[] {
  const unique = new Map(items.map((item) => [numberOf(item), item]));
  return [...unique].sort(([one], [other]) => one - other).map(([, item]) => item);
}
