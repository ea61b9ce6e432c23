import {
  type Changes,
  checkLimit,
  readPlace,
  type StoredMetadata,
} from "@self-context-manager/objects";

import type { CallBudget, Document, NodeClient } from "../client/node-client.ts";
import { DamageError } from "../client/xtdb-errors.ts";
import type { XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import { largest } from "./choose-version.ts";
import type { PastVersions } from "./past-versions.ts";
import type { VersionReader } from "./version-reader.ts";

/** Number of versions that one query requests, if all versions are needed. */
const versionsAtOnce = 500;

export interface ChangesParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly reader: VersionReader;
  readonly past: PastVersions;
}

/** Returns the versions that arrived after a position, in the order of their arrival. */
export async function changesSince(
  position: string,
  limit: number | undefined,
  { client, names, reader, past }: ChangesParts,
  budget: CallBudget,
): Promise<Changes> {
  const start = readPlace(position);
  const end = limit === undefined ? largest : start + checkLimit(limit);
  const versions: StoredMetadata[] = [];
  let reached = start;
  /** The number of versions that the clock counted after the last query. */
  let counted = 0;
  while (reached < end) {
    const last = Math.min(end, reached + versionsAtOnce);
    const rows = await client.query(
      `{:find [n (pull v [*])] :in [a b] :where [[v :${names.attribute("arrival")} n] [(> n a)] [(<= n b)]]}`,
      [reached, last],
      budget,
    );
    const unique = new Map(
      rows.map(([arrival, document]) => [Number(arrival), names.readVersion(document as Document)]),
    );
    const changed = [...unique].sort(([one], [other]) => one - other).map(([, version]) => version);
    const objects = await past.of(changed, budget);
    const documents = changed.map(({ id, version, arrival }) => {
      const object = objects.get(names.versionId(id, version));
      if (object === undefined)
        throw new DamageError(`the version of arrival ${arrival} is missing`);
      return object;
    });
    versions.push(...(await reader.metadata(documents, budget)));
    // Versions are numbered without gaps in the order of their arrival.
    const lost = changed.findIndex(({ arrival }, index) => arrival !== reached + index + 1);
    if (lost !== -1)
      throw new DamageError(`the version of arrival ${reached + lost + 1} is missing`);
    reached += changed.length;
    if (reached === last) continue;
    const { arrivals } = names.readClock(await client.entity(names.clockId, budget));
    if (reached >= Math.min(end, arrivals)) break;
    // The clock counts versions that were not found. They can have been committed after the query, so it is repeated.
    if (changed.length === 0 && counted > reached)
      throw new DamageError(`the version of arrival ${reached + 1} is missing`);
    counted = arrivals;
  }
  return { versions, position: versions.length === 0 ? position : String(reached) };
}
