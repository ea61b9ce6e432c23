import {
  hashObject,
  type JsonValue,
  metadataOf,
  type ObjectBody,
  objectId,
  type Provenance,
} from "@self-context-manager/objects";
import type { PoolEntry } from "../src/view/pool-entry.ts";

const provenance: Provenance = { origin: "/work/a.ts", generator: "human" };

/** A file object with fields of a test's own. */
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

/** An object as it is in a session's metadata pool. */
export function entrySample(handle: string, body: ObjectBody, version = 1): PoolEntry {
  return {
    id: body.id,
    handle,
    row: { id: body.id, handle },
    stored: {
      body: metadataOf(body),
      hashes: hashObject(body),
      version,
      at: { tx_id: 1, tx_time: "2026-02-20T10:00:00.000Z" },
    },
  };
}
