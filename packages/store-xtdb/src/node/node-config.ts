import { pathToFileURL } from "node:url";

/** Where a node keeps its transactions and documents. */
export type NodeStorage =
  | { readonly kind: "sqlite" }
  | {
      readonly kind: "postgres";
      /** As `jdbc:postgresql://127.0.0.1:5432/scm`. */
      readonly jdbcUrl: string;
      readonly user?: string;
      readonly password?: string;
    };

/** What stands in a node's configuration. */
export interface NodeConfig {
  readonly storage: NodeStorage;
  /** The file of SQLite. */
  readonly database: string;
  /** Folder of the index; undefined keeps it in memory, which tests may do. */
  readonly indexFolder: string | undefined;
  /** Leaves out the log that wakes the indexer, to measure what it is for. */
  readonly plainTxLog: boolean;
  readonly port: number;
  readonly instance: string;
  readonly runFile: string;
  readonly presenceFolder: string;
  readonly linger: number;
  readonly allowEvict: boolean;
}

/** The configuration of a node in EDN. JSON would lose the nested options of a database connection. */
export function nodeConfig(config: NodeConfig): string {
  const pool = ":connection-pool :xtdb.jdbc/connection-pool";
  const jdbcLog = `{:xtdb/module xtdb.jdbc/->tx-log ${pool}}`;
  const txLog = config.plainTxLog
    ? jdbcLog
    : `{:xtdb/module scm-node.tx-log/->tx-log :inner ${jdbcLog}}`;
  // Sizes are entries; XTDB's own would let documents fill the memory.
  return `{:xtdb.jdbc/connection-pool
 ${connectionPool(config)}
 :xtdb/tx-log ${txLog}
 :xtdb/document-store
 {:xtdb/module xtdb.jdbc/->document-store ${pool} :document-cache ${cache(256)}}
 :xtdb/index-store
 {${config.indexFolder === undefined ? "" : `:kv-store {:xtdb/module xtdb.rocksdb/->kv-store :db-dir ${edn(pathToFileURL(config.indexFolder).href)}}`}
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
  :presence {:folder ${edn(config.presenceFolder)} :linger-ms ${config.linger}}}}
`;
}

/**
 * With SQLite's defaults, writers that meet fail each other, and the indexer with them; so the journal is a WAL, a
 * writer takes its lock at once, and waits for it. FULL keeps what was answered when the power goes.
 */
const sqlitePragmas =
  "journal_mode=WAL&synchronous=FULL&transaction_mode=IMMEDIATE&busy_timeout=10000";

function connectionPool({ storage, database }: NodeConfig): string {
  if (storage.kind === "sqlite") {
    const url = `jdbc:sqlite:${database}?${sqlitePragmas}`;
    // Never 1: reading the log holds a connection while documents are read on another.
    return `{:dialect {:xtdb/module xtdb.jdbc.sqlite/->dialect} :pool-opts {:maximumPoolSize 6} :db-spec {:jdbcUrl ${edn(url)}}}`;
  }
  const user = storage.user === undefined ? "" : ` :username ${edn(storage.user)}`;
  const password = storage.password === undefined ? "" : ` :password ${edn(storage.password)}`;
  return `{:dialect {:xtdb/module xtdb.jdbc.psql/->dialect} :pool-opts {:maximumPoolSize 10${user}${password}} :db-spec {:jdbcUrl ${edn(storage.jdbcUrl)}}}`;
}

function cache(entries: number): string {
  return `{:xtdb/module xtdb.cache/->cache :cache-size ${entries}}`;
}

/** A string in EDN, which reads JSON's. */
function edn(text: string): string {
  return JSON.stringify(text);
}
