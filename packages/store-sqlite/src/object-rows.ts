import type { ObjectId } from "@self-context-manager/objects";

import type { Connection, Row } from "./connection.ts";
import { sumOf } from "./row-sums.ts";
import { number } from "./row-values.ts";
import { DamageError } from "./sqlite-errors.ts";

/** The row of an object. */
export interface ObjectRow {
  readonly key: number;
  readonly id: ObjectId;
  /** The number of the latest version. */
  readonly head: number;
  /** The nickname of the latest version. */
  readonly nickname: string | null;
}

/** The columns of `objects o` that `readObject` reads. */
export const objectColumns = "o.key, o.id, o.head, o.nickname, o.sum AS object_sum";

/** Returns an object's row. Throws `DamageError` if its values are not those that were written. */
export function readObject(row: Row): ObjectRow {
  const object = {
    key: row["key"] as number,
    id: row["id"] as ObjectId,
    head: row["head"] as number,
    nickname: row["nickname"] as string | null,
  };
  if (sumOfObject(object) !== row["object_sum"])
    throw new DamageError(`the row of object ${JSON.stringify(object.id)} is not as it was stored`);
  return object;
}

const selectById = `SELECT ${objectColumns} FROM objects o WHERE o.id = ?`;

/** Returns the row of the object with an id; undefined if there is none. */
export function objectOf(connection: Connection, id: ObjectId): ObjectRow | undefined {
  const row = connection.first(selectById, id);
  if (row === undefined) return undefined;
  const object = readObject(row);
  if (object.id !== id)
    throw new DamageError(`the index of ids names object ${object.id} for object ${id}`);
  return object;
}

/** Returns the row of the object with a nickname; undefined if there is none. */
export function objectNamed(connection: Connection, nickname: string): ObjectRow | undefined {
  const row = connection.first(
    `SELECT ${objectColumns} FROM objects o WHERE o.nickname = ?`,
    nickname,
  );
  if (row === undefined) return undefined;
  const object = readObject(row);
  if (object.nickname !== nickname)
    throw new DamageError(`the index of nicknames names object ${object.id} for another nickname`);
  return object;
}

/** Returns the name of a row's version in messages. */
export function versionNamed(connection: Connection, row: Row): string {
  const key = number(row, "object");
  const id = connection.first("SELECT id FROM objects WHERE key = ?", key)?.["id"] ?? key;
  return `version ${number(row, "version")} of object ${String(id)}`;
}

export function sumOfObject({ key, id, head, nickname }: ObjectRow): number {
  return sumOf(key, id, head, nickname);
}
