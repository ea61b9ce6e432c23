import {
  type ObjectId,
  type ObjectStore,
  type ResolvedVersion,
  resolveVersion,
  type VersionSelector,
} from "@self-context-manager/objects";

/** Reads and verifies versions. Versions of tool calls and files are read once for all calls. */
export interface VersionReader {
  readonly store: ObjectStore;
  version(id: ObjectId, at?: VersionSelector): Promise<ResolvedVersion>;
  named(id: ObjectId, version: number): Promise<ResolvedVersion>;
}

/** The number of versions that are kept for the next calls. If a session has more, versions are read again. */
const mostKept = 4_000;

export function versionReader(store: ObjectStore): VersionReader {
  const known = new Map<string, Promise<ResolvedVersion>>();
  const version: VersionReader["version"] = async (id, at) => await resolveVersion(store, id, at);
  return {
    store,
    version,
    named(id, number) {
      const name = `${id} ${number}`;
      const kept = known.get(name);
      if (kept !== undefined) return kept;
      if (known.size >= mostKept) known.clear();
      const found = version(id, { version: number });
      known.set(name, found);
      return found;
    },
  };
}
