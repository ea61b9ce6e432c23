import {
  type Changes,
  type ChangesOptions,
  changesPosition,
  checkLimit,
  defined,
  readChangesPosition,
  type StoredMetadata,
} from "@self-context-manager/objects";

import type { CallBudget } from "../client/call-budget.ts";
import type { Document, NodeClient } from "../client/node-client.ts";
import { DamageError } from "../client/xtdb-errors.ts";
import type { VersionKey, XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import { largest } from "./choose-version.ts";
import type { Memory } from "./memory.ts";
import type { PastVersions } from "./past-versions.ts";
import type { VersionReader } from "./version-reader.ts";

/** Number of versions that one query requests, if all versions are needed. */
const versionsAtOnce = 500;

export interface ChangesParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly reader: VersionReader;
  readonly past: PastVersions;
  readonly memory: Memory;
}

/**
 * Returns the versions that arrived after a position, in the order of their arrival. They are numbered without gaps, so a
 * missing one is noticed. A removed version has left a document with its number.
 */
export async function changesSince(
  position: string | undefined,
  { limit, skipDamaged = false, counts = false }: ChangesOptions,
  parts: ChangesParts,
  budget: CallBudget,
): Promise<Changes> {
  const { client, names, memory } = parts;
  const { generation } = memory.rewrites;
  const { place: start, isRestarted } = readChangesPosition(position, generation);
  const most = limit === undefined ? largest : checkLimit(limit);
  // Only a page may end before the last version.
  const own = limit === undefined ? undefined : await ownSince(start, most, parts, budget);
  const versions: StoredMetadata[] = [...(own ?? [])];
  let reached = start + versions.length;
  let skipped = 0;
  /** The number of versions that the clock counted after the last query. */
  let counted = 0;
  const end = own === undefined ? most : 0;
  while (versions.length + skipped < end) {
    const last = reached + Math.min(versionsAtOnce, most - versions.length - skipped);
    const arrived = await (skipDamaged ? soundAfter : arrivedAfter)(reached, last, parts, budget);
    const documents = arrived.flatMap(([, document]) => (isRemoved(document) ? [] : [document]));
    const read = await readAll(documents, skipDamaged, parts, budget);
    versions.push(...read);
    const lost = arrived.findIndex(([arrival], index) => arrival !== reached + index + 1);
    if (lost !== -1 && !skipDamaged) throw missing(reached + lost + 1);
    const before = reached;
    reached = arrived.at(-1)?.[0] ?? reached;
    skipped += reached - before - (arrived.length - documents.length) - read.length;
    if (reached === last) continue;
    const { arrivals } = names.readClock(await client.entity(names.clockId, budget));
    if (reached >= arrivals) break;
    // The clock counts versions that were not found. They can have been committed after the query, so it is repeated.
    if (arrived.length === 0 && counted > reached) {
      if (!skipDamaged) throw missing(reached + 1);
      const lostUntil = Math.min(last, counted);
      skipped += lostUntil - reached;
      reached = lostUntil;
    }
    counted = arrivals;
  }
  const left = counts
    ? names.readClock(await client.entity(names.clockId, budget)).arrivals - reached
    : undefined;
  return {
    versions,
    position: changesPosition(reached, generation),
    ...defined({ left: left === undefined ? undefined : Math.max(0, left) }),
    ...(skipped > 0 ? { skipped } : {}),
    ...(isRestarted ? { restarted: true } : {}),
  };

  function isRemoved(document: Document | null): boolean {
    return document !== null && names.read(document, "removed") === true;
  }
}

/**
 * Returns versions after a place from memory, as far as this client committed all of them; undefined if others follow. The
 * indexes of a session read the versions of each of its calls.
 */
async function ownSince(
  start: number,
  most: number,
  { client, names, memory }: ChangesParts,
  budget: CallBudget,
): Promise<readonly StoredMetadata[] | undefined> {
  const { recent } = memory;
  if (start < recent.after || start > recent.after + recent.versions.length) return undefined;
  // This request also notices a rewrite. A commit of this client can end meanwhile.
  const { arrivals } = names.readClock(await client.entity(names.clockId, budget));
  const { after, versions } = memory.recent;
  if (start < after) return undefined;
  const own = versions.slice(start - after, start - after + most);
  return own.length > 0 || arrivals === start ? own : undefined;
}

/** Number of versions that one query lists. */
const listedAtOnce = 10_000;

/** The versions of a store as the database's index has them. No version is read. */
export interface VersionList {
  /** The object and the number of each version, in the order of their arrival. */
  readonly versions: readonly VersionKey[];
  /** The arrivals that the index lacks, or with another document than that of a version. */
  readonly missing: readonly number[];
}

/** Lists all versions, whether they can be read or not. */
export async function listVersions(
  { client, names }: Pick<ChangesParts, "client" | "names">,
  budget: CallBudget,
): Promise<VersionList> {
  const { arrivals } = names.readClock(await client.entity(names.clockId, budget));
  const versions: VersionKey[] = [];
  const missing: number[] = [];
  for (let start = 0; start < arrivals; start += listedAtOnce) {
    const end = Math.min(arrivals, start + listedAtOnce);
    const rows = await client.query(
      `{:find [n v] :in [a b] :where [[v :${names.attribute("arrival")} n] [(> n a)] [(<= n b)]]}`,
      [start, end],
      budget,
    );
    const ids = new Map(rows.map(([arrival, id]) => [Number(arrival), String(id)]));
    for (let arrival = start + 1; arrival <= end; arrival += 1) {
      const id = ids.get(arrival);
      if (id !== undefined && names.rewrites.isRemoved(id)) continue;
      const key = id === undefined ? undefined : names.versionOf(id);
      if (key === undefined) missing.push(arrival);
      else versions.push(key);
    }
  }
  return { versions, missing };
}

function missing(arrival: number): DamageError {
  return new DamageError(`the version of arrival ${arrival} is missing`);
}

type ArrivedDocument = readonly [arrival: number, document: Document];

/** Returns the documents of versions by their arrival, in order, without those that the node cannot read. */
async function soundAfter(
  after: number,
  last: number,
  parts: ChangesParts,
  budget: CallBudget,
): Promise<readonly ArrivedDocument[]> {
  try {
    return await arrivedAfter(after, last, parts, budget);
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    if (last - after <= 1) return [];
    const middle = Math.ceil((after + last) / 2);
    const first = await soundAfter(after, middle, parts, budget);
    return [...first, ...(await soundAfter(middle, last, parts, budget))];
  }
}

/** Returns the documents of versions by their arrival, in order. */
async function arrivedAfter(
  after: number,
  last: number,
  { client, names }: ChangesParts,
  budget: CallBudget,
): Promise<readonly ArrivedDocument[]> {
  const rows = await client.query(
    `{:find [n (pull v [*])] :in [a b] :where [[v :${names.attribute("arrival")} n] [(> n a)] [(<= n b)]]}`,
    [after, last],
    budget,
  );
  const unique = new Map(
    rows.map(([arrival, document]) => [Number(arrival), document as Document]),
  );
  return [...unique].sort(([one], [other]) => one - other);
}

/** Returns the metadata of versions from their documents. Damaged ones are left out if `skipDamaged`. */
async function readAll(
  documents: readonly Document[],
  skipDamaged: boolean,
  parts: ChangesParts,
  budget: CallBudget,
): Promise<readonly StoredMetadata[]> {
  const { names, reader, past } = parts;
  try {
    const changed = documents.map((document) => names.readVersion(document));
    const objects = await past.of(changed, budget);
    const states = changed.map(({ id, version, arrival }) => {
      const object = objects.get(names.versionId(id, version));
      if (object === undefined)
        throw new DamageError(`the version of arrival ${arrival} is missing`);
      return object;
    });
    return await reader.metadata(states, budget);
  } catch (error) {
    if (!skipDamaged || !(error instanceof DamageError)) throw error;
    if (documents.length === 1) return [];
    const middle = Math.ceil(documents.length / 2);
    return [
      ...(await readAll(documents.slice(0, middle), true, parts, budget)),
      ...(await readAll(documents.slice(middle), true, parts, budget)),
    ];
  }
}
