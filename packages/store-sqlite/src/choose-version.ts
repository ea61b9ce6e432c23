import {
  meetsSelector,
  normalTime,
  type ObjectId,
  type StoredMetadata,
  type StoredVersion,
  type VersionSelector,
} from "@self-context-manager/objects";

import type { Connection, Row } from "./connection.ts";
import type { ObjectRow } from "./object-rows.ts";
import { hexOf, number, previousOf } from "./row-values.ts";
import { DamageError } from "./sqlite-errors.ts";
import { contentHashBytes, selectVersion, type VersionReader } from "./version-rows.ts";

// What an index finds is compared with what was asked for, and with the version after it: a damaged index can name
// another row, or leave one out.

/** Returns the metadata of a row, which is one of a version of an object. */
export function versionIn(reader: VersionReader, row: Row, object: ObjectRow): StoredMetadata {
  const stored = reader.metadata(row);
  checkOf(object, stored.body, stored.version);
  return stored;
}

/** Throws `DamageError` if an index named a version that the selector does not mean. */
export function checkChosen(stored: StoredVersion, id: ObjectId, at: VersionSelector): void {
  const { body, version, hashes } = stored;
  const chosen = { version, at: stored.at, contentHash: hashes.content_hash };
  if (body.id !== id || !meetsSelector(chosen, at))
    throw new DamageError(`an index is wrong for object ${id}`);
}

/** Throws `DamageError` if a version is one of another object. */
export function checkOf({ id }: ObjectRow, body: { readonly id: ObjectId }, version: number): void {
  if (body.id !== id)
    throw new DamageError(`version ${version} of object ${id} is another object's`);
}

/**
 * Throws `DamageError` if a version is missing among rows that are read in order. `after` is a number below that of the
 * first one. `last` is the number of the last one, if it is known.
 */
export function checkFollowing(
  rows: readonly Row[],
  object: ObjectRow,
  after: number,
  last: number | undefined,
): void {
  let before = after;
  rows.forEach((row, index) => {
    const previous = previousOf(row);
    if (index === 0 ? previous > before : previous !== before) throw lost(object, previous);
    before = number(row, "version");
  });
  if (last !== undefined && last > after && before !== last) throw lost(object, last);
}

export function lost({ id }: ObjectRow, version: number): DamageError {
  return new DamageError(`version ${version} of object ${id} is missing`);
}

const newest = "ORDER BY v.version DESC LIMIT 1";

/** Returns the row of the version of an object that a selector means; undefined if there is none. */
export function findVersion(
  connection: Connection,
  reader: VersionReader,
  object: ObjectRow,
  at: VersionSelector,
): Row | undefined {
  const { key } = object;
  const among = `${selectVersion} WHERE v.object = ?`;
  if ("version" in at) {
    const row = connection.first(`${among} AND v.version = ?`, key, at.version);
    if (row === undefined && at.version > 0 && at.version <= object.head)
      checkLacks(connection, object, at.version);
    return row;
  }
  if ("contentHash" in at) return findContent(connection, object, at.contentHash);
  // Times grow with version numbers, so the search from the newest version down needs no separate index. Only people
  // ask by time, so it need not be fast.
  const row =
    "txId" in at
      ? connection.first(`${among} AND v.tx_id <= ? ORDER BY v.tx_id DESC LIMIT 1`, key, at.txId)
      : connection.first(`${among} AND v.tx_time <= ? ${newest}`, key, timeOf(at.txTime));
  const found = row === undefined ? 0 : number(row, "version");
  checkNext(connection, reader, object, found, (next) =>
    "txId" in at ? next.at.tx_id > at.txId : Date.parse(next.at.tx_time) > timeOf(at.txTime),
  );
  return row;
}

function timeOf(txTime: string): number {
  return Date.parse(normalTime(txTime));
}

function findContent(
  connection: Connection,
  { key, id }: ObjectRow,
  contentHash: string,
): Row | undefined {
  const among = `${selectVersion} WHERE v.object = ?`;
  const hash = contentHashBytes(contentHash);
  if (hash === undefined) return undefined;
  const row =
    hash.length === 0
      ? connection.first(`${among} AND v.content_hash = x'' ${newest}`, key)
      : connection.first(
          // The index contains no empty hashes. SQLite uses it only if the condition excludes them too.
          `${among} AND v.content_hash = ? AND v.content_hash <> x'' ORDER BY v.seq DESC LIMIT 1`,
          key,
          hash,
        );
  // The `+` keeps SQLite from the index, which may leave out a version or name one with another content.
  const later = connection.first(
    "SELECT version FROM versions v WHERE v.object = ? AND v.version > ? AND +v.content_hash = ? LIMIT 1",
    key,
    row === undefined ? 0 : number(row, "version"),
    hash,
  );
  const isOther = row !== undefined && hexOf(row["content_hash"]) !== hexOf(hash);
  if (isOther || later !== undefined)
    throw new DamageError(`the index of contents is wrong for object ${id}`);
  return row;
}

/** Throws `DamageError` if the version after a number does not meet the condition that ended a search before it. */
function checkNext(
  connection: Connection,
  reader: VersionReader,
  object: ObjectRow,
  version: number,
  isLater: (next: StoredMetadata) => boolean,
): void {
  if (version === object.head) return;
  const row = connection.first(
    `${selectVersion} WHERE v.object = ? AND v.version > ? ORDER BY v.version LIMIT 1`,
    object.key,
    version,
  );
  if (row === undefined) throw lost(object, object.head);
  checkFollowing([row], object, version, undefined);
  if (!isLater(versionIn(reader, row, object)))
    throw new DamageError(
      `an index leaves out version ${number(row, "version")} of object ${object.id}`,
    );
}

/** Throws `DamageError` if a version is missing that was stored: the next one then names it as the one before. */
function checkLacks(connection: Connection, object: ObjectRow, version: number): void {
  const next = connection.first(
    "SELECT version, previous FROM versions WHERE object = ? AND version > ? ORDER BY version LIMIT 1",
    object.key,
    version,
  );
  if (next === undefined) throw lost(object, object.head);
  if (previousOf(next) >= version) throw lost(object, version);
}
