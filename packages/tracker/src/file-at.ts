import {
  type ObjectBody,
  type ObjectMetadata,
  type ObjectStore,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { afterDouble } from "./next-version.ts";
import { isWhole, storeDrafts } from "./store-drafts.ts";

/** The object types that are treated as files: a note differs from a file only in its name (decision D16). */
const fileTypes: ReadonlySet<string> = new Set(["file", "note"]);

/** Whether an object is a file or a note. */
export function isFileLike({ type }: ObjectBody | ObjectMetadata): boolean {
  return fileTypes.has(type);
}

/** Returns the object of a file by its real path, or that of a file that was deleted there (decision D56). */
export async function fileAt(
  store: ObjectStore,
  realPath: string,
): Promise<StoredMetadata | undefined> {
  const atPath = await store.find({ where: { path: realPath } });
  const found = atPath.items.find(({ body }) => isFileLike(body));
  if (found !== undefined) return found;
  const deleted = await store.find({
    where: { presence: "missing", "provenance.origin": realPath },
    newestFirst: true,
  });
  return deleted.items.find(({ body }) => isFileLike(body));
}

/**
 * Returns the object that another session made first for the same new path; undefined if `made` is the first one. Two
 * sessions that index a path at the same time both find no object and make one each. Afterwards both see both objects.
 * The one that was committed first stays. The session that made the other marks it as missing, in the version `double`,
 * and continues with the first.
 */
export async function firstMadeAt(
  store: ObjectStore,
  made: StoredMetadata | StoredVersion,
): Promise<{ readonly first: StoredMetadata; readonly double?: StoredVersion } | undefined> {
  const { items } = await store.find({ where: { path: made.body["path"] as string } });
  const first = items.find(({ body }) => isFileLike(body));
  if (first === undefined || first.body.id === made.body.id) return undefined;
  const { id } = made.body;
  const double = (await storeDrafts(store, [afterDouble(id, first.body.id)])).get(id);
  return { first, ...(double !== undefined && isWhole(double) ? { double } : {}) };
}
