import { StoreError } from "../errors.ts";
import type { StoredVersion } from "../model/stored-version.ts";
import type { VersionRange } from "../ports/object-store.ts";
import { shareVersion } from "./share-parts.ts";

/** How a store reads the versions of one object for `versionsInOrder`. */
interface VersionPages {
  /** The greatest number of versions of a page. */
  readonly length: number;
  /** Returns the number of the latest version; 0 if there is no object. */
  latest(): Promise<number>;
  /**
   * Returns those versions with the numbers from `from` to `to` that exist, in order. `before` is the last version of the
   * page before, from which the first one may be rebuilt.
   */
  page(
    from: number,
    to: number,
    before: StoredVersion | undefined,
  ): Promise<readonly StoredVersion[]>;
  /** Returns one version. It reads the versions of a page that cannot be read as a whole. */
  get(version: number): Promise<StoredVersion | undefined>;
  /** Returns the version, or throws because its hashes are not those of its fields. Default: versions are not checked. */
  readonly checked?: (stored: StoredVersion) => StoredVersion;
}

/** Reads the versions of an object in order and in pages, as `ObjectStore.versions` promises. */
export async function* versionsInOrder(
  pages: VersionPages,
  { from = 1, to = Infinity }: VersionRange = {},
): AsyncIterable<StoredVersion> {
  const { checked = (stored) => stored } = pages;
  const last = Math.min(to, await pages.latest());
  let before: StoredVersion | undefined;
  let start = Math.max(1, from);
  while (start <= last) {
    const end = Math.min(last, start + lengthAfter(before, pages.length) - 1);
    for await (const stored of versionsOf(pages, start, end, before)) {
      // Hashing costs only what differs from the version before.
      before = checked(shareVersion(before, stored));
      yield before;
    }
    start = end + 1;
  }
}

/** The characters of the contents of a page. Contents that grow share no memory. */
const charactersOfPage = 4_000_000;

/** Returns how many versions the page after a version has: fewer than usual if its content is long. */
function lengthAfter(before: StoredVersion | undefined, most: number): number {
  const characters = before?.body.content?.length ?? 0;
  return Math.max(1, Math.min(most, Math.floor(charactersOfPage / Math.max(1, characters))));
}

async function* versionsOf(
  pages: VersionPages,
  from: number,
  to: number,
  before: StoredVersion | undefined,
): AsyncIterable<StoredVersion> {
  const page = await readPage(pages, from, to, before);
  if (page !== undefined) {
    yield* page;
    return;
  }
  // A version of the page is damaged. The versions before it are still returned.
  for (let version = from; version <= to; version += 1) {
    const stored = await pages.get(version);
    if (stored !== undefined) yield stored;
  }
}

async function readPage(
  pages: VersionPages,
  from: number,
  to: number,
  before: StoredVersion | undefined,
): Promise<readonly StoredVersion[] | undefined> {
  try {
    return await pages.page(from, to, before);
  } catch (error) {
    if (!StoreError.is(error, "STORE_CORRUPT")) throw error;
    return undefined;
  }
}
