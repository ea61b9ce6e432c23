import type { JsonValue, ObjectId, Scalar } from "@self-context-manager/objects";

import type { ObjectDocument, XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import type { CallBudget } from "../client/call-budget.ts";
import type { Document, NodeClient } from "../client/node-client.ts";
import { pulled } from "../client/pull-documents.ts";

/** An object with its number in the order of first commits. */
export interface Place {
  readonly place: number;
  readonly id: ObjectId;
  /** Whether a bulk field has the reference that was asked for. */
  readonly isInBulk: boolean;
}

/** The objects to list: those that meet every condition and whose id has the prefix. */
export interface Listed {
  /** Attributes that must have a value. */
  readonly values: readonly { readonly attribute: string; readonly value: Scalar }[];
  /** The id of an object to which the objects must refer. */
  readonly refersTo?: ObjectId;
  readonly idPrefix: string;
  readonly newestFirst: boolean;
  /** The place after which the list begins, in the requested order; undefined begins at the first object. */
  readonly after: number | undefined;
}

/** The clauses of a query about an object `o`, and its arguments with their names. */
interface Conditions {
  readonly where: string;
  readonly names: readonly string[];
  readonly args: readonly JsonValue[];
  /** The variables of the result: the place, the object, and the document with the reference. */
  readonly find: string;
}

/** Number of places in the first window. */
const firstWindow = 512;

/** A list of at most this many objects is read whole before a window becomes wider than that. */
const mostRead = 4_096;

/**
 * Lists objects in the order of first commits, in portions that are read on demand.
 *
 * XTDB has no ordered page: it sorts all results of a query. So a list with few objects is read as a whole; a query that
 * does not reach its limit shows that there are few. Otherwise the objects are read by windows of places that become
 * wider. A window gives its places as a list: with a range of places, XTDB would read all objects that meet the
 * conditions first.
 */
export async function* listObjects(
  listed: Listed,
  portion: number,
  client: NodeClient,
  names: XtdbDocuments,
  budget: CallBudget,
): AsyncIterable<readonly Place[]> {
  const { newestFirst, after, idPrefix } = listed;
  const conditions = conditionsOf(listed, names);
  const rows = rowsOf(client, names, budget);
  // The remaining range of places, including both ends.
  let from = newestFirst || after === undefined ? 1 : after + 1;
  let to = newestFirst && after !== undefined ? after - 1 : Number.MAX_SAFE_INTEGER;
  const few = Math.max(256, portion * 2);
  const whole =
    (conditions.args.length > 0 ? await rows.matching(conditions, few) : undefined) ??
    (idPrefix === "" ? undefined : await rows.idsFrom(idPrefix, few));
  if (whole !== undefined) {
    yield inOrder(whole, from, to, newestFirst);
    return;
  }
  to = Math.min(to, await lastPlace(client, names, budget));
  let mayBeFew = conditions.args.length > 0;
  for (let width = Math.max(firstWindow, portion * 4); from <= to; width *= 4) {
    if (mayBeFew && width > mostRead) {
      const read = await rows.matching(conditions, mostRead);
      if (read !== undefined) {
        yield inOrder(read, from, to, newestFirst);
        return;
      }
      mayBeFew = false;
    }
    const start = newestFirst ? Math.max(from, to - width + 1) : from;
    const end = newestFirst ? to : Math.min(to, from + width - 1);
    yield inOrder(await rows.window(conditions, start, end), start, end, newestFirst);
    if (newestFirst) to = start - 1;
    else from = end + 1;
  }
}

/** Returns the objects of a list with few objects, in no particular order; undefined if there can be many. */
export async function fewMatching(
  listed: Listed,
  client: NodeClient,
  names: XtdbDocuments,
  budget: CallBudget,
): Promise<readonly Place[] | undefined> {
  const conditions = conditionsOf(listed, names);
  if (conditions.args.length === 0) return undefined;
  return await rowsOf(client, names, budget).matching(conditions, mostRead);
}

/** A list of fewer objects is read in one query, with the documents of the objects. */
const veryFew = 9;

/**
 * Returns the documents of the objects of a short list, by their places in the requested order; undefined if the list can
 * be longer. A session asks before most model calls which object a file has.
 */
export async function shortList(
  listed: Listed,
  client: NodeClient,
  names: XtdbDocuments,
  budget: CallBudget,
): Promise<ReadonlyMap<number, ObjectDocument> | undefined> {
  const { where, names: variables, args } = conditionsOf(listed, names);
  if (args.length === 0 || listed.after !== undefined) return undefined;
  const place = `[o :${names.attribute("place")} p]`;
  const rows = await client.query(
    `{:find [p o (pull o [*])] :in [${variables.join(" ")}] :where [${where} ${place}] :limit ${veryFew}}`,
    args,
    budget,
  );
  if (rows.length >= veryFew) return undefined;
  const found = new Map<number, Document>();
  for (const [at, id, document] of rows) found.set(Number(at), pulled(id, document));
  const sorted = [...found].sort(([one], [other]) => one - other);
  const ordered = listed.newestFirst ? sorted.toReversed() : sorted;
  return new Map(ordered.map(([at, document]) => [at, names.readObject(document)]));
}

function conditionsOf({ values, refersTo }: Listed, names: XtdbDocuments): Conditions {
  const clauses = values.map(({ attribute }, index) => `[o :${attribute} v${index}]`);
  const args: JsonValue[] = values.map(({ value }) => value);
  const variables = values.map((_, index) => `v${index}`);
  if (refersTo !== undefined) {
    clauses.push(`[d :${names.attribute("to")} t] [d :${names.attribute("from")} o]`);
    args.push(names.objectId(refersTo));
    variables.push("t");
  }
  const find = refersTo === undefined ? "[p o]" : "[p o d]";
  return { where: clauses.join(" "), names: variables, args, find };
}

interface Rows {
  /** Returns all objects that meet the conditions; undefined if there are at least `limit`. */
  matching(conditions: Conditions, limit: number): Promise<readonly Place[] | undefined>;
  /** Returns the objects in a range of places that meet the conditions. */
  window(conditions: Conditions, from: number, to: number): Promise<readonly Place[]>;
  /** Returns all objects whose id has the prefix; undefined if there are at least `limit`. */
  idsFrom(prefix: string, limit: number): Promise<readonly Place[] | undefined>;
}

function rowsOf(client: NodeClient, names: XtdbDocuments, budget: CallBudget): Rows {
  const place = `[o :${names.attribute("place")} p]`;
  return {
    async matching({ where, names: variables, args, find }, limit) {
      const rows = await client.query(
        `{:find ${find} :in [${variables.join(" ")}] :where [${where} ${place}] :limit ${limit}}`,
        args,
        budget,
      );
      return rows.length < limit ? placesOf(rows, names) : undefined;
    },

    async window({ where, names: variables, args, find }, from, to) {
      const rows =
        args.length === 0
          ? await client.query(
              `{:find [p o] :in [a b] :where [${place} [(>= p a)] [(<= p b)]]}`,
              [from, to],
              budget,
            )
          : await client.query(
              `{:find ${find} :in [[p ...] ${variables.join(" ")}] :where [${place} ${where}]}`,
              [Array.from({ length: to - from + 1 }, (_, index) => from + index), ...args],
              budget,
            );
      return placesOf(rows, names);
    },

    async idsFrom(prefix, limit) {
      const found = await Promise.all([
        client.query(
          `{:find [p o] :in [a b] :where [[o :id i] [(>= i a)] [(<= i b)] ${place}] :limit ${limit}}`,
          [prefix, `${prefix}\u{10ffff}`],
          budget,
        ),
        client.query(
          `{:find [p o] :where [[o :${names.attribute("long")} true] ${place}] :limit ${limit}}`,
          [],
          budget,
        ),
      ]);
      if (found.some((rows) => rows.length >= limit)) return undefined;
      return placesOf(found.flat(), names).filter(({ id }) => id.startsWith(prefix));
    },
  };
}

/** Returns each object once, because a response can contain the same row twice, and one for each page of references. */
function placesOf(rows: readonly (readonly unknown[])[], names: XtdbDocuments): readonly Place[] {
  const places = new Map<number, Place>();
  for (const [at, documentId, holder] of rows) {
    const place = Number(at);
    const isInBulk =
      places.get(place)?.isInBulk === true || (holder !== undefined && holder !== documentId);
    places.set(place, { place, id: names.idOf(String(documentId)), isInBulk });
  }
  return [...places.values()];
}

function inOrder(
  places: readonly Place[],
  from: number,
  to: number,
  newestFirst: boolean,
): readonly Place[] {
  const sorted = places
    .filter(({ place }) => place >= from && place <= to)
    .sort((one, other) => one.place - other.place);
  return newestFirst ? sorted.toReversed() : sorted;
}

async function lastPlace(
  client: NodeClient,
  names: XtdbDocuments,
  budget: CallBudget,
): Promise<number> {
  return names.readClock(await client.entity(names.clockId, budget)).objects;
}
