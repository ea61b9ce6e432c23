import { sha256 } from "@self-context-manager/objects";

/** Returns a number from 0 up to 1 that is the same for the same seed and names, whatever was asked before. */
export function chance(seed: number, ...names: readonly (string | number)[]): number {
  return Number.parseInt(sha256(JSON.stringify([seed, ...names])).slice(0, 12), 16) / 2 ** 48;
}
