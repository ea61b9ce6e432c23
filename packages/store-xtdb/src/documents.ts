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

import type { Document, JsonDocument } from "./node-client.ts";
import { DamageError } from "./xtdb-errors.ts";

/**
 * The documents of one store in an XTDB database, named here and nowhere else; docs/architecture/xtdb.md tells of each.
 *
 * Ids and attributes begin with the store's name, by default `scm`, so that a database can hold several stores and
 * the documents of others. Composite attributes end in a padded number, so that a range of them is an ordered page.
 */
export interface Documents {
  readonly clockId: string;
  commitId(seq: number): string;
  requestId(request: string): string;
  objectId(id: string): string;
  versionId(id: string, version: number): string;
  nicknameId(nickname: string): string;
  chunkId(hash: string): string;
  /** The object that a document of an object is about. */
  idOf(documentId: string): ObjectId;

  clock(clock: StoreClock, nonce: string): JsonDocument;
  readClock(document: Document | undefined): StoreClock;
  commit(seq: number, nonce: string): JsonDocument;
  object(stored: StoredVersion, place: number): JsonDocument;
  version(parts: VersionParts): JsonDocument;
  readVersion(document: Document): VersionDocument;

  /** An attribute's name as it stands in JSON and in answers. */
  attribute(name: AttributeName): string;
  /** An attribute's value in a document. */
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

/** Where a store stands: each commit takes the next `seq`, and what it made the last of the other numbers. */
export interface StoreClock {
  /** Commits so far, restores and commits without a new version included. */
  readonly seq: number;
  /** The greatest transaction of any version here. */
  readonly at: VersionPoint;
  /** Versions so far. */
  readonly arrivals: number;
  /** Objects so far. */
  readonly objects: number;
}

/** What a version's document is made of; long texts stand elsewhere already. */
interface VersionParts {
  readonly stored: StoredVersion;
  readonly arrival: number;
  /** Keys of the references that the version before did not hold. */
  readonly edges: readonly string[];
  /** The metadata with 0 in the place of each bulk field. */
  readonly body: string;
  readonly delta: string | undefined;
  readonly base: number;
  readonly weight: number;
  readonly size: number;
}

/** A version's document as it is read; `body` and `delta` may still name chunks. */
export interface VersionDocument extends Omit<VersionParts, "stored" | "edges"> {
  readonly id: ObjectId;
  readonly version: number;
  readonly at: VersionPoint;
  readonly hashes: ObjectHashes;
}

/** The newest form of documents that is known here; a store says in its clock which it has. */
export const schemaVersion = 1;

const emptyClock: StoreClock = {
  seq: 0,
  at: { tx_id: 0, tx_time: new Date(0).toISOString() },
  arrivals: 0,
  objects: 0,
};

/** The documents of the store with the given name. Throws `RangeError` for a name that cannot stand in attributes. */
export function documents(name: string): Documents {
  if (!/^[a-z][a-z0-9-]{0,40}$/u.test(name) || name === "xt" || /^(?:crux|xtdb)/u.test(name)) {
    throw new RangeError(
      `a store in XTDB has a name of small letters, digits and hyphens, and none that XTDB takes; got ${JSON.stringify(name)}`,
    );
  }
  const attribute = (attributeName: AttributeName): string => `${name}/${attributeName}`;
  const objectPrefix = `${name}/object/`;

  /** A document with the store's attributes; absent ones are left out. */
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

/** Texts above this many characters stand in composite attributes by their hash: XTDB orders short texts only. */
const longestKey = 100;

/** XTDB keeps an index of texts of up to 224 bytes by their order, of longer ones by hash. */
function short(text: string): string {
  return Buffer.byteLength(text) <= longestKey ? text : `#${sha256(text)}`;
}

/** An id in quotes, so that no id begins as another ends. */
function quoted(id: string): string {
  return short(JSON.stringify(id));
}

/** What all objects have in `listing` whose latest version has a value in a field. */
export function conditionKey(field: string, value: string): string {
  return short(`${field}=${value}`);
}

/** What versions have in `edge` that came to refer to an object in the given way. */
export function edgeKey(to: string, kind: Reference["ref"]): string {
  return `${kind} ${quoted(to)}`;
}

/** What a version has in `points`, before its number. */
export function pointKey(id: string, by: "tx" | "time", value: string): string {
  return `${quoted(id)} ${by} ${value}`;
}

const digits = 10;

/** A key with a number behind it: ranges of such are in the order of the numbers. */
export function placed(key: string, number: number): string {
  return `${key}#${String(number).padStart(digits, "0")}`;
}

/** The number behind a key, undefined where the text is another key's. */
export function placeIn(text: string, key: string): number | undefined {
  if (text.length !== key.length + 1 + digits || !text.startsWith(`${key}#`)) return undefined;
  return Number(text.slice(key.length + 1));
}

/** A whole number from 0 on as text, in the order of numbers. */
export function padded(number: number): string {
  return String(number).padStart(16, "0");
}

/** The earliest time that a date can hold, in milliseconds. */
const earliest = -8_640_000_000_000_000n;

/** A time as text, in the order of times. */
export function paddedTime(time: string): string {
  // More than a number holds exactly, from the year 13,606 on.
  return String(BigInt(Date.parse(time)) - earliest).padStart(17, "0");
}

/** A version's metadata, from its document and the text of its body. */
export function metadataFrom(document: VersionDocument, body: string): StoredMetadata {
  const { hashes, version, at } = document;
  return { body: metadataOf(parseBody(document, body)), hashes, version, at };
}

/** A body as it stands in a version's document, with 0 in the place of each bulk field. */
export function parseBody({ id, version }: VersionDocument, body: string): ObjectBody {
  try {
    return JSON.parse(body) as ObjectBody;
  } catch (cause) {
    throw new DamageError(`version ${version} of object ${id} cannot be read`, { cause });
  }
}

function parse(document: Document, text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (cause) {
    throw new DamageError(`document ${String(document["xt/id"])} cannot be read`, { cause });
  }
}
