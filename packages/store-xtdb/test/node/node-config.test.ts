import { expect, test } from "vitest";

import { nodeConfig, type NodeConfig } from "../../src/node/node-config.ts";

const usual: NodeConfig = {
  storage: { kind: "sqlite" },
  database: "/data/golden.db",
  indexFolder: "/data/index",
  plainTxLog: false,
  port: 0,
  instance: "one",
  runFile: "/data/node.json",
  tokenFile: "/data/token",
  presenceFolder: "/data/clients",
  linger: 5000,
  allowEvict: false,
};

test("the node listens on this machine only and does not let queries call functions", () => {
  const text = nodeConfig(usual);

  expect(text).toContain(`:host "127.0.0.1"`);
  expect(text).toContain(":fn-allow-list []");
  expect(text).toContain(":allow-evict? false");
});

test("SQLite uses a write-ahead log, syncs to the disk and takes the write lock at the start", () => {
  expect(nodeConfig(usual)).toContain(
    `"jdbc:sqlite:/data/golden.db?journal_mode=WAL&synchronous=FULL&transaction_mode=IMMEDIATE&busy_timeout=10000"`,
  );
});

test("the documents of a transaction are written to the same file and synced with the transaction", () => {
  const text = nodeConfig(usual).replaceAll(/\s+/gu, " ");

  expect(text).toMatch(
    /:xtdb\.jdbc\/connection-pool \{[^\n]*?golden\.db\?journal_mode=WAL&synchronous=FULL&/u,
  );
  expect(text).toMatch(
    /:scm-node\/document-pool \{[^\n]*?golden\.db\?journal_mode=WAL&synchronous=NORMAL&transaction_mode=IMMEDIATE&/u,
  );
  expect(text).toContain("->tx-log :connection-pool :xtdb.jdbc/connection-pool");
  expect(text).toContain("->document-store :connection-pool :scm-node/document-pool");
});

test("PostgreSQL gets the user and the password separately from the address", () => {
  const text = nodeConfig({
    ...usual,
    storage: {
      kind: "postgres",
      jdbcUrl: "jdbc:postgresql://127.0.0.1/scm",
      user: "scm",
      password: `a"\\b`,
    },
  });

  expect(text).toContain("xtdb.jdbc.psql/->dialect");
  expect(text).toContain(String.raw`:username "scm" :password "a\"\\b"`);
  expect(text).toContain(`{:jdbcUrl "jdbc:postgresql://127.0.0.1/scm"}`);
  expect(text).not.toContain("sqlite");
  expect(text).not.toContain("document-pool");
});

test("a folder with spaces and quotes is written as a file URL", () => {
  expect(nodeConfig({ ...usual, indexFolder: `/a b/"c"` })).toContain(
    `:db-dir "file:///a%20b/%22c%22"`,
  );
});

test("the index is in memory without a folder, and XTDB's own log is used if configured", () => {
  const text = nodeConfig({ ...usual, indexFolder: undefined, plainTxLog: true });

  expect(text).not.toContain("scm-node.index");
  expect(text).not.toContain("scm-node.tx-log");
});
