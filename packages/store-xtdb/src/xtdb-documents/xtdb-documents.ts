import {
  type JsonObject,
  type JsonValue,
  metadataOf,
  type MutableObject,
  type ObjectBody,
  type ObjectHashes,
  type ObjectId,
  type ObjectMetadata,
  setField,
  sha256,
  type StoredMetadata,
  type StoredVersion,
  type VersionPoint,
} from "@self-context-manager/objects";

import { documentSums, type DocumentSums } from "./document-sums.ts";
import { type AttributeName, documentValues } from "./document-values.ts";
import { attributesOf, fieldsOf } from "./field-attributes.ts";
import { indexDocuments, type IndexDocuments } from "./index-documents.ts";
import { rewriteDocuments, type RewriteDocuments } from "./rewrite-documents.ts";
import type { Document, JsonDocument } from "../client/node-client.ts";
import { DamageError } from "../client/xtdb-errors.ts";

/**
 * The documents of one store in an XTDB database. Only this file and the four that it names contain their
 * names: `field-attributes.ts` has the fields of objects, `reference-documents.ts` their references, `index-documents.ts`
 * what documents say, `rewrite-documents.ts` what rewrites need. docs/architecture/xtdb.md describes each.
 *
 * Ids and the store's own attributes begin with the store's name, by default `scm`, so that a database can hold several
 * stores and documents of other programs.
 */
export interface XtdbDocuments extends DocumentSums {
  /** The documents of the document index. */
  readonly index: IndexDocuments;
  readonly rewrites: RewriteDocuments;
  /** The name of the store. */
  readonly space: string;
  readonly clockId: string;
  commitId(seq: number): string;
  requestId(request: string, generation: number): string;
  objectId(id: string): string;
  versionId(id: string, version: number): string;
  referencesId(id: string, page: string): string;
  nicknameId(nickname: string): string;
  chunkId(hash: string): string;
  /** Returns the id of the object from the id of its document. */
  idOf(documentId: string): ObjectId;
  /** Returns the object and the number of a version from the id of its document; undefined for any other id. */
  versionOf(documentId: string): VersionKey | undefined;

  /** Returns the attribute by which documents of later generations differ from equal ones that were evicted before. */
  mark(generation: number): { readonly [attribute: string]: JsonValue };

  clock(clock: StoreClock): JsonDocument;
  readClock(document: Document | undefined): StoreClock;
  commit(clock: StoreClock, nonce: string): JsonDocument;
  object(parts: ObjectParts): JsonDocument;
  readObject(document: Document): ObjectDocument;
  version(parts: VersionParts): JsonDocument;
  readVersion(document: Document): VersionDocument;

  /** Returns the name of an attribute in JSON and in answers. */
  attribute(name: AttributeName): string;
  /** Returns the name of the attribute with the objects to which a field refers. */
  targets(field: string): string;
  /** Returns the value of an attribute in a document. */
  read(document: Document, name: AttributeName): unknown;
}

/** Longest id, in bytes, that XTDB has in order: it indexes texts above 224 bytes by their hash. */
const longestOrdered = 200;

/** The counters of a store. Each commit takes the next `seq` and moves the other numbers on. */
export interface StoreClock {
  /** Number of commits, including those without a new version. */
  readonly seq: number;
  /** The greatest transaction number and the latest time of all versions. */
  readonly at: VersionPoint;
  /** Number of versions. */
  readonly arrivals: number;
  /** Number of objects. */
  readonly objects: number;
  /** Number of rewrites. */
  readonly generation: number;
  /** Whether a rewrite has begun and is not finished. No other commit may follow then. */
  readonly isRewriting: boolean;
}

/** The parts of an object's document. */
interface ObjectParts {
  readonly stored: StoredVersion;
  /** The generation of the store that wrote the document. */
  readonly generation: number;
  /** The number of the version before; undefined if it is the number before this one. */
  readonly previous: number | undefined;
  readonly place: number;
  /** The attributes of the references in its metadata. */
  readonly references: JsonObject;
  /** Returns the form in which an attribute contains a long text. */
  readonly pack: (text: string) => string;
}

/** The object and the number of a version. */
export interface VersionKey {
  readonly id: ObjectId;
  readonly version: number;
}

/** An object's document as it is read, of the latest version or of an earlier one. */
export interface ObjectDocument {
  readonly id: ObjectId;
  readonly version: number;
  /** The number of the version before; 0 if there is none. */
  readonly previous: number;
  readonly place: number;
  readonly at: VersionPoint;
  readonly objectHash: string;
  /** The attributes of the document. */
  readonly attributes: Document;
  /** The fields that are no attributes, in the form of packed texts. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The parts of a version's document. Long texts are already replaced by their keys. */
interface VersionParts {
  readonly stored: StoredVersion;
  /** The number of the version before; undefined if it is the number before this one. */
  readonly previous: number | undefined;
  readonly arrival: number;
  /** The generation of the store that wrote the document. */
  readonly generation: number;
  readonly delta: string | undefined;
  /** The hashes of the long texts that this version's documents name. */
  readonly chunks: readonly string[];
  readonly base: number;
  readonly weight: number;
  readonly size: number;
}

/** A version's document as it is read. `delta` can be packed or be keys of chunks. */
export interface VersionDocument extends Omit<VersionParts, "stored" | "previous" | "generation"> {
  readonly id: ObjectId;
  readonly version: number;
  /** The number of the version before; 0 if there is none. */
  readonly previous: number;
  readonly at: VersionPoint;
  readonly contentHash: string;
}

/** The schema of the documents. The clock of a store contains it, and no release had an earlier one. */
export const schemaVersion = 5;

export const emptyClock: StoreClock = {
  seq: 0,
  at: { tx_id: 0, tx_time: new Date(0).toISOString() },
  arrivals: 0,
  objects: 0,
  generation: 0,
  isRewriting: false,
};

/** Returns the documents of the store with the given name. Throws `RangeError` for a name that attributes cannot have. */
export function xtdbDocuments(name: string): XtdbDocuments {
  checkName(name);
  const { attribute, read, text, count, pointOf, previousOf } = documentValues(name);
  const sums = documentSums(name);
  const objectPrefix = `${name}/object/`;
  const objectId = (id: string): string => objectPrefix + id;
  const versionPrefix = `${name}/version/`;
  const versionId = (id: string, version: number): string => `${versionPrefix}${version}/${id}`;

  /** Returns a document with the store's attributes, without the undefined ones, and further ones. */
  function make(
    id: string,
    attributes: Readonly<Partial<Record<AttributeName, JsonValue | undefined>>>,
    further: JsonObject = {},
  ): JsonDocument {
    const document: MutableObject = {};
    for (const [key, value] of Object.entries(further)) setField(document, key, value);
    for (const [key, value] of Object.entries(attributes))
      if (value !== undefined) document[attribute(key as AttributeName)] = value;
    document["xt/id"] = id;
    return sums.sealed(document as JsonDocument);
  }

  const idOf = (documentId: string): ObjectId => documentId.slice(objectPrefix.length) as ObjectId;

  return {
    ...sums,
    index: indexDocuments(name, objectId),
    rewrites: rewriteDocuments(name, make),
    space: name,
    clockId: `${name}/clock`,
    commitId: (seq) => `${name}/commit/${seq}`,
    // A rewrite makes the outcomes of earlier commits unknown.
    requestId: (request, generation) =>
      `${name}/request${generation === 0 ? "" : `-${generation}`}/${request}`,
    objectId,
    versionId,
    referencesId: (id, page) => `${name}/references/${page}/${id}`,
    // XTDB's log keeps the id of an evicted document, so a nickname is not part of it.
    nicknameId: (nickname) => `${name}/nickname/${sha256(nickname)}`,
    chunkId: (hash) => `${name}/chunk/${hash}`,
    idOf,
    versionOf: (documentId) => versionIn(documentId, versionPrefix),

    mark: (generation) => (generation === 0 ? {} : { [attribute("generation")]: generation }),

    ...clockDocuments(name, make),

    object({ stored, generation, previous, place, references, pack }) {
      const { body, hashes, version, at } = stored;
      const { attributes, texts } = attributesOf(metadataOf(body));
      const packed: MutableObject = {};
      for (const [field, json] of Object.entries(texts)) setField(packed, field, pack(json));
      return make(
        objectId(body.id),
        {
          place,
          long: Buffer.byteLength(body.id) > longestOrdered ? true : undefined,
          version,
          previous,
          tx: at.tx_id,
          time: at.tx_time,
          latest: versionId(body.id, version),
          generation: written(generation),
          texts: Object.keys(packed).length === 0 ? undefined : packed,
        },
        { ...attributes, ...hashes, ...references },
      );
    },

    readObject(document) {
      sums.checked(document);
      const texts = read(document, "texts") ?? {};
      return {
        id: idOf(String(document["xt/id"])),
        version: count(document, "version"),
        previous: previousOf(document),
        place: count(document, "place"),
        at: pointOf(document),
        objectHash: String(document["object_hash"]),
        attributes: document,
        texts: texts as Readonly<Record<string, string>>,
      };
    },

    version({ stored, previous, arrival, generation, delta, chunks, base, weight, size }) {
      const { version, at, hashes } = stored;
      const id = stored.body.id;
      return make(versionId(id, version), {
        of: objectId(id),
        version,
        previous,
        arrival,
        tx: at.tx_id,
        time: at.tx_time,
        content: hashes.content_hash,
        delta,
        chain: `${base} ${weight} ${size}`,
        chunks: chunks.length === 0 ? undefined : chunks,
        generation: written(generation),
      });
    },

    readVersion(document) {
      sums.checked(document);
      const delta = read(document, "delta");
      return {
        id: idOf(text(document, "of")),
        version: count(document, "version"),
        previous: previousOf(document),
        arrival: count(document, "arrival"),
        at: pointOf(document),
        contentHash: text(document, "content"),
        delta: typeof delta === "string" ? delta : undefined,
        chunks: (read(document, "chunks") ?? []) as readonly string[],
        ...chainIn(text(document, "chain")),
      };
    },

    attribute,
    targets: (field) => `${name}.to/${field}`,
    read,
  };
}

type Make = (
  id: string,
  attributes: Readonly<Partial<Record<AttributeName, JsonValue | undefined>>>,
) => JsonDocument;

/** Returns the documents of a store's state and of its commits. */
function clockDocuments(
  name: string,
  make: Make,
): Pick<XtdbDocuments, "clock" | "readClock" | "commit"> {
  const { read, count, pointOf } = documentValues(name);
  const sums = documentSums(name);
  return {
    clock: ({ seq, at, arrivals, objects, generation, isRewriting }) =>
      make(`${name}/clock`, {
        schema: schemaVersion,
        commits: seq,
        tx: at.tx_id,
        time: at.tx_time,
        versions: arrivals,
        objects,
        generation: written(generation),
        rewriting: isRewriting ? true : undefined,
      }),

    readClock(document) {
      if (document === undefined) return emptyClock;
      sums.checked(document);
      return {
        seq: count(document, "commits"),
        at: pointOf(document),
        arrivals: count(document, "versions"),
        objects: count(document, "objects"),
        generation: Number(read(document, "generation") ?? 0),
        isRewriting: read(document, "rewriting") === true,
      };
    },

    commit: ({ seq, at }, nonce) =>
      make(`${name}/commit/${seq}`, { commit: seq, tx: at.tx_id, time: at.tx_time, nonce }),
  };
}

/**
 * Returns the attribute with a generation; none before the first rewrite. XTDB destroys a document that is equal to an
 * evicted one when it builds its index again, so documents of different generations must differ.
 */
function written(generation: number): number | undefined {
  return generation === 0 ? undefined : generation;
}

function checkName(name: string): void {
  if (/^[a-z][a-z0-9-]{0,40}$/u.test(name) && name !== "xt" && !/^(?:crux|xtdb)/u.test(name))
    return;
  throw new RangeError(
    `the name of a store in XTDB is ${JSON.stringify(name)}; use a lower-case letter and up to 40 lower-case letters, digits and hyphens, and no name that is reserved by XTDB (xt, or one that begins with crux or xtdb)`,
  );
}

function versionIn(documentId: string, prefix: string): VersionKey | undefined {
  const [, number, id] = /^(\d+)\/(.+)$/su.exec(documentId.slice(prefix.length)) ?? [];
  if (!documentId.startsWith(prefix) || id === undefined) return undefined;
  return { id: id as ObjectId, version: Number(number) };
}

/** Returns the chain of a version's document as it is read: base, weight and size. */
function chainIn(text: string): Pick<VersionDocument, "base" | "weight" | "size"> {
  const [base = 0, weight = 0, size = 0] = text.split(" ").map(Number);
  return { base, weight, size };
}

/** Returns a version's metadata from its object's document and the JSON of the fields that are no attributes. */
export function metadataFrom(
  document: ObjectDocument,
  texts: Readonly<Record<string, string>>,
): StoredMetadata {
  const { id, version, at, attributes } = document;
  let fields: ReturnType<typeof fieldsOf>;
  try {
    fields = fieldsOf(attributes, texts);
  } catch (cause) {
    throw new DamageError(`a field of version ${version} of object ${id} cannot be parsed`, {
      cause,
    });
  }
  const { metadata, hashes } = fields;
  if (metadata.id !== id || typeof hashes["object_hash"] !== "string")
    throw new DamageError(`version ${version} of object ${id} has no id or no hashes`);
  return {
    body: metadata,
    hashes: Object.freeze(hashes) as ObjectHashes,
    version,
    at,
  };
}

/** Returns a body from its metadata and its bulk fields. */
export function bodyFrom(metadata: ObjectMetadata, bulk: JsonObject): ObjectBody {
  const body: MutableObject = {};
  for (const [field, value] of Object.entries(metadata)) setField(body, field, value);
  for (const [field, value] of Object.entries(bulk)) setField(body, field, value);
  return body as ObjectBody;
}
