import {
  metadataVersion,
  type ObjectStore,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { type FileChange, newVersion } from "./file-change.ts";
import type { FileDraft } from "./file-drafts.ts";
import { isWhole, storeDrafts } from "./store-drafts.ts";
import type { TrackerParts } from "./tracker-parts.ts";

/** The number of contents that are in memory at once. */
export const chunkSize = 200;

/** Stores drafts and reports the new versions. */
export async function storeChanges(
  drafts: readonly FileDraft[],
  { store, tracked, notify }: TrackerParts,
): Promise<void> {
  for (let start = 0; start < drafts.length; start += chunkSize) {
    const chunk = drafts.slice(start, start + chunkSize);
    const latest = await storeDrafts(store, chunk);
    const changes: FileChange[] = [];
    for (const { id, seen } of chunk) {
      const stored = latest.get(id);
      if (stored === undefined) continue;
      const previous = tracked.all.get(id)?.stored;
      const file = tracked.put(isWhole(stored) ? metadataVersion(stored) : stored);
      if (file !== undefined && (seen === undefined || seen.path === file.path))
        tracked.saw(file, seen);
      if (previous !== undefined && previous.version >= stored.version) continue;
      const whole = await wholeVersion(store, stored);
      if (previous === undefined) changes.push({ id, type: "appeared", stored: whole });
      else changes.push(newVersion(previous, whole));
    }
    if (changes.length > 0) notify(changes);
  }
}

async function wholeVersion(
  store: ObjectStore,
  stored: StoredVersion | StoredMetadata,
): Promise<StoredVersion> {
  if (isWhole(stored)) return stored;
  const { id } = stored.body;
  const whole = await store.get(id, { version: stored.version });
  if (whole === undefined) throw new TypeError(`object ${id} is not in the store`);
  return whole;
}
