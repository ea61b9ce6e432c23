import type { StoredVersion } from "../model/stored-version.ts";
import { encodeDelta, encodeWhole } from "./delta-encode.ts";
import { bulkOf } from "./stored-body.ts";
import { type ChunkWriter, sizeOf } from "./stored-form.ts";

/** The place of a version in the chain of deltas that its bulk fields are stored in. */
interface ChainPlace {
  /** The version that the chain starts with: it is stored whole. */
  readonly base: number;
  /** Characters of the deltas since the base, long texts included. */
  readonly weight: number;
  /** About how many characters the bulk fields of the version have. */
  readonly size: number;
}

/** The last version of a chain, which the next one is encoded against. */
export interface ChainEnd extends ChainPlace {
  readonly stored: StoredVersion;
}

/** The next version of a chain. */
export interface ChainLink extends ChainPlace {
  /** The delta as JSON; undefined where the bulk fields are equal to those of the version before. */
  readonly delta: string | undefined;
}

/** A writer of long texts that counts the characters of all texts it was given. */
export interface CountingChunkWriter extends ChunkWriter {
  written(): number;
}

/** Deltas may reach this many times the size of the bulk fields before a version is stored whole again. */
const mostDeltasPerSize = 3;

/** Below this many characters of deltas nothing is gained by storing a small body whole. */
const leastWeight = 8_192;

/**
 * Encodes a version against the last one of its chain. It is whole where the chain has become too heavy to read, and
 * where it does not follow the last version directly, because readers count the deltas of a chain.
 */
export function chainLink(
  before: ChainEnd | undefined,
  stored: StoredVersion,
  chunks: CountingChunkWriter,
): ChainLink {
  const bulk = bulkOf(stored.body);
  if (before !== undefined && before.stored.version + 1 === stored.version) {
    const { base } = before;
    const writtenBefore = chunks.written();
    const result = encodeDelta(bulkOf(before.stored.body), bulk, chunks);
    if (result === undefined) {
      return { base, weight: before.weight, size: before.size, delta: undefined };
    }
    const delta = JSON.stringify(result.delta);
    const weight = before.weight + delta.length + chunks.written() - writtenBefore;
    const size = Math.max(0, before.size + result.growth);
    if (weight <= mostDeltasPerSize * size + leastWeight) return { base, weight, size, delta };
  }
  const delta = JSON.stringify(encodeWhole(bulk, chunks));
  return { base: stored.version, weight: 0, size: sizeOf(bulk), delta };
}
