import type { CallBudget } from "../client/call-budget.ts";
import type { NodeClient } from "../client/node-client.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import type { LatestObjects } from "./latest-objects.ts";
import { fewMatching, type Listed, type Place } from "./list-objects.ts";

interface Parts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly objects: LatestObjects;
}

/** Number of versions in the first window. */
const firstWindow = 512;

/**
 * Lists objects in the descending order in which their latest versions arrived, in portions that are read on demand. A place
 * is the arrival of the latest version. A list with few objects is read whole; otherwise the versions are read by windows
 * of arrivals that become wider, and those that are no longer the latest are left out.
 */
export async function* listLastChanged(
  listed: Listed,
  portion: number,
  parts: Parts,
  budget: CallBudget,
): AsyncIterable<readonly Place[]> {
  const { client, names } = parts;
  const before = listed.after ?? Number.MAX_SAFE_INTEGER;
  const few = await fewMatching(listed, client, names, budget);
  if (few !== undefined) {
    const ids = few.map(({ id }) => id);
    const latest = [...(await parts.objects.describe(ids, budget)).values()];
    const keys = latest.map(({ body, version }) => names.versionId(body.id, version));
    const rows =
      keys.length === 0
        ? []
        : await client.query(
            `{:find [n v] :in [[v ...]] :where [[v :${names.attribute("arrival")} n]]}`,
            [keys],
            budget,
          );
    yield placesOf(rows, parts).filter(({ place }) => place < before);
    return;
  }
  const { arrivals } = names.readClock(await client.entity(names.clockId, budget));
  let end = Math.min(arrivals, before - 1);
  for (let width = Math.max(firstWindow, portion * 4); end > 0; width *= 2) {
    const start = Math.max(0, end - width);
    const rows = await client.query(
      `{:find [n v] :in [a b] :where [[v :${names.attribute("arrival")} n] [(> n a)] [(<= n b)]]}`,
      [start, end],
      budget,
    );
    yield await latestOf(placesOf(rows, parts), rows, parts, budget);
    end = start;
  }
}

/** Returns the places of versions by their arrival, the last one first. */
function placesOf(rows: readonly (readonly unknown[])[], { names }: Parts): readonly Place[] {
  const places = new Map<number, Place>();
  for (const [arrival, documentId] of rows) {
    const id = names.versionOf(String(documentId))?.id;
    const place = Number(arrival);
    if (id !== undefined) places.set(place, { place, id, isInBulk: false });
  }
  return [...places.values()].sort((one, other) => other.place - one.place);
}

/** Returns the places of those versions that are the latest of their objects. */
async function latestOf(
  places: readonly Place[],
  rows: readonly (readonly unknown[])[],
  { names, objects }: Parts,
  budget: CallBudget,
): Promise<readonly Place[]> {
  const described = await objects.describe([...new Set(places.map(({ id }) => id))], budget);
  const versions = new Map(
    rows.map(([arrival, documentId]) => [
      Number(arrival),
      names.versionOf(String(documentId))?.version,
    ]),
  );
  return places.filter(({ place, id }) => described.get(id)?.version === versions.get(place));
}
