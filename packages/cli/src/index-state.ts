import type { ObjectStore } from "@self-context-manager/core";

/** Versions that are read before an answer, because reading them takes no longer than a person waits. */
export const fewVersions = 2_000;

/** How many versions an index has read, and how many the store has. */
export interface IndexState {
  readonly read: number;
  readonly all: number;
}

/** Returns how far an index is that has reached a position; without one, it is empty. */
export async function indexState(
  store: ObjectStore,
  position: string | undefined,
): Promise<IndexState> {
  const all = await countAfter(store, undefined);
  return { read: position === undefined ? 0 : all - (await countAfter(store, position)), all };
}

/** The number of versions after a position. */
async function countAfter(store: ObjectStore, position: string | undefined): Promise<number> {
  const {
    versions,
    skipped = 0,
    left = 0,
  } = await store.changesSince(position, { limit: 1, counts: true, skipDamaged: true });
  return versions.length + skipped + left;
}

/** Such as `41 % of the store is read (410000 of 1000000 versions)`. */
export function stateText({ read, all }: IndexState): string {
  const share = all === 0 ? 100 : Math.floor((100 * read) / all);
  return `${share} % of the store is read (${read} of ${all} versions)`;
}
