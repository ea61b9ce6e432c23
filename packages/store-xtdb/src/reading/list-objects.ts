import type { ObjectId } from "@self-context-manager/objects";

import type { Documents } from "../documents/documents.ts";
import { placed, placeIn } from "../documents/documents.ts";
import type { NodeClient, CallBudget } from "../client/node-client.ts";

/** An object with its number in the order of first commits. */
export interface Place {
  readonly place: number;
  readonly id: ObjectId;
}

/** A composite attribute and its keys, without the number. An object is in the listing if one of the keys lists it. */
interface Listing {
  readonly attribute: "listing" | "edge";
  readonly keys: readonly string[];
}

/** The objects to list: those that are in every listing and whose id has the prefix. */
export interface Listed {
  readonly listings: readonly Listing[];
  readonly idPrefix: string;
  readonly newestFirst: boolean;
  /** The place after which the list begins, in the requested order; undefined begins at the first object. */
  readonly after: number | undefined;
}

/**
 * Lists objects in the order of first commits, in portions that are read on demand.
 *
 * XTDB has no ordered page: it sorts all results of a query. So a listing with few entries is read as a whole; a query
 * that does not reach its limit shows that there are few. If every listing has many entries, they are read in windows of
 * places that become wider, and the objects that are in all listings are kept.
 */
export async function* listObjects(
  listed: Listed,
  portion: number,
  client: NodeClient,
  names: Documents,
  budget: CallBudget,
): AsyncIterable<readonly Place[]> {
  const rows = rowsOf(client, names, budget);
  const { newestFirst, after } = listed;
  // The remaining range of places, including both ends.
  let from = newestFirst || after === undefined ? 1 : after + 1;
  let to = newestFirst && after !== undefined ? after - 1 : mostPlaces;
  const few = await fewest(listed, from, to, Math.max(256, portion * 2), rows);
  if (few !== undefined) {
    const sorted = [...few].sort((one, other) => one.place - other.place);
    yield newestFirst ? sorted.toReversed() : sorted;
    return;
  }
  to = Math.min(to, await lastPlace(client, names, budget));
  for (let width = Math.max(512, portion * 4); from <= to; width *= 4) {
    const start = newestFirst ? Math.max(from, to - width + 1) : from;
    const end = newestFirst ? to : Math.min(to, from + width - 1);
    const found = await window(listed, start, end, rows);
    yield newestFirst ? found.toReversed() : found;
    if (newestFirst) to = start - 1;
    else from = end + 1;
  }
}

/** The greatest place that fits into a key. */
const mostPlaces = 9_999_999_999;

interface Rows {
  listing(
    listing: Listing,
    from: number,
    to: number,
    limit?: number,
  ): Promise<{ readonly places: readonly Place[]; readonly count: number }>;
  objects(from: number, to: number): Promise<readonly Place[]>;
  idsFrom(prefix: string, limit: number): Promise<readonly Place[]>;
}

/** Returns the whole of the shortest listing; undefined if all listings are long. */
async function fewest(
  { listings, idPrefix }: Listed,
  from: number,
  to: number,
  limit: number,
  rows: Rows,
): Promise<readonly Place[] | undefined> {
  const probes = await Promise.all([
    ...listings.map(async (listing) => {
      const { places, count } = await rows.listing(listing, from, to, limit);
      return count < limit ? places : undefined;
    }),
    ...(idPrefix === ""
      ? []
      : [
          (async () => {
            const places = await rows.idsFrom(idPrefix, limit);
            return places.length < limit
              ? places.filter(
                  ({ place, id }) => isBetween(place, from, to) && id.startsWith(idPrefix),
                )
              : undefined;
          })(),
        ]),
  ]);
  const short = probes.filter((places) => places !== undefined);
  return short.sort((one, other) => one.length - other.length)[0];
}

async function window(
  { listings }: Listed,
  from: number,
  to: number,
  rows: Rows,
): Promise<Place[]> {
  const [first, ...others] = listings;
  const found =
    first === undefined
      ? await rows.objects(from, to)
      : (await rows.listing(first, from, to)).places;
  const kept = new Map(found.map((one) => [one.place, one]));
  for (const listing of others) {
    const also = new Set((await rows.listing(listing, from, to)).places.map(({ place }) => place));
    for (const place of kept.keys()) if (!also.has(place)) kept.delete(place);
  }
  return [...kept.values()].sort((one, other) => one.place - other.place);
}

function rowsOf(client: NodeClient, names: Documents, budget: CallBudget): Rows {
  const place = names.attribute("place");
  return {
    async listing({ attribute, keys }, from, to, limit) {
      const name = names.attribute(attribute);
      // A reference is stored in the version that added it, and that document names its object.
      const holder = attribute === "edge" ? ` [d :${names.attribute("of")} h]` : "";
      const places = new Map<number, Place>();
      let count = 0;
      const ask = async (key: string): Promise<void> => {
        const rows = await client.query(
          `{:find [k ${holder === "" ? "d" : "h"}] :in [a b] ` +
            `:where [[d :${name} k] [(>= k a)] [(<= k b)]${holder}]` +
            (limit === undefined ? "}" : ` :limit ${limit}}`),
          [placed(key, from), placed(key, to)],
          budget,
        );
        count = Math.max(count, rows.length);
        for (const [text, found] of rows) {
          const at = placeIn(String(text), key);
          if (at === undefined) continue;
          const id = holder === "" ? names.idOf(String(found)) : (String(found) as ObjectId);
          places.set(at, { place: at, id });
        }
      };
      await Promise.all(keys.map(ask));
      return { places: [...places.values()], count };
    },

    async objects(from, to) {
      const rows = await client.query(
        `{:find [p d] :in [a b] :where [[d :${place} p] [(>= p a)] [(<= p b)]]}`,
        [from, to],
        budget,
      );
      return placesOf(rows, names);
    },

    async idsFrom(prefix, limit) {
      const rows = await client.query(
        `{:find [p d] :in [a b] :where [[d :${names.attribute("id")} i] [(>= i a)] [(<= i b)] [d :${place} p]] :limit ${limit}}`,
        [prefix, `${prefix}\u{10ffff}`],
        budget,
      );
      return placesOf(rows, names);
    },
  };
}

/** Returns each object once, because a response can contain the same row twice. */
function placesOf(rows: readonly (readonly unknown[])[], names: Documents): readonly Place[] {
  const places = new Map<number, Place>();
  for (const [place, documentId] of rows)
    places.set(Number(place), { place: Number(place), id: names.idOf(String(documentId)) });
  return [...places.values()];
}

async function lastPlace(
  client: NodeClient,
  names: Documents,
  budget: CallBudget,
): Promise<number> {
  return names.readClock(await client.entity(names.clockId, budget)).objects;
}

function isBetween(place: number, from: number, to: number): boolean {
  return place >= from && place <= to;
}
