import {
  checkedVersion,
  type Clock,
  type DocumentIndex,
  fixedPatience,
  type ObjectStore,
  type Patience,
  type StoredVersion,
  StoreError,
  versionsInOrder,
} from "@self-context-manager/objects";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { transactions } from "./commit.ts";
import { connect, type Connection, loadSqlite } from "./connection.ts";
import { documentRows } from "./document-index.ts";
import { fileIdentity } from "./file-identity.ts";
import { cachedHeads } from "./head.ts";
import { idleCheckpoints } from "./idle-checkpoints.ts";
import { keptState } from "./kept-state.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { queries } from "./queries.ts";
import { checkLog, endLog, hasLog, leaveLog, noteFile } from "./log-of-file.ts";
import { allPrivacy, isFromBefore } from "./privacy-rows.ts";
import { rewriteStore } from "./rewrite.ts";
import { checkFile, migrate } from "./schema.ts";
import { damageIn, DamageError, storeErrorOf } from "./sqlite-errors.ts";
import { prepareFile } from "./store-file.ts";
import { versionReader } from "./version-rows.ts";

export interface SqliteStoreOptions {
  /** The path of the store's file. If the file or its folder is missing, it is created for this user only. */
  readonly path: string;
  /** The source of transaction times. Default: the system's clock. */
  readonly clock?: Clock;
  /** Milliseconds to wait for another process that writes; after that, `STORE_BUSY`. Default: 10,000. */
  readonly busyTimeout?: number;
  /** How long to wait for another process that writes, if it is not always `busyTimeout`. */
  readonly patience?: Patience;
  /** Maximum size of the file in bytes. A commit beyond it rejects with `STORE_FULL`. Default: no limit. */
  readonly maxBytes?: number;
  /** Characters of latest versions that are kept in memory. Default: 32 million. */
  readonly cacheCharacters?: number;
}

/** Opens the store in a file, and creates the file if it is missing. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<ObjectStore> {
  const path = resolve(options.path);
  const patience = options.patience ?? fixedPatience(options.busyTimeout ?? 10_000);
  const clock = options.clock ?? { now: () => Date.now() };
  const connection = await open(path, patience, options.maxBytes);
  const identity = fileIdentity(path);
  const heads = cachedHeads(options.cacheCharacters ?? 32_000_000);
  const reader = versionReader(connection, heads);
  const ask = queries(connection, reader);
  const kept = keptState(connection, heads, reader);
  const write = transactions(connection, heads, reader, clock, kept);
  const checkpoints = idleCheckpoints(connection);
  let closed = false;
  let isLost = false;
  let lastRestore = -Infinity;
  /** Settles when all earlier writes are done, so that writes run in the order of the calls. */
  let writes: Promise<unknown> = Promise.resolve();

  async function run<Result>(work: () => Result): Promise<Result> {
    checkOpen();
    try {
      return await retryWhileBusy(patience, () => {
        checkOpen();
        return work();
      });
    } catch (error) {
      if (StoreError.is(error, "STORE_LOST")) isLost = true;
      throw storeErrorOf(error, path);
    }
  }

  function checkOpen(): void {
    if (closed) throw new StoreError("STORE_CLOSED", `the store ${path} is closed; open it again`);
  }

  function inTurn<Result>(work: () => Result): Promise<Result> {
    const result = writes.then(() =>
      run(() => {
        identity.check();
        const written = work();
        patience.worked();
        return written;
      }),
    );
    writes = result.catch(() => undefined);
    return result;
  }

  function atOnce<Result>(work: () => Result): Promise<Result> {
    return run(() => connection.transaction("read", () => (kept.check(), work())));
  }

  return {
    name: "sqlite",
    supports: { durable: true, shared: true, losable: true, lockable: true },
    documents: documentsOf(connection, { atOnce, inTurn }),
    commit: (objects, commitOptions = {}) =>
      inTurn(() => {
        const result = write.commit(objects, commitOptions);
        checkpoints.noteCommit();
        return result;
      }),
    restore: async (versions, restoreOptions) => {
      // Other processes get the write lock between two parts of a long import.
      await delay(Math.max(0, lastRestore + pauseAfterRestore - performance.now()));
      const result = await inTurn(() => write.restore(versions, restoreOptions));
      lastRestore = performance.now();
      return result;
    },
    get: (id, at) => atOnce(() => checked(ask.get(id, at))),
    getMany: (ids) => atOnce(() => ids.map((id) => checked(ask.get(id)))),
    describe: (ids) => atOnce(() => ask.describe(ids)),
    history: (id, historyOptions = {}) => atOnce(() => ask.history(id, historyOptions)),
    versions: (id, range) =>
      versionsInOrder(
        {
          length: versionsAtOnce,
          latest: () => atOnce(() => ask.latest(id)),
          page: (from, to, before) => atOnce(() => ask.page(id, from, to, before)),
          get: (version) => atOnce(() => ask.get(id, { version })),
          checked: (stored) => checkedVersion(stored, (what) => damageIn(path, what)),
        },
        range,
      ),
    find: (query) => atOnce(() => ask.find(query)),
    lookup: (nickname) => atOnce(() => ask.lookup(nickname)),
    referrers: (id, referrersOptions = {}) => atOnce(() => ask.referrers(id, referrersOptions)),
    changesSince: (position, changesOptions = {}) =>
      atOnce(() => ask.changesSince(position, changesOptions)),
    rewrite: (request) => rewriteStore(connection, path, request, kept, inTurn),
    privacy: () => atOnce(() => allPrivacy(connection)),

    async [Symbol.asyncDispose]() {
      if (closed) return;
      await writes;
      // Another call may have disposed of the store in the meantime.
      if (closed) return;
      closed = true;
      checkpoints.stop();
      close(connection, isLost || !identity.isThere());
      if (isLost) identity.removeSideFiles();
    },
  };
}

/** How the operations of a store run: a reading at once, and a write after the earlier ones. */
interface Turns {
  readonly atOnce: <Result>(work: () => Result) => Promise<Result>;
  readonly inTurn: <Result>(work: () => Result) => Promise<Result>;
}

function documentsOf(connection: Connection, { atOnce, inTurn }: Turns): DocumentIndex {
  const rows = documentRows(connection);
  return {
    position: (parser) => atOnce(() => rows.position(parser)),
    // The index can be made again, so nobody waits for the disk.
    keep: (parser, entries, position) =>
      inTurn(() =>
        connection.transaction("unsynced-write", () => {
          // Entries from before a rewrite can have what it removed.
          if (!isFromBefore(connection, position)) rows.keep(parser, entries, position);
        }),
      ),
    entries: (parser, ids) => atOnce(() => rows.entries(parser, ids)),
    named: (parser, keys) => atOnce(() => rows.named(parser, keys)),
    linking: (parser, keys) => atOnce(() => rows.linking(parser, keys)),
    tagged: (parser, tag) => atOnce(() => rows.tagged(parser, tag)),
    tags: (parser) => atOnce(() => rows.tags(parser)),
    links: (parser, { after = "", limit = 1000 } = {}) =>
      atOnce(() => rows.links(parser, after, limit)),
  };
}

function checked(stored: StoredVersion | undefined): StoredVersion | undefined {
  return stored && checkedVersion(stored, (what) => new DamageError(what));
}

/** Number of versions that one transaction reads, so that it ends soon and the event loop runs. */
const versionsAtOnce = 16;

/** Milliseconds between two restores. A process that waits for the write lock tries it more often than that. */
const pauseAfterRestore = 40;

/** Milliseconds that SQLite itself waits for another process. `retryWhileBusy` makes longer waits, between attempts. */
const shortWait = 10;

/**
 * Size of a database page in bytes. Most rows have a few hundred bytes, and the store of a short session has twenty
 * B-trees. With pages of this size it is a seventh smaller than with larger pages, and a commit writes less.
 */
const pageBytes = 1_024;

async function open(
  path: string,
  patience: Patience,
  maxBytes: number | undefined,
): Promise<Connection> {
  // Loaded first, so that a Node without SQLite does not leave an empty file on the disk.
  await loadSqlite();
  await prepareFile(path);
  const hadLog = hasLog(path);
  let connection: Connection | undefined;
  try {
    const opened = await connect(path);
    connection = opened;
    await retryWhileBusy(patience, () => {
      // An existing file keeps its page size.
      opened.execute(`PRAGMA busy_timeout = ${shortWait}; PRAGMA page_size = ${pageBytes}`);
      // One transaction, so that it sees all of a schema that another process creates now, or nothing of it.
      const isOld = opened.transaction("read", () => checkFile(opened, path));
      // The schema is in the file itself before there is a log, so that a copy without the log is no empty store.
      if (isOld) migrate(opened, path);
      checkLog(opened, path, hadLog);
      noteFile(opened, path);
      // The switch to the write-ahead log needs exclusive access for a moment. Two processes that open the file at the
      // same time compete for it, so this is retried while the file is busy.
      opened.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096; PRAGMA foreign_keys = ON",
      );
      // The first reading makes the log, which is one of the files of the store from here on.
      opened.first("SELECT one FROM clock WHERE one = 1");
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

/**
 * Closes the database, and moves the log into the file if no other process has it open. This completes a file that was
 * renamed, because its log stayed at the old path.
 */
function close(connection: Connection, isMoved: boolean): void {
  if (isMoved) leaveLog(connection);
  // At a path where another file may be, the journal of the change would be read into that file.
  else endLog(connection);
  connection.close();
}
