import type { ObjectId } from "../model/object-id.ts";
import type { StoredMetadata } from "../model/stored-version.ts";
import type { WrittenVersion } from "../model/version-name.ts";
import type { ObjectStore, VersionSelector } from "../ports/object-store.ts";

/** The versions that a written version can mean: one, or the hashes that begin with the same digits. */
type SelectedVersion =
  | { readonly type: "one"; readonly selector: VersionSelector }
  | { readonly type: "ambiguous"; readonly hashes: readonly string[] };

/** Returns the selector of the version of an object that is meant. The store can have no such version. */
export async function selectVersion(
  store: Pick<ObjectStore, "history">,
  id: ObjectId,
  given: WrittenVersion,
): Promise<SelectedVersion> {
  if (!("hashStart" in given)) return { type: "one", selector: given };
  const start = given.hashStart;
  const versions = await store.history(id);
  const startOf = (hashOf: (one: StoredMetadata) => string): readonly string[] => [
    ...new Set(versions.map(hashOf).filter((hash) => hash.startsWith(start))),
  ];
  const contents = startOf(({ hashes }) => hashes.content_hash);
  const objects = startOf(({ hashes }) => hashes.object_hash);
  if (contents.length + objects.length > 1)
    return { type: "ambiguous", hashes: [...contents, ...objects] };
  const whole = versions.find(({ hashes }) => hashes.object_hash === objects[0]);
  const selector =
    whole === undefined ? { contentHash: contents[0] ?? start } : { version: whole.version };
  return { type: "one", selector };
}
