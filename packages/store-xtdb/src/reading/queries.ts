import {
  type Changes,
  type ChangesOptions,
  checkLimit,
  type FindQuery,
  type HistoryOptions,
  type ObjectId,
  type Page,
  type Referrer,
  type ReferrersOptions,
  type StoredMetadata,
  type StoredVersion,
  type VersionSelector,
} from "@self-context-manager/objects";

import type { CallBudget } from "../client/call-budget.ts";
import type { Document } from "../client/node-client.ts";
import { DamageError, RequestFailure } from "../client/xtdb-errors.ts";
import { batched } from "./batched.ts";
import {
  changesSince,
  type ChangesParts,
  listVersions,
  type VersionList,
} from "./changes-since.ts";
import { checkChoice, checkChosen } from "./check-choice.ts";
import { chooseVersion, largest } from "./choose-version.ts";
import { findObjects, type ListingParts } from "./find-objects.ts";
import { findReferrers } from "./find-referrers.ts";
import { latestObjects, type LatestObjectsParts } from "./latest-objects.ts";
import type { ObjectDocument } from "../xtdb-documents/xtdb-documents.ts";
import { versionPage } from "./version-pages.ts";
import type { VersionPair } from "./version-reader.ts";

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
  changesSince(
    position: string | undefined,
    options: ChangesOptions,
    budget: CallBudget,
  ): Promise<Changes>;
  listVersions(budget: CallBudget): Promise<VersionList>;
}

export type QueriesParts = ChangesParts & LatestObjectsParts;

export function queries({ client, names, reader, past, heads, memory }: QueriesParts): Queries {
  const objects = latestObjects({ client, names, reader, heads, memory });
  const listing: ListingParts = { client, names, objects, reader };
  const versionAt = chooseVersion(client, names);

  /** Returns a version by the id of its document. A caller that reads many at once, such as an export, shares queries. */
  const versionOf = batched(
    async (documentIds: readonly string[]) => {
      const budget = client.budget();
      const versions = [...(await reader.versions(documentIds, budget))].sort(
        (one, other) => one.arrival - other.arrival,
      );
      const found = await past.of(versions, budget);
      const pairs = versions.map((version): VersionPair => {
        const object = found.get(names.versionId(version.id, version.version));
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
      if (at === undefined) return (await objects.whole([id], budget)).get(id);
      const version = (await versionAt(id, at, budget)) ?? 0;
      if ("version" in at && (!Number.isSafeInteger(version) || version < 1)) return undefined;
      const cached = heads.get(id);
      const isCached = cached?.stored.version === version;
      const stored = isCached
        ? cached.stored
        : version === 0
          ? undefined
          : await versionOf(names.versionId(id, version));
      if (stored !== undefined) checkChosen(stored, at);
      if (stored === undefined || !("version" in at))
        await checkChoice(id, at, stored?.version ?? 0, { client, names, reader }, budget);
      return stored;
    },

    async getMany(ids, budget) {
      const found = await objects.whole(ids, budget);
      return ids.map((id) => found.get(id));
    },

    async describe(ids, budget) {
      const found = await objects.describe(ids, budget);
      return ids.map((id) => found.get(id));
    },

    async history(id, { after = 0, limit }, budget) {
      const most = limit === undefined ? largest : checkLimit(limit);
      const document = await client.entity(names.objectId(id), budget);
      if (document === undefined) return [];
      const latest = names.readObject(document);
      const found: ObjectDocument[] = [];
      let first = Math.max(0, after) + 1;
      while (first <= latest.version && found.length < most) {
        const last = Math.min(first + most - found.length - 1, latest.version);
        if (first === latest.version) found.push(latest);
        else found.push(...(await past.between(id, first, last, budget)));
        // After a gap there are fewer versions than numbers.
        first = last + 1;
      }
      return await reader.metadata(found, budget);
    },

    async latest(id, budget) {
      const document = await client.entity(names.objectId(id), budget);
      return document === undefined ? 0 : names.readObject(document).version;
    },

    async page(id, from, to, before, budget) {
      const parts = { client, names, reader, past };
      const found = await versionPage(id, [from, to], before, parts, budget);
      return found.map(({ stored }) => stored);
    },

    find: async (query, budget) => await findObjects(query, listing, budget),

    async lookup(nickname, budget) {
      // Most are ids of new objects that are compared with nicknames. The index answers that none exists sooner than a query.
      if ((await client.transactionOf(names.nicknameId(nickname), budget)) === undefined)
        return undefined;
      const rows = await client.query(
        `{:find [(pull o [*])] :in [n] :where [[o :nickname n] [o :${names.attribute("latest")}]]}`,
        [nickname],
        budget,
      );
      const [document] = rows[0] ?? [];
      if (document === undefined) return undefined;
      const [metadata] = await reader.metadata([names.readObject(document as Document)], budget);
      return metadata;
    },

    referrers: async (id, options, budget) => await findReferrers(id, options, listing, budget),

    changesSince: async (position, options, budget) =>
      await changesSince(position, options, { client, names, reader, past, memory }, budget),

    listVersions: async (budget) => await listVersions({ client, names }, budget),
  };
}
