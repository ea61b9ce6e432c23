import {
  type BodyCache,
  type Changes,
  checkLimit,
  collectReferences,
  compareText,
  fieldConditions,
  type FindQuery,
  type HistoryOptions,
  type JsonObject,
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

import type { AttributeName, XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import { findsValue } from "../xtdb-documents/field-attributes.ts";
import { learn, type Memory } from "./memory.ts";
import type { Head } from "./head.ts";
import { type Listed, listObjects, type Place } from "./list-objects.ts";
import type { Document, NodeClient, CallBudget } from "../client/node-client.ts";
import { batched } from "./batched.ts";
import type { PastVersions } from "./past-versions.ts";
import type { VersionPair, VersionReader } from "./version-reader.ts";
import { DamageError, RequestFailure } from "../client/xtdb-errors.ts";

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
  /** Returns the number of the latest version of an object; 0 if there is no object. */
  latest(id: ObjectId, budget: CallBudget): Promise<number>;
  /** Returns the versions from `from` to `to`, oldest first. `before` is an earlier version of the object. */
  page(
    id: ObjectId,
    from: number,
    to: number,
    before: StoredVersion | undefined,
    budget: CallBudget,
  ): Promise<readonly StoredVersion[]>;
  find(query: FindQuery, budget: CallBudget): Promise<Page<StoredMetadata>>;
  lookup(nickname: string, budget: CallBudget): Promise<StoredMetadata | undefined>;
  referrers(id: ObjectId, options: ReferrersOptions, budget: CallBudget): Promise<Page<Referrer>>;
  changesSince(position: string, limit: number | undefined, budget: CallBudget): Promise<Changes>;
}

export interface QueriesParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly reader: VersionReader;
  readonly past: PastVersions;
  readonly heads: BodyCache<Head>;
  readonly memory: Memory;
}

/** Number of versions that one query requests, if all versions are needed. */
const versionsAtOnce = 500;

/** The greatest number that XTDB's index keeps exactly. */
const largest = Number.MAX_SAFE_INTEGER;

export function queries({ client, names, reader, past, heads, memory }: QueriesParts): Queries {
  const name = (attribute: AttributeName): string => names.attribute(attribute);

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
      if (cached?.stored.version === one.version.version) {
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

  /** Returns the fields of objects that contain references: their metadata, and the bulk fields where one is there. */
  async function holdersOf(
    places: readonly Place[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<ObjectId, JsonObject>> {
    const [described, read] = await Promise.all([
      describe(
        places.filter(({ isInBulk }) => !isInBulk).map(({ id }) => id),
        budget,
      ),
      whole(
        places.filter(({ isInBulk }) => isInBulk).map(({ id }) => id),
        budget,
      ),
    ]);
    return new Map(
      [...described, ...read].map(([id, { body }]): [ObjectId, JsonObject] => [id, body]),
    );
  }

  /** Returns the number of an object's last version that meets a condition on its document `v`. */
  async function lastVersion(
    id: ObjectId,
    condition: string,
    value: string | number,
    budget: CallBudget,
  ): Promise<number | undefined> {
    const rows = await client.query(
      `{:find [(max n)] :in [o x] :where [[v :${name("of")} o] [v :${name("version")} n] ${condition}]}`,
      [names.objectId(id), value],
      budget,
    );
    const [version] = rows[0] ?? [];
    return typeof version === "number" ? version : undefined;
  }

  async function lastVersionAt(
    id: ObjectId,
    time: string,
    budget: CallBudget,
  ): Promise<number | undefined> {
    const rows = await client.query(
      `{:find [n t] :in [o] :where [[v :${name("of")} o] [v :${name("version")} n] [v :${name("time")} t]]}`,
      [names.objectId(id)],
      budget,
    );
    // Compared here, because the texts of times before the year 0 and after 9999 are not in the order of the times.
    const numbers = rows.flatMap(([number, at]) =>
      Date.parse(String(at)) <= Date.parse(time) ? [Number(number)] : [],
    );
    return numbers.length === 0 ? undefined : Math.max(...numbers);
  }

  async function versionAt(
    id: ObjectId,
    at: VersionSelector,
    budget: CallBudget,
  ): Promise<number | undefined> {
    if ("version" in at) return at.version;
    if ("contentHash" in at)
      return await lastVersion(id, `[v :${name("content")} x]`, at.contentHash, budget);
    if ("txId" in at) {
      const txId = Math.min(Math.floor(at.txId), largest);
      if (!(txId >= 0)) return undefined;
      return await lastVersion(id, `[v :${name("tx")} t] [(<= t x)]`, txId, budget);
    }
    return await lastVersionAt(id, normalTime(at.txTime), budget);
  }

  /** Returns a version by the id of its document. A caller that reads many at once, such as an export, shares queries. */
  const versionOf = batched(
    async (documentIds: readonly string[]) => {
      const budget = client.budget();
      const versions = [...(await reader.versions(documentIds, budget))].sort(
        (one, other) => one.arrival - other.arrival,
      );
      const objects = await past.of(versions, budget);
      const pairs = versions.map((version): VersionPair => {
        const object = objects.get(names.versionId(version.id, version.version));
        if (object === undefined)
          throw new DamageError(`version ${version.version} of object ${version.id} is missing`);
        return { object, version };
      });
      const read = await reader.whole(pairs, budget);
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
      const document = await client.entity(names.objectId(id), budget);
      if (document === undefined) return [];
      const latest = names.readObject(document);
      const first = Math.max(0, after) + 1;
      const last = Math.min(end, latest.version);
      if (first > last) return [];
      const found =
        first === latest.version ? [latest] : await past.between(id, first, last, budget);
      return await reader.metadata(found, budget);
    },

    async latest(id, budget) {
      const document = await client.entity(names.objectId(id), budget);
      return document === undefined ? 0 : names.readObject(document).version;
    },

    async page(id, from, to, before, budget) {
      const objects = await past.between(id, from, to, budget);
      const ids = objects.map(({ version }) => names.versionId(id, version));
      const found = await reader.versions(ids, budget);
      const versions = new Map(found.map((version) => [version.version, version]));
      const pairs = objects.map((object): VersionPair => {
        const version = versions.get(object.version);
        if (version === undefined)
          throw new DamageError(`version ${object.version} of object ${id} is missing`);
        return { object, version };
      });
      return await reader.inOrder(pairs, before, budget);
    },

    async find(query, budget) {
      const conditions = fieldConditions(query);
      const limit = checkLimit(query.limit ?? 100);
      const listed: Listed = {
        // No attribute shows that an object lacks a field.
        values: conditions.flatMap(({ field, path, value }) =>
          value !== null && findsValue(path, value) ? [{ attribute: field, value }] : [],
        ),
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
            // Attributes do not decide every condition: a field can be absent, be long or be a list, and a version can
            // have been committed in the meantime.
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
      const rows = await client.query(
        `{:find [(pull o [*])] :in [n] :where [[o :nickname n] [o :${name("latest")}]]}`,
        [nickname],
        budget,
      );
      const [document] = rows[0] ?? [];
      if (document === undefined) return undefined;
      const [metadata] = await reader.metadata([names.readObject(document as Document)], budget);
      return metadata;
    },

    async referrers(id, { kind, limit = 100, after }, budget) {
      checkLimit(limit);
      const start = after === undefined ? undefined : readReferrerPosition(after);
      const listed: Listed = {
        values: [],
        refersTo: id,
        idPrefix: "",
        newestFirst: false,
        // The last holder of the previous page can have more references.
        after: start === undefined ? undefined : start[0] - 1,
      };
      const found: { readonly place: number; readonly referrer: Referrer }[] = [];
      for await (const places of listObjects(listed, limit, client, names, budget)) {
        for (let first = 0; first < places.length && found.length <= limit; first += limit) {
          const part = places.slice(first, first + limit);
          const holders = await holdersOf(part, budget);
          for (const { place, id: holder } of part) {
            const located = collectReferences(holders.get(holder) ?? {})
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
          `{:find [n (pull v [*])] :in [a b] :where [[v :${name("arrival")} n] [(> n a)] [(<= n b)]]}`,
          [reached, last],
          budget,
        );
        const unique = new Map(
          rows.map(([arrival, document]) => [
            Number(arrival),
            names.readVersion(document as Document),
          ]),
        );
        const changed = [...unique]
          .sort(([one], [other]) => one - other)
          .map(([, version]) => version);
        const objects = await past.of(changed, budget);
        const documents = changed.map(({ id, version, arrival }) => {
          const object = objects.get(names.versionId(id, version));
          if (object === undefined)
            throw new DamageError(`the version of arrival ${arrival} is missing`);
          return object;
        });
        versions.push(...(await reader.metadata(documents, budget)));
        const isLast = changed.length < last - reached;
        reached = changed.at(-1)?.arrival ?? reached;
        if (isLast) break;
      }
      return { versions, position: versions.length === 0 ? position : String(reached) };
    },
  };
}
