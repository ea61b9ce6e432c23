import {
  fieldRows,
  type JsonValue,
  metadataOf,
  type ObjectBody,
  type ObjectHashes,
  type ObjectId,
  type Reference,
  sha256,
  type StoredMetadata,
  type StoredVersion,
  type VersionPoint,
} from "@self-context-manager/objects";

import type { Document, JsonDocument } from "../client/node-client.ts";
import { DamageError } from "../client/xtdb-errors.ts";

/**
 * The documents of one store in an XTDB database. Only this file contains their names; docs/architecture/xtdb.md
 * describes each.
 *
 * Ids and attributes begin with the store's name, by default `scm`, so that a database can hold several stores and
 * documents of other programs. Composite attributes end in a padded number, so that a range of them is an ordered page.
 */
export interface Documents {
  readonly clockId: string;
  commitId(seq: number): string;
  requestId(request: string): string;
  objectId(id: string): string;
  versionId(id: string, version: number): string;
  nicknameId(nickname: string): string;
  chunkId(hash: string): string;
  /** Returns the id of the object from the id of its document. */
  idOf(documentId: string): ObjectId;

  clock(clock: StoreClock, nonce: string): JsonDocument;
  readClock(document: Document | undefined): StoreClock;
  commit(seq: number, nonce: string): JsonDocument;
  object(stored: StoredVersion, place: number): JsonDocument;
  version(parts: VersionParts): JsonDocument;
  readVersion(document: Document): VersionDocument;

  /** Returns the name of an attribute in JSON and in answers. */
  attribute(name: AttributeName): string;
  /** Returns the value of an attribute in a document. */
  read(document: Document, name: AttributeName): unknown;
}

export type AttributeName =
  | "schema"
  | "seq"
  | "tx"
  | "time"
  | "arrivals"
  | "objects"
  | "nonce"
  | "digest"
  | "outcome"
  | "id"
  | "of"
  | "type"
  | "place"
  | "version"
  | "latest"
  | "listing"
  | "arrival"
  | "points"
  | "hashes"
  | "body"
  | "delta"
  | "base"
  | "weight"
  | "size"
  | "content"
  | "owner"
  | "edge"
  | "text"
  | "packed";

/** The counters of a store. Each commit takes the next `seq` and moves the other numbers on. */
export interface StoreClock {
  /** Number of commits, including restores and commits without a new version. */
  readonly seq: number;
  /** The greatest transaction number and the latest time of all versions. */
  readonly at: VersionPoint;
  /** Number of versions. */
  readonly arrivals: number;
  /** Number of objects. */
  readonly objects: number;
}

/** The parts of a version's document. Long texts are already replaced by their keys. */
interface VersionParts {
  readonly stored: StoredVersion;
  readonly arrival: number;
  /** Keys of the references that the previous version did not contain. */
  readonly edges: readonly string[];
  /** The body with 0 instead of each bulk field. */
  readonly body: string;
  readonly delta: string | undefined;
  readonly base: number;
  readonly weight: number;
  readonly size: number;
}

/** A version's document as it is read. `body` and `delta` can be packed or be keys of chunks. */
export interface VersionDocument extends Omit<VersionParts, "stored" | "edges"> {
  readonly id: ObjectId;
  readonly version: number;
  readonly at: VersionPoint;
  readonly hashes: ObjectHashes;
}

/**
 * The newest schema of the documents that this program supports. The clock of a store contains its schema. Schema 2 has
 * versions of hash rule 2.
 */
export const schemaVersion = 2;

const emptyClock: StoreClock = {
  seq: 0,
  at: { tx_id: 0, tx_time: new Date(0).toISOString() },
  arrivals: 0,
  objects: 0,
};

/** Returns the documents of the store with the given name. Throws `RangeError` for a name that attributes cannot have. */
export function documents(name: string): Documents {
  if (!/^[a-z][a-z0-9-]{0,40}$/u.test(name) || name === "xt" || /^(?:crux|xtdb)/u.test(name)) {
    throw new RangeError(
      `the name of a store in XTDB is ${JSON.stringify(name)}; use a lower-case letter and up to 40 lower-case letters, digits and hyphens, and no name that is reserved by XTDB (xt, or one that begins with crux or xtdb)`,
    );
  }
  const attribute = (attributeName: AttributeName): string => `${name}/${attributeName}`;
  const objectPrefix = `${name}/object/`;

  /** Returns a document with the store's attributes, without the undefined ones. */
  function make(
    id: string,
    attributes: Readonly<Partial<Record<AttributeName, JsonValue | undefined>>>,
  ): JsonDocument {
    const document: Record<string, JsonValue> = {};
    for (const [key, value] of Object.entries(attributes))
      if (value !== undefined) document[attribute(key as AttributeName)] = value;
    return { ...document, "xt/id": id };
  }

  function read(document: Document, attributeName: AttributeName): unknown {
    return document[attribute(attributeName)];
  }

  function text(document: Document, attributeName: AttributeName): string {
    const value = read(document, attributeName);
    if (typeof value === "string") return value;
    throw damaged(document, attributeName);
  }

  function count(document: Document, attributeName: AttributeName): number {
    const value = read(document, attributeName);
    if (typeof value === "number") return value;
    throw damaged(document, attributeName);
  }

  function damaged(document: Document, attributeName: AttributeName): DamageError {
    return new DamageError(
      `document ${String(document["xt/id"])} has no ${attribute(attributeName)}`,
    );
  }

  function pointOf(document: Document): VersionPoint {
    return Object.freeze({ tx_id: count(document, "tx"), tx_time: text(document, "time") });
  }

  return {
    clockId: `${name}/clock`,
    commitId: (seq) => `${name}/commit/${seq}`,
    requestId: (request) => `${name}/request/${request}`,
    objectId: (id) => objectPrefix + id,
    versionId: (id, version) => `${name}/version/${version}/${id}`,
    nicknameId: (nickname) => `${name}/nickname/${nickname}`,
    chunkId: (hash) => `${name}/chunk/${hash}`,
    idOf: (documentId) => documentId.slice(objectPrefix.length) as ObjectId,

    clock: (clock, nonce) =>
      make(`${name}/clock`, { schema: schemaVersion, ...clockAttributes(clock), nonce }),

    readClock(document) {
      if (document === undefined) return emptyClock;
      return {
        seq: count(document, "seq"),
        at: pointOf(document),
        arrivals: count(document, "arrivals"),
        objects: count(document, "objects"),
      };
    },

    commit: (seq, nonce) => make(`${name}/commit/${seq}`, { nonce }),

    object({ body, version }, place) {
      const id = body.id;
      return make(objectPrefix + id, {
        id,
        type: body.type,
        place,
        version,
        latest: `${name}/version/${version}/${id}`,
        listing: [...fieldRows(metadataOf(body))].map(([field, value]) =>
          placed(conditionKey(field, value), place),
        ),
      });
    },

    version({ stored, arrival, edges, body, delta, base, weight, size }) {
      const { version, at } = stored;
      const { content_hash: content, ...hashes } = stored.hashes;
      const id = stored.body.id;
      return make(`${name}/version/${version}/${id}`, {
        of: id,
        version,
        arrival,
        tx: at.tx_id,
        time: at.tx_time,
        content,
        hashes: JSON.stringify(hashes),
        points: [
          placed(pointKey(id, "tx", padded(at.tx_id)), version),
          placed(pointKey(id, "time", paddedTime(at.tx_time)), version),
        ],
        edge: edges.length === 0 ? undefined : edges,
        body,
        delta,
        base,
        weight,
        size,
      });
    },

    readVersion(document) {
      const delta = read(document, "delta");
      return {
        id: text(document, "of") as ObjectId,
        version: count(document, "version"),
        arrival: count(document, "arrival"),
        at: pointOf(document),
        hashes: Object.freeze({
          ...parse(document, text(document, "hashes")),
          content_hash: text(document, "content"),
        }) as ObjectHashes,
        body: text(document, "body"),
        delta: typeof delta === "string" ? delta : undefined,
        base: count(document, "base"),
        weight: count(document, "weight"),
        size: count(document, "size"),
      };
    },

    attribute,
    read,
  };
}

function clockAttributes({ seq, at, arrivals, objects }: StoreClock): Record<string, JsonValue> {
  return { seq, tx: at.tx_id, time: at.tx_time, arrivals, objects };
}

/** Longest text, in bytes, that a composite attribute contains in full. */
const longestKey = 100;

/** Returns a text, or its hash if it is long: XTDB indexes texts of up to 224 bytes in order, and longer ones by hash. */
function short(text: string): string {
  return Buffer.byteLength(text) <= longestKey ? text : `#${sha256(text)}`;
}

/** Returns an id in quotes, so that the key of one id is never the beginning of another's. */
function quoted(id: string): string {
  return short(JSON.stringify(id));
}

/** Returns the key in `listing` of all objects whose latest version has a value in a field. */
export function conditionKey(field: string, value: string): string {
  return short(`${field}=${value}`);
}

/** Returns the key in `edge` of all versions that added a reference of the given kind to an object. */
export function edgeKey(to: string, kind: Reference["ref"]): string {
  return `${kind} ${quoted(to)}`;
}

/** Returns the key of a version in `points`, without the version's number. */
export function pointKey(id: string, by: "tx" | "time", value: string): string {
  return `${quoted(id)} ${by} ${value}`;
}

const digits = 10;

/** Returns a key with a number after it, so that the texts of a key are in the order of the numbers. */
export function placed(key: string, number: number): string {
  return `${key}#${String(number).padStart(digits, "0")}`;
}

/** Returns the number after a key; undefined if the text belongs to another key. */
export function placeIn(text: string, key: string): number | undefined {
  if (text.length !== key.length + 1 + digits || !text.startsWith(`${key}#`)) return undefined;
  return Number(text.slice(key.length + 1));
}

/** Returns a whole number from 0 on as a text that sorts like the number. */
export function padded(number: number): string {
  return String(number).padStart(16, "0");
}

/** The earliest time of a JavaScript date, in milliseconds. */
const earliest = -8_640_000_000_000_000n;

/** Returns a time as a text that sorts like the time. */
export function paddedTime(time: string): string {
  // A BigInt, because a number is not exact for this difference from the year 13,606 on.
  return String(BigInt(Date.parse(time)) - earliest).padStart(17, "0");
}

/** Returns a version's metadata from its document and the text of its body. */
export function metadataFrom(document: VersionDocument, body: string): StoredMetadata {
  const { hashes, version, at } = document;
  return { body: metadataOf(parseBody(document, body)), hashes, version, at };
}

/** Parses the body of a version's document, which has 0 instead of each bulk field. */
export function parseBody({ id, version }: VersionDocument, body: string): ObjectBody {
  try {
    return JSON.parse(body) as ObjectBody;
  } catch (cause) {
    throw new DamageError(`the JSON of version ${version} of object ${id} cannot be parsed`, {
      cause,
    });
  }
}

function parse(document: Document, text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (cause) {
    throw new DamageError(`the JSON in document ${String(document["xt/id"])} cannot be parsed`, {
      cause,
    });
  }
}
