import { bodyCache, type Clock, type ObjectStore, StoreError } from "@self-context-manager/objects";
import { resolve } from "node:path";

import { transactions } from "./commit.ts";
import { connect, type Connection, loadSqlite } from "./connection.ts";
import type { Head } from "./head.ts";
import { idleCheckpoints } from "./idle-checkpoints.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { queries } from "./queries.ts";
import { checkFile, migrate } from "./schema.ts";
import { storeErrorOf } from "./sqlite-errors.ts";
import { prepareFile } from "./store-file.ts";
import { versionReader } from "./version-rows.ts";

export interface SqliteStoreOptions {
  /** The file; it and its folder are made where they are not there, for this user alone. */
  readonly path: string;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Milliseconds to wait for another process that writes. Default: 10 seconds. */
  readonly busyTimeout?: number;
  /** The file never grows beyond this many bytes: commits then reject with `STORE_FULL`. */
  readonly maxBytes?: number;
  /** Characters of latest versions that are kept in memory. Default: 32 million. */
  readonly cacheCharacters?: number;
}

/** Opens the store in a file, and makes it where there is none. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<ObjectStore> {
  const path = resolve(options.path);
  const busyTimeout = options.busyTimeout ?? 10_000;
  const clock = options.clock ?? { now: () => Date.now() };
  const connection = await open(path, busyTimeout, options.maxBytes);
  const heads = bodyCache<Head>(options.cacheCharacters ?? 32_000_000);
  const reader = versionReader(connection, heads);
  const ask = queries(connection, reader);
  const write = transactions(connection, heads, reader, clock);
  const checkpoints = idleCheckpoints(connection);
  let closed = false;
  /** Settles when the writes before are done: they are made in the order of the calls. */
  let writes: Promise<unknown> = Promise.resolve();

  async function run<Result>(work: () => Result): Promise<Result> {
    checkOpen();
    try {
      return await retryWhileBusy(busyTimeout, () => {
        checkOpen();
        return work();
      });
    } catch (error) {
      throw storeErrorOf(error, path);
    }
  }

  function checkOpen(): void {
    if (closed) throw new StoreError("STORE_CLOSED", `the store ${path} is closed; open it again`);
  }

  function inTurn<Result>(work: () => Result): Promise<Result> {
    const result = writes.then(() => run(work));
    writes = result.catch(() => undefined);
    return result;
  }

  function atOnce<Result>(work: () => Result): Promise<Result> {
    return run(() => connection.transaction("read", work));
  }

  return {
    name: "sqlite",
    supports: { durable: true, shared: true },
    commit: (objects, commitOptions = {}) =>
      inTurn(() => {
        const result = write.commit(objects, commitOptions);
        checkpoints.noteCommit();
        return result;
      }),
    restore: (versions) => inTurn(() => write.restore(versions)),
    get: (id, at) => atOnce(() => ask.get(id, at)),
    getMany: (ids) => atOnce(() => ids.map((id) => ask.get(id))),
    describe: (ids) => atOnce(() => ask.describe(ids)),
    history: (id, historyOptions = {}) => atOnce(() => ask.history(id, historyOptions)),
    find: (query) => atOnce(() => ask.find(query)),
    lookup: (nickname) => atOnce(() => ask.lookup(nickname)),
    referrers: (id, referrersOptions = {}) => atOnce(() => ask.referrers(id, referrersOptions)),
    changesSince: (position = "0", { limit } = {}) =>
      atOnce(() => ask.changesSince(position, limit)),

    async [Symbol.asyncDispose]() {
      if (closed) return;
      await writes;
      // A second disposal may have come meanwhile.
      if (closed) return;
      closed = true;
      checkpoints.stop();
      close(connection);
    },
  };
}

/** Waited inside SQLite for another process; longer waits are between tries, see `retryWhileBusy`. */
const shortWait = 10;

/**
 * Most rows are of a few hundred bytes, and a store of one short session has twenty trees: with small pages it is a
 * seventh smaller, and a commit writes less.
 */
const pageBytes = 1_024;

async function open(
  path: string,
  busyTimeout: number,
  maxBytes: number | undefined,
): Promise<Connection> {
  // Before anything is made on the disk that a Node without SQLite would leave behind.
  await loadSqlite();
  await prepareFile(path);
  let connection: Connection | undefined;
  try {
    const opened = await connect(path);
    connection = opened;
    await retryWhileBusy(busyTimeout, () => {
      // Of a file that is there already the page size stays as it was.
      opened.execute(`PRAGMA busy_timeout = ${shortWait}; PRAGMA page_size = ${pageBytes}`);
      // In one transaction, so that another opener's schema is seen whole or not at all.
      const isOld = opened.transaction("read", () => checkFile(opened, path));
      // Switching to the write-ahead log needs the file alone for a moment, which two openers at once want both.
      opened.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096; PRAGMA foreign_keys = ON",
      );
      if (isOld) migrate(opened, path);
      if (maxBytes !== undefined) limitSize(opened, maxBytes);
    });
    return opened;
  } catch (error) {
    connection?.close();
    throw storeErrorOf(error, path);
  }
}

function limitSize(connection: Connection, maxBytes: number): void {
  const pageSize = Number(connection.first("PRAGMA page_size")?.["page_size"]);
  connection.execute(`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`);
}

/** Brings everything into the one file, where no other process has it open. */
function close(connection: Connection): void {
  try {
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // All that was acknowledged is in the log already; the next to open the file goes on from there.
  }
  connection.close();
}
