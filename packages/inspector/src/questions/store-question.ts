import type { StoreAnswer } from "../answers.ts";
import { type Reading, readOr } from "./reading.ts";

/** The number of versions that are skipped at once on the way to the newest position. */
const versionsAtOnce = 2_000;

/** Follows the newest position of a store. */
export interface Positions {
  /** Returns the position after the newest version. */
  newest(): Promise<string>;
}

/**
 * The position begins where a derived index ends, so that a large store is not read from its beginning: agents keep both
 * indexes up to date.
 */
export function positions({ store, search, parser }: Reading): Positions {
  let known: string | undefined;
  return {
    async newest() {
      known ??= await search?.position().catch(() => undefined);
      known ??= parser === undefined ? undefined : await store.documents.position(parser.name);
      for (;;) {
        const changes = await store.changesSince(known, { limit: versionsAtOnce });
        known = changes.position;
        if (changes.versions.length < versionsAtOnce) return known;
      }
    },
  };
}

/** Which store is inspected. */
export async function storeAnswer(
  { place, kind }: Reading,
  followed: Positions,
): Promise<StoreAnswer> {
  // A damaged version ends the list of changes. The rest of the store can be read, but not followed.
  return { place, kind, position: await readOr(async () => await followed.newest(), "", []) };
}
