import {
  chainLink,
  checkNicknames,
  type CountingChunkWriter,
  metadataText,
  type ObjectHashes,
  type ObjectId,
  type StoredVersion,
} from "@self-context-manager/objects";
import { hash } from "node:crypto";

import { sumOfChunk, sumOfDelta } from "./bulk-rows.ts";
import type { Connection } from "./connection.ts";
import { fieldKeysOf } from "./field-keys.ts";
import type { Head } from "./head.ts";
import { storedMetadata } from "./metadata-rows.ts";
import { objectNamed, objectOf, sumOfObject } from "./object-rows.ts";
import { packText } from "./packed-text.ts";
import { referenceChanges } from "./reference-changes.ts";
import { textSum } from "./row-sums.ts";
import { hexOf, number } from "./row-values.ts";
import { DamageError } from "./sqlite-errors.ts";
import { contentHashBytes, type RowPlace, sumOfVersion } from "./version-rows.ts";

/** The row of a version that is written again: the key of its object, and its place in the order of versions. */
export interface FormerRow {
  readonly key: number;
  readonly seq: number;
}

const insertVersion =
  "INSERT INTO versions (seq, object, version, previous, tx_id, tx_time, content_hash, metadata_view_hash, object_hash, " +
  "hash_rule, further_hashes, base, weight, size, metadata, delta, sum, delta_sum) " +
  "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/** Writes one version and returns the object's new head. Runs inside a transaction. */
export function writeVersion(
  connection: Connection,
  before: Head | undefined,
  stored: StoredVersion,
  former?: FormerRow,
): Head {
  const key =
    before?.key ??
    former?.key ??
    // `indexChanges` writes the other values of the row.
    connection.run("INSERT INTO objects (id, head, sum) VALUES (?, 0, 0)", stored.body.id).lastKey;
  const content = chainLink(before, stored, chunkWriter(connection, stored));
  const { hashes, version, at } = stored;
  const metadata = metadataText(stored.body);
  // A base depends on no earlier row, so that damage to earlier rows does not affect it.
  const isBase = content.base === version;
  const own = { version, text: metadata, hash: hashes.metadata_view_hash };
  const row =
    isBase || before === undefined
      ? storedMetadata(undefined, undefined, own)
      : storedMetadata(before.whole, metadataText(before.stored.body), own);
  const last = before?.stored.version ?? 0;
  const place: RowPlace = {
    object: key,
    version,
    previous: last === version - 1 ? null : last,
    base: content.base,
    weight: content.weight,
    size: content.size,
    shown: row.whole.version,
  };
  const delta = content.delta ?? null;
  connection.run(
    insertVersion,
    former?.seq ?? null,
    key,
    version,
    place.previous,
    at.tx_id,
    Date.parse(at.tx_time),
    contentHashBytes(hashes.content_hash) ?? new Uint8Array(0),
    row.hasHash ? Buffer.from(hashes.metadata_view_hash, "hex") : new Uint8Array(0),
    Buffer.from(hashes.object_hash, "hex"),
    hashes.hash_rule,
    furtherHashes(hashes),
    content.base,
    content.weight,
    content.size,
    row.metadata,
    delta === null ? null : packText(delta),
    sumOfVersion(stored, place, textSum(metadata)),
    sumOfDelta(key, place, delta),
  );
  const { base, weight, size } = content;
  return { key, stored, base, weight, size, whole: row.whole };
}

/** Returns a writer that stores each text once, however many versions and objects contain it. */
function chunkWriter(connection: Connection, { body, hashes }: StoredVersion): CountingChunkWriter {
  let written = 0;
  return {
    write(text) {
      written += text.length;
      const digest =
        text === body.content
          ? Buffer.from(hashes.content_hash, "hex")
          : hash("sha256", text, "buffer");
      const known = connection.first("SELECT key FROM chunks WHERE hash = ?", digest);
      if (known !== undefined) return knownChunk(connection, number(known, "key"), digest);
      const key =
        Number(connection.first("SELECT max(key) AS last FROM chunks")?.["last"] ?? 0) + 1;
      connection.run(
        "INSERT INTO chunks (key, hash, sum, text) VALUES (?, ?, ?, ?)",
        key,
        digest,
        sumOfChunk(key, digest, text),
        packText(text),
      );
      return key;
    },
    written: () => written,
  };
}

/** Returns the key of a text that the index of hashes found. Throws `DamageError` if the row contains another text. */
function knownChunk(connection: Connection, key: number, digest: Uint8Array): number {
  const held = connection.first("SELECT hash FROM chunks WHERE key = ?", key)?.["hash"];
  if (hexOf(held) !== hexOf(digest))
    throw new DamageError(`the index of texts names text ${key} for another one`);
  return key;
}

function furtherHashes(hashes: ObjectHashes): string | null {
  const further = Object.entries(hashes).filter(([name]) => !ownColumn.has(name));
  return further.length === 0 ? null : JSON.stringify(Object.fromEntries(further));
}

const ownColumn: ReadonlySet<string> = new Set([
  "content_hash",
  "metadata_view_hash",
  "object_hash",
  "hash_rule",
]);

/** The heads of an object before and after a transaction. */
export interface Change {
  readonly before: Head | undefined;
  readonly after: Head;
}

/** Updates the rows of objects and the indexes of latest versions, and checks that nicknames stay unique. */
export function indexChanges(connection: Connection, changes: readonly Change[]): void {
  writeObjects(connection, changes);
  writeFields(connection, changes);
  for (const { before, after } of changes) writeReferences(connection, before, after);
}

function writeObjects(connection: Connection, changes: readonly Change[]): void {
  checkNicknames(
    changes.map(({ before, after }) => ({ before: before?.stored, after: after.stored })),
    {
      owner: (nickname) => objectNamed(connection, nickname)?.id,
      isObject: (id) => objectOf(connection, id as ObjectId) !== undefined,
    },
  );
  // All old nicknames are removed first, because the unique index would refuse an exchange of two.
  for (const { before, after } of changes) {
    const former = before?.stored.body.nickname;
    if (former !== undefined && former !== after.stored.body.nickname)
      connection.run("UPDATE objects SET nickname = NULL WHERE key = ?", after.key);
  }
  for (const { after } of changes) {
    const { key, stored } = after;
    const { id, nickname = null } = stored.body;
    const sum = sumOfObject({ key, id, head: stored.version, nickname });
    connection.run(
      "UPDATE objects SET head = ?, nickname = ?, sum = ? WHERE key = ?",
      stored.version,
      nickname,
      sum,
      key,
    );
  }
}

/**
 * Writes the differences of the index of fields. The rows of a commit of many objects are inserted in the order of the
 * index: in another order, SQLite would change pages again that it has already moved to the log to free memory.
 */
function writeFields(connection: Connection, changes: readonly Change[]): void {
  const added: { readonly field: number; readonly object: number }[] = [];
  for (const { before, after } of changes) {
    const object = after.key;
    const former = before === undefined ? noKeys : fieldKeysOf(before.stored.body);
    const latter = fieldKeysOf(after.stored.body);
    for (const field of former)
      if (!latter.has(field))
        connection.run("DELETE FROM field_keys WHERE field = ? AND object = ?", field, object);
    for (const field of latter) if (!former.has(field)) added.push({ field, object });
  }
  added.sort((one, other) => one.field - other.field || one.object - other.object);
  for (const { field, object } of added)
    connection.run("INSERT INTO field_keys (field, object) VALUES (?, ?)", field, object);
}

const noKeys: ReadonlySet<number> = new Set();

function writeReferences(connection: Connection, before: Head | undefined, after: Head): void {
  const { removed, added } = referenceChanges(before?.stored.body, after.stored.body);
  for (const { path, reference } of removed) {
    connection.run(
      "DELETE FROM refs WHERE target = ? AND object = ? AND path = ?",
      reference.id,
      after.key,
      path,
    );
  }
  for (const { path, reference } of added) {
    connection.run(
      "INSERT INTO refs (target, object, path, kind) VALUES (?, ?, ?, ?)",
      reference.id,
      after.key,
      path,
      reference.ref,
    );
  }
}
