import {
  checkLimit,
  collectReferences,
  compareText,
  type JsonObject,
  type ObjectId,
  type Page,
  readReferrerPosition,
  type Referrer,
  type ReferrersOptions,
  writeReferrerPosition,
} from "@self-context-manager/objects";

import type { CallBudget } from "../client/call-budget.ts";
import type { ListingParts } from "./find-objects.ts";
import type { LatestObjects } from "./latest-objects.ts";
import { type Listed, listObjects, type Place } from "./list-objects.ts";

/** Returns a page of the references to an object. */
export async function findReferrers(
  id: ObjectId,
  { kind, limit = 100, after }: ReferrersOptions,
  { client, names, objects }: ListingParts,
  budget: CallBudget,
): Promise<Page<Referrer>> {
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
      const holders = await holdersOf(part, objects, budget);
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
}

/** Returns the fields of objects that contain references: their metadata, and the bulk fields where one is there. */
async function holdersOf(
  places: readonly Place[],
  objects: LatestObjects,
  budget: CallBudget,
): Promise<ReadonlyMap<ObjectId, JsonObject>> {
  const [described, read] = await Promise.all([
    objects.describe(
      places.filter(({ isInBulk }) => !isInBulk).map(({ id }) => id),
      budget,
    ),
    objects.whole(
      places.filter(({ isInBulk }) => isInBulk).map(({ id }) => id),
      budget,
    ),
  ]);
  return new Map(
    [...described, ...read].map(([id, { body }]): [ObjectId, JsonObject] => [id, body]),
  );
}
