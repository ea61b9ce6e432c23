import { objectId } from "../src/model/object-id.ts";
import { sealObject } from "../src/model/sealed-object.ts";
import type { JsonValue } from "../src/model/json.ts";
import type { StoredVersion } from "../src/model/stored-version.ts";
import type { ObjectWrite } from "../src/ports/object-store.ts";
import { fileSample } from "./samples.ts";

/** Returns a write of a small object with the given id and fields. */
export function writeOf(id: string, fields: Readonly<Record<string, JsonValue>> = {}): ObjectWrite {
  return { object: sealObject({ ...fileSample(fields), id: objectId(id) }) };
}

/** Returns a stored version of a small object. Its transaction has the version's number. */
export function versionOf(
  id: string,
  version: number,
  fields: Readonly<Record<string, JsonValue>> = {},
): StoredVersion {
  const { body, hashes } = writeOf(id, fields).object;
  return { body, hashes, version, at: pointOf(version) };
}

/** Returns a stored version of a note, from a transaction at the time of its number. */
export function noteVersion(
  id: string,
  version: number,
  txId: number,
  content = "",
  fields: Readonly<Record<string, JsonValue>> = {},
): StoredVersion {
  const { body, hashes } = sealObject({
    id: objectId(id),
    type: "note",
    content,
    locked: false,
    provenance: { origin: "a test", generator: "tool" },
    ...fields,
  });
  return {
    body,
    hashes,
    version,
    at: { tx_id: txId, tx_time: new Date(txId).toISOString() },
  };
}

export function pointOf(txId: number): StoredVersion["at"] {
  return { tx_id: txId, tx_time: new Date(Date.UTC(2026, 0, 1) + txId).toISOString() };
}
