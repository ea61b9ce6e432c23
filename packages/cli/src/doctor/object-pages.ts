import type { ObjectId, ObjectStore, StoredMetadata } from "@self-context-manager/core";

/** The number of versions that are asked for at once. */
const versionsAtOnce = 500;

/**
 * Returns each object of a store once, in pages, as one of its versions has it. Versions that cannot be read are left out,
 * so that a damaged one does not end a check.
 */
export async function* objectPages(store: ObjectStore): AsyncGenerator<readonly StoredMetadata[]> {
  const seen = new Set<ObjectId>();
  let position: string | undefined;
  for (;;) {
    const page = await store.changesSince(position, { limit: versionsAtOnce, skipDamaged: true });
    const found = new Map(
      page.versions.flatMap((one) => (seen.has(one.body.id) ? [] : [[one.body.id, one] as const])),
    );
    for (const id of found.keys()) seen.add(id);
    yield [...found.values()];
    if (page.versions.length + (page.skipped ?? 0) < versionsAtOnce) return;
    position = page.position;
  }
}
