import type { BigIntStats } from "node:fs";

/** Converts nanoseconds to milliseconds, cut to whole microseconds, so that all readers get the same number. */
export function milliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds / 1000n) / 1000;
}

/** Returns the identity of a file: device and inode, and the time of creation if the file system records it. */
export function identityOf({
  dev,
  ino,
  birthtimeNs,
}: Pick<BigIntStats, "dev" | "ino" | "birthtimeNs">): {
  readonly node: string;
  readonly born?: number;
} {
  const born = milliseconds(birthtimeNs);
  // File systems that do not store the time of birth return 0.
  return { node: `${dev}:${ino}`, ...(born > 0 ? { born } : {}) };
}
