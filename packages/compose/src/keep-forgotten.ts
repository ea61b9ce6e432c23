import { forgottenVersions } from "@self-context-manager/core/forget";
import { allItems, sealObject, StoreError } from "@self-context-manager/objects";

import { openStore } from "./open-store.ts";
import { systemClock } from "./system-clock.ts";

/**
 * Removes from an earlier copy of a store what the user had forgotten since, before the copy replaces the store. A store
 * that is damaged or another one has nothing to say about the copy.
 */
export async function keepForgotten(at: string, copy: string): Promise<void> {
  const { copySqlitePrivacy, sqlitePrivacy } = await import("@self-context-manager/store-sqlite");
  const [present, earlier] = [await sqlitePrivacy(at), await sqlitePrivacy(copy)];
  if (present === undefined || present.forgotten.length === 0) return;
  if (earlier !== undefined && earlier.key !== present.key) return;
  await copySqlitePrivacy(at, copy);
  await using store = await openStore({ store: "sqlite", at: copy, clock: systemClock });
  const change = forgottenVersions(present);
  const objects = await allItems((page) => store.find({ limit: 500, ...page }));
  await store.rewrite({
    objects: objects.map(({ body }) => body.id),
    change: (stored) => sealObject(change(stored).body),
  });
  if ((await store.privacy()).forgotten.length !== present.forgotten.length)
    throw new StoreError("STORE_CORRUPT", `what was forgotten in ${at} cannot be read`);
}
