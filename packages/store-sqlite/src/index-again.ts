import { bodyCache, collectReferences, type ObjectId } from "@self-context-manager/objects";

import type { Connection } from "./connection.ts";
import type { Head } from "./head.ts";
import { fieldsOf } from "./version-writer.ts";
import { number, versionReader } from "./version-rows.ts";

/** The types whose fields and references were complete in the indexes of every schema. */
const complete = ["toolcall", "chat", "view", "session"];

/**
 * Adds to the indexes of latest versions what earlier schemas left out: up to schema 3, fields with the name of an opaque
 * field of any type had neither rows nor references. An object that cannot be read stays as it is.
 */
export function indexAgain(connection: Connection): void {
  const reader = versionReader(connection, bodyCache<Head>(0));
  const types = complete.map((type) => JSON.stringify(type));
  const rows = connection.all(
    `SELECT o.key, o.id FROM objects o JOIN fields f ON f.object = o.key AND f.name = 'type'
     WHERE f.value NOT IN (${types.map(() => "?").join(", ")})`,
    ...types,
  );
  for (const row of rows) {
    const body = latest(String(row["id"]) as ObjectId);
    if (body === undefined) continue;
    const key = number(row, "key");
    for (const [name, value] of fieldsOf(body)) {
      connection.run(
        "INSERT OR IGNORE INTO fields (name, value, object) VALUES (?, ?, ?)",
        name,
        value,
        key,
      );
    }
    for (const { path, reference } of collectReferences(body)) {
      connection.run(
        "INSERT OR IGNORE INTO refs (target, object, path, kind) VALUES (?, ?, ?, ?)",
        reference.id,
        key,
        path,
        reference.ref,
      );
    }
  }

  function latest(id: ObjectId): Head["stored"]["body"] | undefined {
    try {
      return reader.head(id)?.stored.body;
    } catch {
      // Damage is reported where the object is read, and must not keep the whole store from opening.
      return undefined;
    }
  }
}
