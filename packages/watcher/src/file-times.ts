/** Converts nanoseconds to milliseconds, cut to whole microseconds, so that all readers get the same number. */
export function milliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds / 1000n) / 1000;
}
