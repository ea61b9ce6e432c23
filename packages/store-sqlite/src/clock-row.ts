import type { VersionPoint } from "@self-context-manager/objects";

import type { Connection } from "./connection.ts";
import { sumOf } from "./row-sums.ts";
import { DamageError } from "./sqlite-errors.ts";
import { number, pointOf } from "./row-values.ts";

/** The only row of `clock`. */
export interface StoreClock {
  /** The greatest transaction number and the latest time of all versions. */
  readonly at: VersionPoint;
  /** The number of versions in the file. */
  readonly versions: number;
}

/** Returns the clock. Throws `DamageError` if its values are not those that were written. */
export function readClock(connection: Connection): StoreClock {
  const row = connection.first("SELECT tx_id, tx_time, versions, sum FROM clock WHERE one = 1");
  if (row === undefined) throw new DamageError("the last transaction is missing");
  const clock = { at: pointOf(row), versions: number(row, "versions") };
  if (sumOfClock(clock) !== row["sum"])
    throw new DamageError("the last transaction is not as it was stored");
  return clock;
}

/** Replaces the row. An equal row is written too: SQLite writes nothing for an update without a change. */
export function writeClock(connection: Connection, clock: StoreClock): void {
  connection.run(
    "INSERT OR REPLACE INTO clock (one, tx_id, tx_time, versions, sum) VALUES (1, ?, ?, ?, ?)",
    clock.at.tx_id,
    Date.parse(clock.at.tx_time),
    clock.versions,
    sumOfClock(clock),
  );
}

function sumOfClock({ at, versions }: StoreClock): number {
  return sumOf(at.tx_id, at.tx_time, versions);
}
