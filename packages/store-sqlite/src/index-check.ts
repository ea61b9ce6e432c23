import type { ObjectId, StoredVersion } from "@self-context-manager/objects";

import type { Connection } from "./connection.ts";
import { fieldKeysOf } from "./field-keys.ts";
import { referenceChanges } from "./reference-changes.ts";
import { number } from "./row-values.ts";
import { isOlder } from "./schema.ts";

/** Compares the indexes of latest versions with these versions. */
export interface IndexCheck {
  /** Looks for the rows of the latest version of an object. */
  add(key: number, stored: StoredVersion): void;
  /** Returns the differences, once all objects were added: sentences that name the object. */
  differences(): readonly string[];
}

const noKeys: ReadonlySet<number> = new Set();

export function indexCheck(connection: Connection): IndexCheck {
  const found: string[] = [];
  const counts = { field_keys: 0, refs: 0 };
  // A file that no program has opened since then has the index in its former form.
  const hasKeys = !isOlder(connection, "field_keys");
  let newest = 0;

  function has(sql: string, ...values: readonly (string | number)[]): boolean {
    return connection.first(sql, ...values) !== undefined;
  }

  function note(id: ObjectId, index: string): void {
    found.push(`the index of ${index} does not match the latest version of object ${id}`);
  }

  return {
    add(key, stored) {
      const { body } = stored;
      newest = Math.max(newest, stored.at.tx_id);
      const fields = hasKeys ? fieldKeysOf(body) : noKeys;
      counts.field_keys += fields.size;
      const field = "SELECT 1 FROM field_keys WHERE field = ? AND object = ?";
      if (![...fields].every((name) => has(field, name, key))) note(body.id, "fields");
      const { added } = referenceChanges(undefined, body);
      counts.refs += added.length;
      const ref = "SELECT 1 FROM refs WHERE target = ? AND object = ? AND path = ? AND kind = ?";
      const isThere = added.every(({ path, reference }) =>
        has(ref, reference.id, key, path, reference.ref),
      );
      if (!isThere) note(body.id, "references");
      const row = connection.first("SELECT nickname FROM objects WHERE key = ?", key);
      if ((row?.["nickname"] ?? undefined) !== body.nickname) note(body.id, "nicknames");
    },
    differences() {
      for (const [table, expected] of Object.entries(counts)) {
        if (isOlder(connection, table)) continue;
        const count = number(
          connection.first(`SELECT count(*) AS count FROM ${table}`) ?? {},
          "count",
        );
        if (count !== expected)
          found.push(`the table ${table} has ${count} rows instead of ${expected}`);
      }
      const clock = number(connection.first("SELECT tx_id FROM clock") ?? {}, "tx_id");
      if (!(clock >= newest))
        found.push(`the clock has transaction ${clock}, and a version ${newest}`);
      return found;
    },
  };
}
