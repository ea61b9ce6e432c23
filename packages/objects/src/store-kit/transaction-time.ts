import type { VersionPoint } from "../model/stored-version.ts";

/** The last millisecond of the years 1970 to 2200, in which every transaction is. */
const lastTime = Date.UTC(2201, 0, 1) - 1;

/** How far a clock can be behind the last time before its own time counts again: a day, in milliseconds. */
const longestHold = 24 * 60 * 60 * 1000;

/** The greatest number of a restored transaction: half of the safe integers, so that a store can count on from it. */
export const greatestTxId: number = 2 ** 52;

/** Whether a time, in milliseconds since 1970, can be that of a transaction. */
export function isTransactionTime(time: number): boolean {
  return time >= 0 && time <= lastTime;
}

/** Returns a time of a transaction in milliseconds since 1970. Times are compared as numbers and never as texts. */
export function timeOf(at: Pick<VersionPoint, "tx_time">): number {
  return Date.parse(at.tx_time);
}

/**
 * Whether a later transaction can have a time. It is not before the former one. Only a clock that ran ahead by more than a
 * day and was set right makes an earlier one.
 */
export function mayFollow(former: number, next: number): boolean {
  return next >= former || former - next > longestHold;
}

/** Returns the point that the next commit follows, if a store has a last point and gets a restored version. */
export function laterPoint(last: VersionPoint, restored: VersionPoint): VersionPoint {
  const { tx_time } = timeOf(restored) > timeOf(last) ? restored : last;
  return { tx_id: Math.max(last.tx_id, restored.tx_id), tx_time };
}
