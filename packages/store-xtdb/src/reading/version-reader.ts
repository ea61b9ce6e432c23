import {
  applyDelta,
  type BodyCache,
  bulkOf,
  type ChunkReader,
  deepFreeze,
  type Delta,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ObjectId,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";

import { attributeText, type Chunks, keyOfAttribute, keysIn } from "../xtdb-documents/chunks.ts";
import {
  bodyFrom,
  type XtdbDocuments,
  metadataFrom,
  type ObjectDocument,
  type StoreClock,
  type VersionDocument,
} from "../xtdb-documents/xtdb-documents.ts";
import type { Head, Rebuilt } from "./head.ts";
import type { CallBudget } from "../client/call-budget.ts";
import type { Document, NodeClient } from "../client/node-client.ts";
import { pullDocuments } from "../client/pull-documents.ts";
import { DamageError } from "../client/xtdb-errors.ts";

/** Reads versions from their documents. */
export interface VersionReader {
  /** Returns the documents of those objects that exist, in no particular order, as of a transaction of XTDB if it is given. */
  objects(
    ids: readonly ObjectId[],
    budget: CallBudget,
    at?: { readonly txId: number },
  ): Promise<readonly ObjectDocument[]>;
  /** Returns the metadata of versions from the documents of their objects, in the same order. */
  metadata(
    found: readonly ObjectDocument[],
    budget: CallBudget,
  ): Promise<readonly StoredMetadata[]>;
  /** Returns whole versions from their documents, in the same order. */
  whole(found: readonly VersionPair[], budget: CallBudget): Promise<readonly StoredVersion[]>;
  /**
   * Returns whole versions of one object from their documents, in the order of their numbers. Each delta is applied once.
   * `before` is an earlier version of the object.
   */
  inOrder(
    found: readonly VersionPair[],
    before: StoredVersion | undefined,
    budget: CallBudget,
  ): Promise<readonly StoredVersion[]>;
  /** Returns the documents of the latest versions of those objects that exist. */
  latest(ids: readonly ObjectId[], budget: CallBudget): Promise<LatestVersions>;
  /** Returns those version documents with the given ids that exist. */
  versions(documentIds: readonly string[], budget: CallBudget): Promise<readonly VersionDocument[]>;
}

/** The two documents of a version: that of its object, as it was then, and its own. */
export interface VersionPair {
  readonly object: ObjectDocument;
  readonly version: VersionDocument;
}

interface LatestVersions {
  readonly found: ReadonlyMap<ObjectId, VersionPair>;
  /** The store's clock when these were the latest versions; undefined for many objects, and if no object exists. */
  readonly clock: StoreClock | undefined;
}

/** Most objects in a read that returns the clock too: so few are probably read in order to change them. */
const fewObjects = 8;

/** Number of documents that one query requests. */
const documentsAtOnce = 300;

export interface VersionReaderParts {
  readonly client: NodeClient;
  readonly names: XtdbDocuments;
  readonly chunks: Chunks;
  readonly heads: BodyCache<Head>;
  readonly rebuilt: BodyCache<Rebuilt>;
}

export function versionReader({
  client,
  names,
  chunks,
  heads,
  rebuilt,
}: VersionReaderParts): VersionReader {
  /** Returns the nearest version, up to the wanted one, whose bulk fields are in memory. */
  function startOf({ id, version, base }: VersionDocument): Pick<Rebuilt, "version" | "bulk"> {
    const fits = (at: number): boolean => at >= base && at <= version;
    const head = heads.get(id);
    const recent = rebuilt.get(id);
    const near = recent !== undefined && fits(recent.version) ? recent : undefined;
    if (head !== undefined && fits(head.stored.version)) {
      if (near === undefined || head.stored.version >= near.version)
        return { version: head.stored.version, bulk: bulkOf(head.stored.body) };
    }
    return near ?? { version: base - 1, bulk: {} };
  }

  async function deltas(
    found: readonly VersionDocument[],
    starts: readonly Pick<Rebuilt, "version">[],
    budget: CallBudget,
  ): Promise<ReadonlyMap<string, string | undefined>> {
    const known = new Map<string, string | undefined>();
    const wanted = new Set<string>();
    for (const document of found)
      known.set(names.versionId(document.id, document.version), document.delta);
    for (const [index, { id, version }] of found.entries()) {
      for (let at = (starts[index]?.version ?? 0) + 1; at < version; at += 1) {
        const documentId = names.versionId(id, at);
        if (!known.has(documentId)) wanted.add(documentId);
      }
    }
    for (const [documentId, document] of await pullDocuments(client, [...wanted], budget))
      known.set(documentId, names.readVersion(document).delta);
    return known;
  }

  function rebuild(
    document: VersionDocument,
    start: Pick<Rebuilt, "version" | "bulk">,
    known: ReadonlyMap<string, Delta | undefined>,
    reader: ChunkReader,
  ): JsonObject {
    let bulk: JsonValue = start.bulk;
    try {
      for (let at = start.version + 1; at <= document.version; at += 1) {
        const documentId = names.versionId(document.id, at);
        if (!known.has(documentId)) throw new DamageError(`document ${documentId} is missing`);
        const delta = known.get(documentId);
        if (delta !== undefined) bulk = applyDelta(bulk, delta, reader);
      }
    } catch (cause) {
      if (cause instanceof DamageError) throw cause;
      throw new DamageError(
        `version ${document.version} of object ${document.id} cannot be rebuilt from its deltas`,
        { cause },
      );
    }
    if (!isJsonObject(bulk))
      throw new DamageError(
        `version ${document.version} of object ${document.id} is not a JSON object`,
      );
    deepFreeze(bulk);
    return bulk;
  }

  /** Loads the texts that versions need from their starts on. Returns a function that builds one of them. */
  async function load(
    found: readonly VersionPair[],
    starts: readonly Pick<Rebuilt, "version">[],
    budget: CallBudget,
  ): Promise<
    (
      pair: VersionPair,
      start: Pick<Rebuilt, "version" | "bulk">,
    ) => { readonly bulk: JsonObject; readonly stored: StoredVersion }
  > {
    const versions = found.map(({ version }) => version);
    const texts = await deltas(versions, starts, budget);
    const long = await chunks.load(
      keysOf([...texts.values(), ...found.flatMap(({ object }) => textsOf(object))]),
      budget,
    );
    const parsed = new Map<string, string>();
    const keys = new Set<string>();
    for (const [documentId, text] of texts) {
      if (text === undefined) continue;
      const json = attributeText(text, long);
      parsed.set(documentId, json);
      if (json.includes('"~')) keysIn(parseDelta(documentId, json), keys);
    }
    const reader = await chunks.load(keys, budget);
    return ({ object, version: document }, start) => {
      // Each version parses the deltas again, because the values of a delta become part of the version.
      const known = new Map<string, Delta | undefined>();
      for (let at = start.version + 1; at <= document.version; at += 1) {
        const documentId = names.versionId(document.id, at);
        if (!texts.has(documentId)) continue;
        const json = parsed.get(documentId);
        known.set(documentId, json === undefined ? undefined : parseDelta(documentId, json));
      }
      const bulk = rebuild(document, start, known, reader);
      const { body: metadata, hashes, version, at } = metadataOf(object, long);
      const body = bodyFrom(metadata, bulk);
      deepFreeze(body);
      return { bulk, stored: Object.freeze({ body, hashes, version, at }) };
    };
  }

  return {
    async objects(ids, budget, at) {
      const documentIds = [...new Set(ids)].map((id) => names.objectId(id));
      const found: ObjectDocument[] = [];
      for (let start = 0; start < documentIds.length; start += documentsAtOnce) {
        const rows = await client.query(
          `{:find [(pull o [*])] :in [[o ...]] :where [[o :${names.attribute("latest")}]]}`,
          [documentIds.slice(start, start + documentsAtOnce)],
          budget,
          at,
        );
        for (const [document] of rows) found.push(names.readObject(document as Document));
      }
      return found;
    },

    async metadata(found, budget) {
      const reader = await chunks.load(keysOf(found.flatMap(textsOf)), budget);
      return found.map((document) => metadataOf(document, reader));
    },

    async whole(found, budget) {
      const starts = found.map(({ version }) => startOf(version));
      const build = await load(found, starts, budget);
      return found.map((pair, index) => {
        const start = starts[index] ?? beginningOf(pair);
        const { bulk, stored } = build(pair, start);
        const { id, version, size } = pair.version;
        rebuilt.set(id, { version, bulk, size });
        return stored;
      });
    },

    async inOrder(found, before, budget) {
      const [first] = found;
      if (first === undefined) return [];
      const earlier =
        before === undefined || before.version < first.version.base - 1
          ? startOf(first.version)
          : { version: before.version, bulk: bulkOf(before.body) };
      const starts = found.map((_, index) => found[index - 1]?.version ?? earlier);
      const build = await load(found, starts, budget);
      let start: Pick<Rebuilt, "version" | "bulk"> = earlier;
      return found.map((pair) => {
        const { version, base } = pair.version;
        const { bulk, stored } = build(pair, base > start.version ? beginningOf(pair) : start);
        start = { version, bulk };
        return stored;
      });
    },

    async latest(ids, budget) {
      const found = new Map<ObjectId, VersionPair>();
      const documentIds = [...new Set(ids)].map((id) => names.objectId(id));
      const latest = `[o :${names.attribute("latest")} v]`;
      const isFew = documentIds.length <= fewObjects;
      let clock: StoreClock | undefined;
      for (let start = 0; start < documentIds.length; start += documentsAtOnce) {
        const part = documentIds.slice(start, start + documentsAtOnce);
        const rows = isFew
          ? await client.query(
              `{:find [(pull o [*]) (pull v [*]) (pull c [*])] :in [[o ...] c] :where [${latest} [c :xt/id]]}`,
              [part, names.clockId],
              budget,
            )
          : await client.query(
              `{:find [(pull o [*]) (pull v [*])] :in [[o ...]] :where [${latest}]}`,
              [part],
              budget,
            );
        for (const [pulledObject, pulledVersion, pulledClock] of rows) {
          const object = names.readObject(pulledObject as Document);
          const version = names.readVersion(pulledVersion as Document);
          found.set(object.id, { object, version });
          clock ??= isFew ? names.readClock(pulledClock as Document) : undefined;
        }
      }
      return { found, clock };
    },

    async versions(documentIds, budget) {
      const documents = await pullDocuments(client, documentIds, budget);
      return documents.map(([, document]) => names.readVersion(document));
    },
  };
}

/** The start of a version's chain of deltas, where there are no bulk fields. */
function beginningOf({ version }: VersionPair): Pick<Rebuilt, "version" | "bulk"> {
  return { version: version.base - 1, bulk: {} };
}

function textsOf({ texts }: ObjectDocument): readonly string[] {
  return Object.values(texts);
}

function keysOf(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.flatMap((text) => keyOfAttribute(text) ?? []);
}

function parseDelta(documentId: string, json: string): Delta {
  try {
    return JSON.parse(json) as Delta;
  } catch (cause) {
    throw new DamageError(`the delta in document ${documentId} cannot be parsed`, { cause });
  }
}

function metadataOf(document: ObjectDocument, reader: ChunkReader): StoredMetadata {
  const texts = Object.entries(document.texts).map(
    ([field, text]) => [field, attributeText(text, reader)] as const,
  );
  return metadataFrom(document, Object.fromEntries(texts));
}
