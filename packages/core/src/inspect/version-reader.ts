import {
  boundedMap,
  defined,
  madeOnce,
  type NamedReference,
  type ObjectId,
  type ObjectStore,
  type ResolvedVersion,
  resolveReference,
  resolveVersion,
  type StoredVersion,
  verifyVersion,
  type VersionSelector,
} from "@self-context-manager/objects";
import { type VersionsInTurn, versionsInTurn } from "./versions-in-turn.ts";

/** Reads and verifies versions. Versions of tool calls, files and system prompts are read once for all calls. */
export interface VersionReader {
  version(id: ObjectId, at?: VersionSelector): Promise<ResolvedVersion>;
  named(id: ObjectId, version: number): Promise<ResolvedVersion>;
  referred(reference: NamedReference): Promise<ResolvedVersion>;
}

/** The number of versions that are kept for the next calls. If a session has more, versions are read again. */
const mostKept = 4_000;

export function versionReader(store: ObjectStore): VersionReader {
  const known = boundedMap<string, Promise<ResolvedVersion>>(mostKept);
  const version: VersionReader["version"] = async (id, at) => await resolveVersion(store, id, at);
  const once = (name: string, read: () => Promise<ResolvedVersion>): Promise<ResolvedVersion> => {
    const kept = known.get(name);
    if (kept !== undefined) return kept;
    const found = read();
    known.set(name, found);
    return found;
  };
  return {
    version,
    named: (id, number) => once(`${id} ${number}`, () => version(id, { version: number })),
    referred: (reference) =>
      once(JSON.stringify(reference), () => resolveReference(store, reference)),
  };
}

/**
 * A reader for calls that are read in order. The versions of a session, its chat and its view are each read once, and the
 * answers are those of `versionReader`.
 */
export function readerInTurn(store: ObjectStore): VersionReader {
  const others = versionReader(store);
  const objects = new Map<ObjectId, VersionsInTurn>();
  const verified = new WeakMap<StoredVersion, ResolvedVersion>();

  function resolved(stored: StoredVersion): ResolvedVersion {
    return madeOnce(verified, stored, () => {
      const problem = verifyVersion(stored);
      return { stored, isVerified: problem === undefined, ...defined({ problem }) };
    });
  }

  return {
    ...others,
    async version(id, at) {
      if (at === undefined || !("version" in at || "txId" in at)) return others.version(id, at);
      const versions = objects.get(id) ?? versionsInTurn(store, id);
      objects.set(id, versions);
      const stored =
        "version" in at ? await versions.numbered(at.version) : await versions.asOf(at.txId);
      return stored === undefined ? others.version(id, at) : resolved(stored);
    },
  };
}
