import {
  checkedVersion,
  type ObjectId,
  type RewriteRequest,
  type RewriteResult,
  rewrittenVersion,
  type StoredVersion,
} from "@self-context-manager/objects";

import { readClock, writeClock } from "./clock-row.ts";
import { connect, type Connection } from "./connection.ts";
import { clearDocuments } from "./document-index.ts";
import { cachedHeads, type Head } from "./head.ts";
import { heldKeys } from "./held-keys.ts";
import type { KeptState } from "./kept-state.ts";
import { type ObjectRow, objectOf } from "./object-rows.ts";
import { unpackText } from "./packed-text.ts";
import { readPrivacy, writeForgotten, writePrivacy } from "./privacy-rows.ts";
import { number } from "./row-values.ts";
import { busyError, DamageError } from "./sqlite-errors.ts";
import { selectInOrder, type VersionReader, versionReader } from "./version-rows.ts";
import { type Change, indexChanges, writeVersion } from "./version-writer.ts";

/** The connection that writes, and one that sees the store as it was when the transaction began. */
interface Sides {
  readonly connection: Connection;
  readonly former: Connection;
  readonly reader: VersionReader;
}

/**
 * Writes versions again or removes objects, in one transaction. The former versions are read by a connection of its own,
 * which does not see the changes, because a version can depend on earlier rows.
 */
function rewriteVersions(
  connection: Connection,
  former: Connection,
  { objects, change, remove = [], forgotten = [] }: RewriteRequest,
): RewriteResult {
  return connection.transaction("write", () =>
    // The write lock is held, so both connections see the same versions.
    former.transaction("read", () => {
      const sides = { connection, former, reader: versionReader(former, cachedHeads(0)) };
      connection.execute("PRAGMA secure_delete = ON");
      const { versions, at } = readClock(connection);
      clearDocuments(connection);
      // An outcome can name an object that is removed.
      connection.run("DELETE FROM requests");
      const removed = remove.reduce((count, id) => count + removeObject(sides, id), 0);
      const changes: Change[] = [];
      let changed = 0;
      for (const id of objects) {
        const object = objectOf(former, id);
        if (object === undefined) continue;
        const { head, count } = rewriteObject(sides, object, change);
        changed += count;
        if (count > 0) changes.push({ before: sides.reader.head(id), after: head });
      }
      indexChanges(connection, changes);
      if (removed > 0) closeGaps(connection);
      if (removed + changed > 0) removeUnusedTexts(connection);
      writeClock(connection, { at, versions: versions - removed });
      writeForgotten(connection, forgotten);
      const { key, generation } = readPrivacy(connection);
      writePrivacy(connection, { key, generation: generation + 1 });
      return { changed, removed, generation: generation + 1 };
    }),
  );
}

/** Removes an object and its versions. Returns the number of versions. */
function removeObject({ connection }: Sides, id: ObjectId): number {
  const object = objectOf(connection, id);
  if (object === undefined) return 0;
  const count = connection.first(
    "SELECT count(*) AS count FROM versions WHERE object = ?",
    object.key,
  );
  for (const table of ["field_keys", "refs", "versions"])
    connection.run(`DELETE FROM ${table} WHERE object = ?`, object.key);
  connection.run("DELETE FROM objects WHERE key = ?", object.key);
  return number(count ?? {}, "count");
}

/**
 * Writes the versions of an object again, in the rows that they had. An object of which no version changes stays as it
 * is. Returns its new head and the number of changed versions.
 */
function rewriteObject(
  { connection, former, reader }: Sides,
  object: ObjectRow,
  change: RewriteRequest["change"],
): { readonly head: Head; readonly count: number } {
  const { key } = object;
  connection.execute("SAVEPOINT rewritten");
  connection.run("DELETE FROM versions WHERE object = ?", key);
  let head: Head | undefined;
  let count = 0;
  for (const { seq, stored } of versionsOf(former, reader, object)) {
    const rewritten = rewrittenVersion(stored, change);
    if (rewritten !== stored) count += 1;
    head = writeVersion(connection, head, rewritten, { key, seq });
  }
  if (count === 0) connection.execute("ROLLBACK TO rewritten");
  connection.execute("RELEASE rewritten");
  if (head === undefined) throw new DamageError(`the versions of object ${object.id} are missing`);
  return { head, count };
}

/** Number of versions that are read with one statement. */
const versionsAtOnce = 64;

function* versionsOf(
  former: Connection,
  reader: VersionReader,
  { key, head }: ObjectRow,
): Iterable<{ readonly seq: number; readonly stored: StoredVersion }> {
  let before: StoredVersion | undefined;
  for (let from = 1; from <= head; from += versionsAtOnce) {
    const range = [key, from, from + versionsAtOnce - 1] as const;
    const where = "WHERE v.object = ? AND v.version BETWEEN ? AND ? ORDER BY v.version";
    const rows = former.all(`${selectInOrder} ${where}`, ...range);
    const places = former.all(`SELECT v.seq FROM versions v ${where}`, ...range);
    for (const [index, stored] of reader.inOrder(rows, before).entries()) {
      before = checkedVersion(stored, (what) => new DamageError(what));
      yield { seq: number(places[index] ?? {}, "seq"), stored: before };
    }
  }
}

/** Numbers the rows of versions without gaps again, in their order. */
function closeGaps(connection: Connection): void {
  let place = 0;
  let seq = 0;
  for (;;) {
    const rows = connection.all(
      "SELECT seq FROM versions WHERE seq > ? ORDER BY seq LIMIT ?",
      seq,
      rowsAtOnce,
    );
    if (rows.length === 0) return;
    for (const row of rows) {
      seq = number(row, "seq");
      place += 1;
      if (seq !== place) connection.run("UPDATE versions SET seq = ? WHERE seq = ?", place, seq);
    }
  }
}

/** Removes the long texts that no version has now. */
function removeUnusedTexts(connection: Connection): void {
  const last = number(
    connection.first("SELECT coalesce(max(seq), 0) AS last FROM versions") ?? {},
    "last",
  );
  const used = new Set<number>();
  for (let from = 1; from <= last; from += rowsAtOnce) {
    const rows = connection.all(
      "SELECT delta FROM versions WHERE seq BETWEEN ? AND ? AND delta IS NOT NULL",
      from,
      from + rowsAtOnce - 1,
    );
    for (const row of rows) for (const key of heldKeys(unpackText(row["delta"]))) used.add(key);
  }
  for (const row of connection.all("SELECT key FROM chunks")) {
    const key = number(row, "key");
    if (!used.has(key)) connection.run("DELETE FROM chunks WHERE key = ?", key);
  }
}

const rowsAtOnce = 1_000;

/**
 * Rewrites, and then removes what was there before from the files; both wait for other processes. `inTurn` runs the one and
 * the other between the writes of the store.
 */
export async function rewriteStore(
  connection: Connection,
  path: string,
  request: RewriteRequest,
  kept: KeptState,
  inTurn: <Result>(work: () => Result) => Promise<Result>,
): Promise<RewriteResult> {
  const former = await connect(path);
  let result: RewriteResult;
  try {
    former.execute("PRAGMA query_only = ON");
    result = await inTurn(() => {
      kept.forget();
      return rewriteVersions(connection, former, request);
    });
  } finally {
    // While it is open, the log cannot be emptied.
    former.close();
  }
  await inTurn(() => removeTraces(connection));
  return result;
}

/**
 * Writes the file again without the room that rows have left, and empties the log, so that nothing of former rows is in
 * the files. Throws SQLite's error while another process reads or writes.
 */
function removeTraces(connection: Connection): void {
  connection.execute("VACUUM");
  // Another process that reads an earlier state keeps the log.
  if (connection.first("PRAGMA wal_checkpoint(TRUNCATE)")?.["busy"] !== 0) throw busyError();
  connection.execute("PRAGMA secure_delete = OFF");
}
