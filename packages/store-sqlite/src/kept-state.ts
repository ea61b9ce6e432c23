import { readClock, type StoreClock } from "./clock-row.ts";
import type { Connection } from "./connection.ts";
import type { Heads } from "./head.ts";
import { generationOf } from "./privacy-rows.ts";
import type { VersionReader } from "./version-rows.ts";

/**
 * The state of the store that a connection need not read again, because no other connection has written since it was
 * read. SQLite's `data_version` shows whether one has; it does not change with the connection's own writes.
 */
export interface KeptState {
  /** Forgets what another connection may have changed. Each transaction begins with it. */
  check(): void;
  /** Forgets everything, after the connection itself has rewritten the store. */
  forget(): void;
  /** Returns the clock, within a transaction. */
  clock(): StoreClock;
  /** Keeps the clock of a transaction that was committed. */
  setClock(clock: StoreClock): void;
}

export function keptState(connection: Connection, heads: Heads, reader: VersionReader): KeptState {
  let version: unknown;
  let generation = 0;
  let clock: StoreClock | undefined;
  return {
    check() {
      const now = connection.first("PRAGMA data_version")?.["data_version"];
      if (now === version) return;
      version = now;
      clock = undefined;
      heads.doubt();
      const found = generationOf(connection);
      if (found === generation) return;
      reader.forget();
      generation = found;
    },
    forget() {
      version = undefined;
    },
    clock: () => (clock ??= readClock(connection)),
    setClock(written) {
      clock = written;
    },
  };
}
