import type { StorePrivacy } from "@self-context-manager/objects";

import { connect } from "./connection.ts";
import { allPrivacy, writeForgotten, writePrivacy } from "./privacy-rows.ts";
import { migrate } from "./schema.ts";

/**
 * Gives the file of a new store the key of another one and what was forgotten there, so that it stays forgotten. Makes the
 * new file if it is missing. Returns what was copied.
 */
export async function copySqlitePrivacy(from: string, to: string): Promise<StorePrivacy> {
  const [source, target] = [await connect(from), await connect(to)];
  try {
    const privacy = allPrivacy(source);
    target.execute("PRAGMA page_size = 1024");
    migrate(target, to);
    target.transaction("write", () => {
      writePrivacy(target, privacy);
      writeForgotten(target, privacy.forgotten);
    });
    return privacy;
  } finally {
    source.close();
    target.close();
  }
}

/** Returns what a file keeps of private texts; undefined for one that cannot be read, or from before there was such a table. */
export async function sqlitePrivacy(path: string): Promise<StorePrivacy | undefined> {
  const connection = await connect(path);
  try {
    return allPrivacy(connection);
  } catch {
    return undefined;
  } finally {
    connection.close();
  }
}
