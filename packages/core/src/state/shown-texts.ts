import {
  areSameRanges,
  defined,
  type LineRange,
  type ObjectId,
  type StoredMetadata,
  type StoredVersion,
  withRange,
} from "@self-context-manager/objects";
import type { StatePart } from "./state-part.ts";

/**
 * The text of a file that the model got from a tool of the host, or wrote itself: a content by its hash, and its lines;
 * without ranges, all of them.
 */
export type HostShown = ShownText & {
  /** The contents that it had before, the newest last. */
  readonly earlier?: readonly ShownText[];
};

export type ShownText = {
  readonly content_hash: string;
  readonly ranges?: readonly LineRange[];
};

/** The texts of files that the model got, by object. */
export interface ShownTexts extends StatePart {
  readonly texts: ReadonlyMap<ObjectId, HostShown>;
  get(id: ObjectId): HostShown | undefined;
  has(id: ObjectId): boolean;
  /** Records that the model got lines of a file's version; without a range, all of them. */
  addLines(version: StoredMetadata | StoredVersion, range: LineRange | undefined): void;
  /** Records that the model changed a file: of the new version it knows the given lines; undefined: all of them. */
  setLines(version: StoredVersion, ranges: readonly LineRange[] | undefined): void;
  /** Replaces the texts by those of a stored session. */
  restore(stored: Readonly<Record<ObjectId, HostShown>>): void;
}

/** The number of earlier contents of a file that are remembered. */
const mostEarlier = 8;

/** Returns no texts. */
export function shownTexts(): ShownTexts {
  const texts = new Map<ObjectId, HostShown>();
  let isChanged = false;

  function set(id: ObjectId, hash: string, ranges: readonly LineRange[] | undefined): void {
    const known = texts.get(id);
    if (known?.content_hash === hash && areSameRanges(known.ranges, ranges)) return;
    const earlier = earlierTexts(known, hash);
    texts.set(id, {
      content_hash: hash,
      ...defined({ ranges }),
      ...(earlier.length === 0 ? {} : { earlier }),
    });
    isChanged = true;
  }

  return {
    texts,
    get isChanged() {
      return isChanged;
    },
    noteStored() {
      isChanged = false;
    },
    get: (id) => texts.get(id),
    has: (id) => texts.has(id),
    addLines({ body: { id }, hashes }, range) {
      const known = texts.get(id);
      const isSame = known?.content_hash === hashes.content_hash;
      set(id, hashes.content_hash, withRange(isSame ? known.ranges : [], range));
    },
    setLines({ body: { id }, hashes }, ranges) {
      set(id, hashes.content_hash, ranges);
    },
    restore(stored) {
      texts.clear();
      isChanged = true;
      for (const [id, shown] of Object.entries(stored)) texts.set(id as ObjectId, shown);
    },
  };
}

function earlierTexts(known: HostShown | undefined, hash: string): readonly ShownText[] {
  if (known === undefined) return [];
  const { earlier = [], ...last } = known;
  const all = last.content_hash === hash ? earlier : [...earlier, last];
  return all.filter(({ content_hash: one }) => one !== hash).slice(-mostEarlier);
}
