/** Nanoseconds as milliseconds to the microsecond: whole numbers that any clock tick fits, and the same from every reader. */
export function milliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds / 1000n) / 1000;
}
