import {
  type Changes,
  type ChangesOptions,
  checkLimit,
  fieldConditions,
  type FieldCondition,
  type FindQuery,
  type HistoryOptions,
  indexedValue,
  isJsonObject,
  isReference,
  type JsonValue,
  meetsCondition,
  type ObjectId,
  type Page,
  readPlace,
  readReferrerPosition,
  type Reference,
  type Referrer,
  type ReferrersOptions,
  type StoredMetadata,
  type StoredVersion,
  type VersionSelector,
  writeReferrerPosition,
} from "@self-context-manager/objects";

import { changesSince } from "./changes-since.ts";
import {
  checkChosen,
  checkFollowing,
  checkOf,
  findVersion,
  lost,
  versionIn,
} from "./choose-version.ts";
import type { Connection, Row, SqlValue } from "./connection.ts";
import { fieldKey } from "./field-keys.ts";
import { objectColumns, objectNamed, objectOf, readObject } from "./object-rows.ts";
import { number } from "./row-values.ts";
import { DamageError } from "./sqlite-errors.ts";
import { selectInOrder, versionColumns, type VersionReader } from "./version-rows.ts";

/** The queries of the store. The caller runs each in one read transaction, so it sees one state of the database. */
export interface Queries {
  get(id: ObjectId, at?: VersionSelector): StoredVersion | undefined;
  describe(ids: readonly ObjectId[]): readonly (StoredMetadata | undefined)[];
  history(id: ObjectId, options: HistoryOptions): readonly StoredMetadata[];
  /** Returns the number of the latest version of an object; 0 if there is no object. */
  latest(id: ObjectId): number;
  /** Returns the versions from `from` to `to`, oldest first. `before` is an earlier version of the object. */
  page(
    id: ObjectId,
    from: number,
    to: number,
    before: StoredVersion | undefined,
  ): readonly StoredVersion[];
  find(query: FindQuery): Page<StoredMetadata>;
  lookup(nickname: string): StoredMetadata | undefined;
  referrers(id: ObjectId, options: ReferrersOptions): Page<Referrer>;
  changesSince(position: string | undefined, options: ChangesOptions): Changes;
}

const headOfObject = "CROSS JOIN versions v ON v.object = o.key AND v.version = o.head";

const objectAndVersion = `${objectColumns}, ${versionColumns}`;

const selectHead = `SELECT ${objectAndVersion} FROM objects o ${headOfObject}`;

/** SQLite treats a negative limit as no limit. */
const noLimit = -1;

export function queries(connection: Connection, reader: VersionReader): Queries {
  return {
    get(id, at) {
      if (at === undefined) return reader.head(id)?.stored;
      const object = objectOf(connection, id);
      if (object === undefined) return undefined;
      const row = findVersion(connection, reader, object, at);
      if (row === undefined) return undefined;
      const stored = row["version"] === object.head ? reader.head(id)?.stored : reader.version(row);
      if (stored !== undefined) checkChosen(stored, id, at);
      return stored;
    },

    describe(ids) {
      // One statement for all objects, because a resumed session can ask for ten thousand.
      const rows = connection.all(
        `SELECT ${objectAndVersion} FROM json_each(?) j CROSS JOIN objects o ON o.id = j.value ${headOfObject}`,
        JSON.stringify([...new Set(ids)]),
      );
      const found = new Map(
        rows.map((row) => {
          const stored = latestIn(reader, row);
          return [stored.body.id, stored] as const;
        }),
      );
      return ids.map((id) => {
        const stored = found.get(id);
        // The index of ids named another object, or its latest version is missing.
        if (stored === undefined && rows.length !== ids.length) reader.head(id);
        return stored;
      });
    },

    history(id, { after = 0, limit }) {
      const object = objectOf(connection, id);
      if (object === undefined) return [];
      const rows = connection.all(
        `SELECT ${versionColumns} FROM versions v WHERE v.object = ? AND v.version > ? ORDER BY v.version LIMIT ?`,
        object.key,
        after,
        limit === undefined ? noLimit : checkLimit(limit),
      );
      const isWhole = limit === undefined || rows.length < limit;
      checkFollowing(rows, object, after, isWhole ? object.head : undefined);
      return rows.map((row) => versionIn(reader, row, object));
    },

    latest: (id) => objectOf(connection, id)?.head ?? 0,

    page(id, from, to, before) {
      const object = objectOf(connection, id);
      if (object === undefined) return [];
      const rows = connection.all(
        `${selectInOrder} WHERE v.object = ? AND v.version >= ? AND v.version <= ? ORDER BY v.version`,
        object.key,
        from,
        to,
      );
      checkFollowing(rows, object, from - 1, to < object.head ? undefined : object.head);
      const versions = reader.inOrder(rows, before);
      for (const { body, version } of versions) checkOf(object, body, version);
      return versions;
    },

    find: (query) => find(connection, reader, query),

    lookup(nickname) {
      const object = objectNamed(connection, nickname);
      if (object === undefined) return undefined;
      const row = connection.first(`${selectHead} WHERE o.key = ?`, object.key);
      if (row === undefined) throw lost(object, object.head);
      return latestIn(reader, row);
    },

    referrers(id, { kind, limit = 100, after }) {
      const [object, path] = after === undefined ? [0, ""] : readReferrerPosition(after);
      const rows = connection.all(
        "SELECT o.id, r.object, r.path FROM refs r CROSS JOIN objects o ON o.key = r.object " +
          `WHERE r.target = ? AND (r.object, r.path) > (?, ?)${kind === undefined ? "" : " AND r.kind = ?"} ` +
          "ORDER BY r.object, r.path LIMIT ?",
        id,
        object,
        path,
        ...(kind === undefined ? [] : [kind]),
        checkLimit(limit) + 1,
      );
      const items = rows.slice(0, limit).map((row): Referrer => ({
        id: row["id"] as ObjectId,
        path: String(row["path"]),
        reference: referenceAt(reader, row["id"] as ObjectId, String(row["path"]), id),
      }));
      const last = rows[limit - 1];
      return rows.length > limit && last !== undefined
        ? { items, next: writeReferrerPosition(number(last, "object"), String(last["path"])) }
        : { items };
    },

    changesSince: (position, options) => changesSince(connection, reader, position, options),
  };
}

/** Returns the metadata of the latest version of an object, from a row with the columns of both. */
function latestIn(reader: VersionReader, row: Row): StoredMetadata {
  const object = readObject(row);
  if (row["version"] !== object.head) throw lost(object, object.head);
  return versionIn(reader, row, object);
}

function find(
  connection: Connection,
  reader: VersionReader,
  query: FindQuery,
): Page<StoredMetadata> {
  const conditions = fieldConditions(query);
  const limit = checkLimit(query.limit ?? 100);
  const isDescending = query.newestFirst === true || query.lastChangedFirst === true;
  const statement = (query.lastChangedFirst === true ? lastChangedStatement : findStatement)(
    connection,
    query,
    conditions,
  );
  const found: { readonly place: number; readonly metadata: StoredMetadata }[] = [];
  let place =
    query.after === undefined
      ? isDescending
        ? Number.MAX_SAFE_INTEGER
        : 0
      : readPlace(query.after);
  while (found.length <= limit) {
    const rows = connection.all(statement.sql, ...statement.values, place, limit + 1);
    for (const row of rows) {
      place = number(row, "place");
      const metadata = latestIn(reader, row);
      // The index cannot decide that a field is absent, and several fields can have one key.
      if (conditions.every((condition) => meetsCondition(metadata.body, condition)))
        found.push({ place, metadata });
    }
    if (rows.length <= limit) break;
  }
  const shown = found.slice(0, limit);
  const items = shown.map(({ metadata }) => metadata);
  return found.length > limit ? { items, next: String(shown.at(-1)?.place) } : { items };
}

interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Returns a statement and its values, except the last two parameters: the place and the limit. */
function findStatement(
  connection: Connection,
  { idPrefix = "", newestFirst = false }: FindQuery,
  conditions: readonly FieldCondition[],
): Statement {
  const [driving, ...others] = rarestFirst(
    connection,
    conditions.filter(({ value }) => value !== null),
  );
  const place = driving === undefined ? "o.key" : "f.object";
  const wanted: string[] = [];
  const values: SqlValue[] = [];
  if (driving !== undefined) {
    wanted.push("f.field = ?");
    values.push(fieldKey(driving.field, indexedValue(driving.value)));
  }
  for (const { field, value } of others) {
    wanted.push(`EXISTS (SELECT 1 FROM field_keys WHERE field = ? AND object = ${place})`);
    values.push(fieldKey(field, indexedValue(value)));
  }
  if (idPrefix !== "") {
    wanted.push("o.id >= ? AND o.id < ?");
    values.push(idPrefix, `${idPrefix}\u{10ffff}`);
  }
  // With only an id prefix, the search must use the index of ids. The `+` keeps SQLite from searching by key instead.
  const ordered = driving === undefined && idPrefix !== "" ? `+${place}` : place;
  wanted.push(`${ordered} ${newestFirst ? "<" : ">"} ?`);
  const from =
    driving === undefined ? "objects o" : "field_keys f CROSS JOIN objects o ON o.key = f.object";
  return {
    sql:
      `SELECT ${place} AS place, ${objectAndVersion} FROM ${from} ${headOfObject} ` +
      `WHERE ${wanted.join(" AND ")} ORDER BY ${ordered} ${newestFirst ? "DESC" : "ASC"} LIMIT ?`,
    values,
  };
}

/** Objects that meet a condition and are sorted by their last change. Among more, the versions are read from the last one. */
const mostSorted = 30_000;

/**
 * Returns a statement as `findStatement`, in the descending order of the latest versions. SQLite has no index of them by a
 * field. So if few objects have a value, the places of all are sorted; otherwise the versions are read backwards, and
 * those that are no longer the latest are left out.
 */
function lastChangedStatement(
  connection: Connection,
  { idPrefix = "" }: FindQuery,
  conditions: readonly FieldCondition[],
): Statement {
  const indexed = conditions.filter(({ value }) => value !== null);
  const [driving] = rarestFirst(connection, indexed);
  const isRare = driving !== undefined && countOf(connection, driving, mostSorted) < mostSorted;
  const others = isRare ? indexed.filter((one) => one !== driving) : indexed;
  const from = isRare
    ? `field_keys f CROSS JOIN objects o ON o.key = f.object CROSS JOIN versions p ON p.object = o.key AND p.version = o.head`
    : "versions p CROSS JOIN objects o ON o.key = p.object AND o.head = p.version";
  const wanted = [
    ...(isRare ? ["f.field = ?"] : []),
    ...others.map(() => "EXISTS (SELECT 1 FROM field_keys WHERE field = ? AND object = o.key)"),
    ...(idPrefix === "" ? [] : ["o.id >= ? AND o.id < ?"]),
    "p.seq < ?",
  ].join(" AND ");
  const values = [...(isRare ? [driving] : []), ...others].map(({ field, value }) =>
    fieldKey(field, indexedValue(value)),
  );
  // The rows that are sorted have no texts.
  const places = `SELECT p.seq AS place, o.key FROM ${from} WHERE ${wanted} ORDER BY ${isRare ? "+" : ""}p.seq DESC LIMIT ?`;
  return {
    sql: `SELECT c.place, ${objectAndVersion} FROM (${places}) c CROSS JOIN objects o ON o.key = c.key CROSS JOIN versions v ON v.seq = c.place ORDER BY c.place DESC`,
    values: [...values, ...(idPrefix === "" ? [] : [idPrefix, `${idPrefix}\u{10ffff}`])],
  };
}

function countOf(connection: Connection, { field, value }: FieldCondition, most: number): number {
  const row = connection.first(
    "SELECT count(*) AS count FROM (SELECT 1 FROM field_keys WHERE field = ? LIMIT ?)",
    fieldKey(field, indexedValue(value)),
    most,
  );
  return number(row ?? {}, "count");
}

/** Matching objects are counted up to this number: a condition with fewer matches is rare enough to start with. */
const manyEnough = 100;

function rarestFirst(
  connection: Connection,
  conditions: readonly FieldCondition[],
): readonly FieldCondition[] {
  if (conditions.length < 2) return conditions;
  const counted = conditions.map((condition) => ({
    condition,
    count: countOf(connection, condition, manyEnough),
  }));
  return counted.sort((one, other) => one.count - other.count).map(({ condition }) => condition);
}

/** Returns the reference to an object at a path of another object's latest version. */
function referenceAt(
  reader: VersionReader,
  id: ObjectId,
  path: string,
  target: ObjectId,
): Reference {
  let value: JsonValue | undefined = reader.head(id)?.stored.body;
  for (const part of path.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(value)) value = (value as readonly JsonValue[])[Number(name)];
    else value = isJsonObject(value) ? value[name] : undefined;
  }
  if (!isReference(value) || value.id !== target)
    throw new DamageError(`object ${id} has no reference to ${target} at ${path}`);
  return value;
}
