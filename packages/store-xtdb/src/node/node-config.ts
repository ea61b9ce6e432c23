import { pathToFileURL } from "node:url";

/** The storage of a node's transactions and documents. */
export type NodeStorage =
  | { readonly kind: "sqlite" }
  | {
      readonly kind: "postgres";
      /** The address of the database, such as `jdbc:postgresql://127.0.0.1:5432/scm`. */
      readonly jdbcUrl: string;
      readonly user?: string;
      readonly password?: string;
    };

/** The values in a node's configuration. */
export interface NodeConfig {
  readonly storage: NodeStorage;
  /** The path of the SQLite file. */
  readonly database: string;
  /** The folder of the index; undefined keeps the index in memory, for tests. */
  readonly indexFolder: string | undefined;
  /** Whether the node uses XTDB's own log without the wake-up of the indexer, for measurements. */
  readonly plainTxLog: boolean;
  readonly port: number;
  readonly instance: string;
  readonly runFile: string;
  readonly tokenFile: string;
  readonly presenceFolder: string;
  readonly linger: number;
  readonly allowEvict: boolean;
}

/** Returns the configuration of a node in EDN. JSON would lose the nested options of a database connection. */
export function nodeConfig(config: NodeConfig): string {
  const isSqlite = config.storage.kind === "sqlite";
  const jdbcLog = "{:xtdb/module xtdb.jdbc/->tx-log :connection-pool :xtdb.jdbc/connection-pool}";
  const txLog = config.plainTxLog
    ? jdbcLog
    : `{:xtdb/module scm-node.tx-log/->tx-log :inner ${jdbcLog}}`;
  // Sizes are numbers of entries. With XTDB's defaults, documents could fill the memory.
  return `{:xtdb.jdbc/connection-pool
 ${connectionPool(config, "FULL")}${
   isSqlite
     ? `
 :scm-node/document-pool
 ${connectionPool(config, "NORMAL")}`
     : ""
 }
 :xtdb/tx-log ${txLog}
 :xtdb/document-store
 {:xtdb/module xtdb.jdbc/->document-store
  :connection-pool ${isSqlite ? ":scm-node/document-pool" : ":xtdb.jdbc/connection-pool"}
  :document-cache ${cache(256)}}
 :xtdb/index-store
 {${config.indexFolder === undefined ? "" : `:kv-store {:xtdb/module scm-node.index/->kv-store :db-dir ${edn(pathToFileURL(config.indexFolder).href)}}`}
  :cav-cache ${cache(8192)}
  :canonical-buffer-cache ${cache(8192)}
  :stats-kvs-cache ${cache(1024)}}
 :xtdb/query-engine {:fn-allow-list [] :entity-cache-size 4096}
 :scm-node.server/server
 {:xtdb/module scm-node.server/->server
  :host "127.0.0.1"
  :port ${config.port}
  :allow-evict? ${config.allowEvict}
  :instance ${edn(config.instance)}
  :run-file ${edn(config.runFile)}
  :token-file ${edn(config.tokenFile)}
  :presence {:folder ${edn(config.presenceFolder)} :linger-ms ${config.linger}}}}
`;
}

/**
 * With SQLite's defaults, concurrent writers make each other and the indexer fail. So the journal is a write-ahead log,
 * and a writer takes its lock at the start and waits for it. With FULL, acknowledged writes survive a power failure.
 *
 * XTDB commits the documents of a transaction first, and then the transaction, to the same file. The documents do not wait
 * for the disk: what was written before the transaction is synced with it, because the write-ahead log is in order.
 */
function sqlitePragmas(synchronous: "FULL" | "NORMAL"): string {
  return `journal_mode=WAL&synchronous=${synchronous}&transaction_mode=IMMEDIATE&busy_timeout=10000`;
}

function connectionPool({ storage, database }: NodeConfig, synchronous: "FULL" | "NORMAL"): string {
  const module = ":xtdb/module xtdb.jdbc/->connection-pool";
  if (storage.kind === "sqlite") {
    const url = `jdbc:sqlite:${database}?${sqlitePragmas(synchronous)}`;
    // At least 2: a read of the log holds one connection while another one is used.
    return `{${module} :dialect {:xtdb/module xtdb.jdbc.sqlite/->dialect} :pool-opts {:maximumPoolSize 6} :db-spec {:jdbcUrl ${edn(url)}}}`;
  }
  const user = storage.user === undefined ? "" : ` :username ${edn(storage.user)}`;
  const password = storage.password === undefined ? "" : ` :password ${edn(storage.password)}`;
  return `{${module} :dialect {:xtdb/module xtdb.jdbc.psql/->dialect} :pool-opts {:maximumPoolSize 10${user}${password}} :db-spec {:jdbcUrl ${edn(storage.jdbcUrl)}}}`;
}

function cache(entries: number): string {
  return `{:xtdb/module xtdb.cache/->cache :cache-size ${entries}}`;
}

/** Returns a string in EDN. EDN accepts the strings of JSON. */
function edn(text: string): string {
  return JSON.stringify(text);
}
