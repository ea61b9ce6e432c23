import { fieldRows, metadataOf, type ObjectBody } from "@self-context-manager/objects";
import { crc32 } from "node:zlib";

/**
 * Returns the key of a field with a value in the index of fields: the CRC-32 of both, as a signed number, which SQLite
 * writes in four bytes. Different fields can have the same key, so what the index finds is compared with the metadata.
 */
export function fieldKey(name: string, value: string): number {
  return crc32(`${name}\0${value}`) | 0;
}

/** The keys of frozen bodies. Those of the next version are compared with them. */
const kept = new WeakMap<ObjectBody, ReadonlySet<number>>();

/** Returns the keys of a body in the index of fields. */
export function fieldKeysOf(body: ObjectBody): ReadonlySet<number> {
  const known = kept.get(body);
  if (known !== undefined) return known;
  const keys = new Set(
    [...fieldRows(metadataOf(body))].map(([name, value]) => fieldKey(name, value)),
  );
  if (Object.isFrozen(body)) kept.set(body, keys);
  return keys;
}
