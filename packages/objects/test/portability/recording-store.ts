import { metadataOf } from "../../src/model/object-body.ts";
import type { StoredMetadata, StoredVersion } from "../../src/model/stored-version.ts";
import type { importObjects } from "../../src/portability/import-objects.ts";

/** A store for imports that records each batch and keeps nothing of it. */
export type RecordingStore = Parameters<typeof importObjects>[0] & {
  readonly batches: (readonly StoredVersion[])[];
  /** Whether each batch was restored with gaps. */
  readonly gaps: boolean[];
};

/** Returns a store with the given versions, in the order of their numbers. `check` can refuse a batch. */
export function recordingStore({
  stored = [],
  check = () => undefined,
}: {
  readonly stored?: readonly StoredVersion[];
  readonly check?: (batch: readonly StoredVersion[]) => void;
} = {}): RecordingStore {
  const batches: (readonly StoredVersion[])[] = [];
  const described = stored.map(({ body, ...others }): StoredMetadata => ({
    ...others,
    body: metadataOf(body),
  }));
  const gaps: boolean[] = [];
  return {
    batches,
    gaps,
    changesSince: async () => ({ versions: described, position: "1" }),
    describe: async (ids) => ids.map((id) => described.findLast(({ body }) => body.id === id)),
    history: async (id, { after = 0 } = {}) =>
      described.filter(({ body, version }) => body.id === id && version > after),
    lookup: async (nickname) => described.findLast(({ body }) => body.nickname === nickname),
    async restore(versions, options = {}) {
      check(versions);
      gaps.push(options.gaps === true);
      batches.push(versions);
      return { added: versions.length };
    },
  };
}
