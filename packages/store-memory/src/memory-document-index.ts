import {
  compareText,
  type DocumentIndex,
  type IndexedLink,
  type IndexEntry,
  type ObjectId,
} from "@self-context-manager/objects";

/** A document index whose entries the store removes when it rewrites objects. */
export interface MemoryDocumentIndex extends DocumentIndex {
  clear(): void;
}

/** Returns an index in memory. `checkOpen` throws if its store is closed; `isOld`: whether a position is one from before a rewrite. */
export function memoryDocumentIndex(
  checkOpen: () => void,
  isOld: (position: string) => boolean,
): MemoryDocumentIndex {
  let parser: string | undefined;
  let position: string | undefined;
  const objects = new Map<ObjectId, IndexEntry>();
  const byName = keyMap();
  const byLink = keyMap();
  const byTag = keyMap();

  function isOf(asked: string): boolean {
    checkOpen();
    return asked === parser;
  }

  function keep(entry: IndexEntry): void {
    const { id } = entry.names;
    const former = objects.get(id);
    if (former !== undefined && former.version > entry.version) return;
    if (former !== undefined) {
      byName.remove(former.keys.names, id);
      byLink.remove(former.keys.links.flat(), id);
      byTag.remove(former.keys.tags, id);
    }
    objects.set(id, entry);
    byName.add(entry.keys.names, id);
    byLink.add(entry.keys.links.flat(), id);
    byTag.add(entry.keys.tags, id);
  }

  function found(ids: Iterable<ObjectId>): readonly IndexEntry[] {
    return [...ids].flatMap((id) => objects.get(id) ?? []);
  }

  function clear(): void {
    parser = undefined;
    position = undefined;
    objects.clear();
    for (const map of [byName, byLink, byTag]) map.clear();
  }

  return {
    clear,
    position: async (asked) => (isOf(asked) ? position : undefined),

    async keep(asked, entries, reached) {
      // Entries from before a rewrite can have what it removed.
      if (isOld(reached)) return;
      if (!isOf(asked)) {
        clear();
        parser = asked;
      }
      entries.forEach(keep);
      position = reached;
    },

    async entries(asked, ids) {
      const isKnown = isOf(asked);
      return ids.map((id) => {
        const entry = isKnown ? objects.get(id) : undefined;
        if (entry === undefined) return undefined;
        const { keys: _, ...object } = entry;
        return object;
      });
    },

    named: async (asked, keys) =>
      isOf(asked) ? found(byName.get(keys)).map(({ names }) => names) : [],

    async linking(asked, keys) {
      const wanted = new Set(keys);
      return isOf(asked)
        ? found(byLink.get(keys))
            .flatMap(linksOf)
            .filter((one) => one.keys.some((key) => wanted.has(key)))
            .map(withoutKeys)
        : [];
    },

    tagged: async (asked, tag) => (isOf(asked) ? [...byTag.get([tag])] : []),

    tags: async (asked) => (isOf(asked) ? byTag.counts() : []),

    async links(asked, { after = "", limit = 1000 } = {}) {
      if (!isOf(asked)) return [];
      const links: IndexedLink[] = [];
      const documents = [...objects.values()]
        .filter(({ names: { id }, keys }) => keys.links.length > 0 && compareText(id, after) > 0)
        .toSorted((one, other) => compareText(one.names.id, other.names.id));
      for (const document of documents) {
        if (links.length >= limit) break;
        links.push(...linksOf(document).map(withoutKeys));
      }
      return links;
    },
  };
}

function linksOf({
  names,
  document,
  keys,
}: IndexEntry): readonly (IndexedLink & { readonly keys: readonly string[] })[] {
  return (document?.links ?? []).map((link, index) => ({
    from: names,
    index,
    link,
    keys: keys.links[index] ?? [],
  }));
}

function withoutKeys(link: ReturnType<typeof linksOf>[number]): IndexedLink {
  const { keys: _, ...others } = link;
  return others;
}

function keyMap() {
  const ids = new Map<string, Set<ObjectId>>();
  return {
    add(keys: readonly string[], id: ObjectId): void {
      for (const key of keys) ids.set(key, (ids.get(key) ?? new Set()).add(id));
    },
    remove(keys: readonly string[], id: ObjectId): void {
      for (const key of keys) {
        const rest = ids.get(key);
        rest?.delete(id);
        if (rest?.size === 0) ids.delete(key);
      }
    },
    get(keys: readonly string[]): ReadonlySet<ObjectId> {
      return new Set(keys.flatMap((key) => [...(ids.get(key) ?? [])]));
    },
    counts: () => [...ids].map(([tag, holders]) => ({ tag, objects: holders.size })),
    clear: () => ids.clear(),
  };
}
