import {
  checkLimit,
  fieldConditions,
  type FindQuery,
  meetsCondition,
  type Page,
  readPlace,
  type StoredMetadata,
} from "@self-context-manager/objects";

import type { CallBudget } from "../client/call-budget.ts";
import type { NodeClient } from "../client/node-client.ts";
import { findsValue } from "../xtdb-documents/field-attributes.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import type { LatestObjects } from "./latest-objects.ts";
import { listLastChanged } from "./list-last-changed.ts";
import { type Listed, listObjects, shortList } from "./list-objects.ts";
import type { VersionReader } from "./version-reader.ts";

/** What the queries that list objects need. */
export interface ListingParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly objects: LatestObjects;
  readonly reader: VersionReader;
}

/** Returns a page of the objects that meet the conditions of a query. */
export async function findObjects(
  query: FindQuery,
  { client, names, objects, reader }: ListingParts,
  budget: CallBudget,
): Promise<Page<StoredMetadata>> {
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
  // Attributes do not decide every condition: a field can be absent, be long or be a list, and a version can have been
  // committed in the meantime.
  const meets = ({ body }: StoredMetadata): boolean =>
    body.id.startsWith(listed.idPrefix) &&
    conditions.every((condition) => meetsCondition(body, condition));
  const found: { readonly place: number; readonly metadata: StoredMetadata }[] = [];
  const page = (): Page<StoredMetadata> => {
    const items = found.slice(0, limit).map(({ metadata }) => metadata);
    return found.length > limit ? { items, next: String(found[limit - 1]?.place) } : { items };
  };
  const short =
    query.lastChangedFirst === true ? undefined : await shortList(listed, client, names, budget);
  if (short !== undefined) {
    const places = [...short.keys()];
    for (const [index, metadata] of (await reader.metadata([...short.values()], budget)).entries())
      if (meets(metadata)) found.push({ place: places[index] ?? 0, metadata });
    return page();
  }
  const portion = limit + 1;
  const portions =
    query.lastChangedFirst === true
      ? listLastChanged(listed, portion, { client, names, objects }, budget)
      : listObjects(listed, portion, client, names, budget);
  for await (const places of portions) {
    for (let start = 0; start < places.length && found.length <= limit; start += portion) {
      const part = places
        .slice(start, start + portion)
        .filter(({ id }) => id.startsWith(listed.idPrefix));
      const described = await objects.describe(
        part.map(({ id }) => id),
        budget,
      );
      for (const { place, id } of part) {
        const metadata = described.get(id);
        if (metadata !== undefined && meets(metadata)) found.push({ place, metadata });
      }
    }
    if (found.length > limit) break;
  }
  return page();
}
