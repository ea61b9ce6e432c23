import type { ObjectBody, StoredVersion } from "@self-context-manager/objects";
import { openSqliteStore } from "@self-context-manager/store-sqlite";
import { rename } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

/** A change of one letter in a stored text. */
export interface Damage {
  /** The text to be replaced in all versions. */
  readonly text: string;
  readonly becomes: string;
}

/**
 * Replaces a text in all versions of a closed store and leaves their hashes, as a faulty program could. Returns the number
 * of changed versions.
 */
export async function changeStore(path: string, ...damages: readonly Damage[]): Promise<number> {
  const changed = `${path}.changed`;
  let count = 0;
  {
    await using store = await openSqliteStore({ path });
    await using copy = await openSqliteStore({ path: changed });
    const restored: StoredVersion[] = [];
    for (const { body, version } of (await store.changesSince()).versions) {
      const stored = await store.get(body.id, { version });
      if (stored === undefined) throw new Error(`version ${version} of ${body.id} is missing`);
      const replaced = damages.reduce(replacedIn, stored);
      if (replaced !== stored) count += 1;
      restored.push(replaced);
    }
    // In one transaction: the disk is waited for once, not for each version.
    await copy.restore(restored);
  }
  await rename(changed, path);
  return count;
}

function replacedIn(stored: StoredVersion, { text, becomes }: Damage): StoredVersion {
  const json = JSON.stringify(stored.body);
  if (!json.includes(text)) return stored;
  return { ...stored, body: JSON.parse(json.replaceAll(text, becomes)) as ObjectBody };
}

/** Deletes the row of a version. */
export function dropVersion(path: string, id: string, version: number): void {
  const database = new DatabaseSync(path);
  database
    .prepare(
      "DELETE FROM versions WHERE version = ? AND object = (SELECT key FROM objects WHERE id = ?)",
    )
    .run(version, id);
  database.close();
}
