import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import type { RunningNode } from "./two-nodes.ts";

export interface KafkaNodeOptions {
  /** The folder for the index and for the documents that this node has read. */
  readonly folder: string;
  readonly classPath: string;
  readonly servers: string;
  readonly port: number;
}

/** The time limit for a start from source on a busy machine, including catching up. */
const startMilliseconds = 180_000;

/** Starts the local node's module on Kafka, from source. Waits until it has caught up. */
export async function startKafkaNode(options: KafkaNodeOptions): Promise<RunningNode> {
  const { folder, classPath, port } = options;
  mkdirSync(join(folder, "clients"), { recursive: true });
  // This file keeps the node running without a client.
  writeFileSync(join(folder, "clients", "keep"), "");
  const token = "the-token-of-the-nodes-on-kafka";
  writeFileSync(join(folder, "token"), token, { mode: 0o600 });
  const file = join(folder, "xtdb.edn");
  writeFileSync(file, kafkaConfig(options));
  const log = openSync(join(folder, "node.log"), "a");
  const node = spawn(
    "java",
    ["-Xmx384m", "-XX:+UseSerialGC", "-Duser.timezone=UTC", "-cp", classPath].concat([
      "clojure.main",
      "-m",
      "xtdb.main",
      "-f",
      file,
    ]),
    { stdio: ["ignore", log, log], env: { ...process.env, MALLOC_ARENA_MAX: "2" } },
  );
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + startMilliseconds;
  while (!(await hasCaughtUp(url, token))) {
    if (node.exitCode !== null || node.pid === undefined || Date.now() > deadline) {
      node.kill("SIGKILL");
      throw new Error(`the node did not start:\n${readFileSync(join(folder, "node.log"), "utf8")}`);
    }
    await delay(200);
  }
  return {
    url,
    token,
    pid: node.pid ?? 0,
    async stop() {
      node.kill("SIGTERM");
      if (node.exitCode === null && node.signalCode === null) await once(node, "close");
    },
  };
}

async function hasCaughtUp(url: string, token: string): Promise<boolean> {
  try {
    const { status } = await fetch(`${url}/_xtdb/sync?timeout=60000`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return status === 200;
  } catch {
    // The node does not listen yet.
    return false;
  }
}

function kafkaConfig({ folder, servers, port }: KafkaNodeOptions): string {
  const rocks = (name: string): string =>
    `{:xtdb/module xtdb.rocksdb/->kv-store :db-dir ${JSON.stringify(join(folder, name))}}`;
  return `{:kafka {:xtdb/module xtdb.kafka/->kafka-config :bootstrap-servers ${JSON.stringify(servers)}}
 :xtdb/tx-log {:xtdb/module xtdb.kafka/->tx-log
               :kafka-config :kafka
               :tx-topic-opts {:topic-name "scm-transactions" :replication-factor 1}}
 :xtdb/document-store {:xtdb/module xtdb.kafka/->document-store
                       :kafka-config :kafka
                       :doc-topic-opts {:topic-name "scm-documents" :replication-factor 1}
                       :local-document-store {:xtdb/module xtdb.kv.document-store/->document-store
                                              :kv-store ${rocks("documents")}}}
 :xtdb/index-store {:kv-store ${rocks("index")}}
 :xtdb/query-engine {:fn-allow-list []}
 :scm-node.server/server {:xtdb/module scm-node.server/->server
                          :host "127.0.0.1"
                          :port ${port}
                          :instance "by hand"
                          :token-file ${JSON.stringify(join(folder, "token"))}
                          :run-file ${JSON.stringify(join(folder, "node.json"))}
                          :presence {:folder ${JSON.stringify(join(folder, "clients"))} :linger-ms 5000}}}
`;
}
