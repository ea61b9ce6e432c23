import {
  type ObjectId,
  type RewriteRequest,
  rewrittenVersion,
  type StoredVersion,
} from "@self-context-manager/objects";

import type { JsonDocument } from "../client/node-client.ts";
import { type VersionPagesParts, wholeHistory } from "../reading/version-pages.ts";
import type { Head } from "../reading/head.ts";
import type { Chunks } from "../xtdb-documents/chunks.ts";
import { pageOperations } from "../xtdb-documents/reference-documents.ts";
import { versionDocuments } from "./write-plan.ts";

export interface RewriteObjectParts extends VersionPagesParts {
  readonly chunks: Chunks;
}

/**
 * An object that is rewritten or removed: what its documents are, and what it becomes. Its versions are read one by one and
 * not kept, because together they can be much larger than the memory.
 */
export interface RewrittenObject {
  readonly id: ObjectId;
  /** The latest version before the rewrite. */
  readonly before: StoredVersion;
  /** The latest version after the rewrite; undefined if the object is removed. */
  readonly after: StoredVersion | undefined;
  /** Number of changed versions. */
  readonly changed: number;
  /** The places of its versions in the order of arrivals. */
  readonly arrivals: readonly number[];
  /** The ids of the documents that only this object has or had, without those of its nicknames. */
  readonly documentIds: ReadonlySet<string>;
  /** The nicknames that it had. */
  readonly nicknames: ReadonlySet<string>;
  /** The hashes of the long texts that its documents named before the rewrite, and after it. */
  readonly chunks: { readonly before: ReadonlySet<string>; readonly after: ReadonlySet<string> };
  /** The new documents of each version. */
  readonly versions: readonly (readonly JsonDocument[])[];
}

/**
 * Reads an object that is removed, or rewritten by `change`; undefined if there is no such object. `generation` is that of
 * the store after the rewrite.
 */
export async function rewriteObject(
  id: ObjectId,
  change: RewriteRequest["change"] | undefined,
  generation: number,
  parts: RewriteObjectParts,
): Promise<RewrittenObject | undefined> {
  const { names } = parts;
  const documentIds = new Set([names.objectId(id), names.index.documentId(id)]);
  const nicknames = new Set<string>();
  const chunks = { before: new Set<string>(), after: new Set<string>() };
  const collection = parts.chunks.collectAll(generation, chunks.before);
  const versions: JsonDocument[][] = [];
  const arrivals: number[] = [];
  let changed = 0;
  let before: StoredVersion | undefined;
  let head: Omit<Head, "place" | "asOf"> | undefined;

  for await (const { stored, document, place } of wholeHistory(id, parts)) {
    documentIds.add(names.versionId(id, stored.version));
    for (const operation of pageOperations(before?.body, stored.body, names, generation))
      if (operation[0] === "put") documentIds.add(operation[1]["xt/id"]);
    for (const hash of document.chunks) chunks.before.add(hash);
    if (stored.body.nickname !== undefined) nicknames.add(stored.body.nickname);
    arrivals.push(document.arrival);
    before = stored;
    if (change === undefined) continue;

    const after = rewrittenVersion(stored, change);
    if (after !== stored) changed += 1;
    const written = collection.documents().length;
    const arrived = { stored: after, place, arrival: document.arrival, generation };
    const { documents, ...rest } = versionDocuments(head, arrived, names, collection);
    head = { stored: after, ...rest };
    for (const own of documents)
      for (const hash of (names.read(own, "chunks") ?? []) as readonly string[])
        chunks.after.add(hash);
    versions.push([...collection.documents().slice(written), ...documents]);
  }
  if (before === undefined) return undefined;
  // A commit of the next version can have failed. XTDB keeps its documents.
  documentIds.add(names.versionId(id, before.version + 1));
  return {
    id,
    before,
    after: head?.stored,
    changed,
    arrivals,
    documentIds,
    nicknames,
    chunks,
    versions,
  };
}
