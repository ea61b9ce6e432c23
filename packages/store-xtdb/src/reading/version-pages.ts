import { checkedVersion, type ObjectId, type StoredVersion } from "@self-context-manager/objects";

import type { CallBudget } from "../client/call-budget.ts";
import type { NodeClient } from "../client/node-client.ts";
import { DamageError } from "../client/xtdb-errors.ts";
import type { VersionDocument, XtdbDocuments } from "../xtdb-documents/xtdb-documents.ts";
import { checkFollowing, type PastVersions } from "./past-versions.ts";
import type { VersionPair, VersionReader } from "./version-reader.ts";

export interface VersionPagesParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly reader: VersionReader;
  readonly past: PastVersions;
}

/** A whole version, and its document. */
export interface ReadVersion {
  readonly stored: StoredVersion;
  readonly document: VersionDocument;
  /** The number of the object in the order of first commits. */
  readonly place: number;
}

/** Number of versions that are read in order with one set of requests. */
export const versionsAtOnce = 100;

/** Returns the versions of an object from `from` to `to`, oldest first. `before` is an earlier version of the object. */
export async function versionPage(
  id: ObjectId,
  [from, to]: readonly [from: number, to: number],
  before: StoredVersion | undefined,
  { names, reader, past }: VersionPagesParts,
  budget: CallBudget,
): Promise<readonly ReadVersion[]> {
  const documents = await past.between(id, from, to, budget);
  const ids = documents.map(({ version }) => names.versionId(id, version));
  const found = await reader.versions(ids, budget);
  const versions = new Map(found.map((version) => [version.version, version]));
  const pairs = documents.map((object): VersionPair => {
    const version = versions.get(object.version);
    if (version === undefined)
      throw new DamageError(`version ${object.version} of object ${id} is missing`);
    return { object, version };
  });
  const read = await reader.inOrder(pairs, before, budget);
  return pairs.flatMap(({ object: { place }, version: document }, index) => {
    const stored = read[index];
    return stored === undefined ? [] : [{ stored, document, place }];
  });
}

/** Returns all versions of an object, oldest first; none if there is no such object. Throws for one that is damaged. */
export async function* wholeHistory(
  id: ObjectId,
  parts: VersionPagesParts,
): AsyncIterable<ReadVersion> {
  const { client, names } = parts;
  const document = await client.entity(names.objectId(id), client.budget());
  if (document === undefined) return;
  const latest = names.readObject(document).version;
  let last: ReadVersion | undefined;
  for (let from = 1; from <= latest; from += versionsAtOnce) {
    const to = Math.min(latest, from + versionsAtOnce - 1);
    const page = await versionPage(id, [from, to], last?.stored, parts, client.budget());
    const found = last === undefined ? page : [last, ...page];
    checkFollowing(
      found.map((version) => version.document),
      last?.document.version ?? 0,
    );
    for (const version of page) {
      checkedVersion(version.stored, (what) => new DamageError(what));
      yield version;
    }
    last = page.at(-1) ?? last;
  }
  if (last?.stored.version !== latest)
    throw new DamageError(`version ${latest} of object ${id} is missing`);
}
