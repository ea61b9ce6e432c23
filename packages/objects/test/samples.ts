import type { JsonValue } from "../src/model/json.ts";
import type { ObjectBody, Provenance } from "../src/model/object-body.ts";
import { objectId } from "../src/model/object-id.ts";
import type { StaticReference } from "../src/model/references.ts";

const provenance: Provenance = { origin: "/work/a.ts", generator: "human" };

/** Returns a file object with the given additional fields. */
export function fileSample(fields: Readonly<Record<string, JsonValue>> = {}): ObjectBody {
  return {
    id: objectId("0190aaaa-0000-7000-8000-000000000001"),
    type: "file",
    locked: false,
    content: "hello\n",
    path: "/work/a.ts",
    file_type: "typescript",
    char_count: 6,
    presence: "present",
    provenance,
    ...fields,
  };
}

/** Returns a static reference. Its hashes do not belong to an object. */
export function staticSample(fields: Partial<StaticReference> = {}): StaticReference {
  return {
    ref: "static",
    id: objectId("target"),
    tx_id: 7,
    tx_time: "2026-02-20T10:00:00.000Z",
    content_hash: "c".repeat(64),
    metadata_view_hash: "d".repeat(64),
    object_hash: "e".repeat(64),
    ...fields,
  };
}
