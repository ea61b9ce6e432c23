import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { freePort } from "./free-port.ts";

/** A Kafka broker of this run, on loopback. */
export interface KafkaBroker extends AsyncDisposable {
  readonly servers: string;
}

/** Formats and starts a single Kafka broker that is its own controller. */
export async function startBroker(folder: string, classPath: string): Promise<KafkaBroker> {
  mkdirSync(folder);
  const [port, controller] = [await freePort(), await freePort()];
  const servers = `127.0.0.1:${port}`;
  const file = join(folder, "server.properties");
  writeFileSync(file, properties(folder, servers, `127.0.0.1:${controller}`));
  const java = (program: string, ...args: readonly string[]): readonly string[] => [
    "-Xmx384m",
    "-cp",
    classPath,
    program,
    ...args,
  ];
  const cluster = randomBytes(16).toString("base64url");
  execFileSync("java", java("kafka.tools.StorageTool", "format", "-t", cluster, "-c", file), {
    stdio: "pipe",
  });
  const broker = spawn("java", java("kafka.Kafka", file), { stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  for await (const line of createInterface({ input: broker.stderr })) {
    said.push(line);
    if (line.includes("Kafka Server started")) break;
  }
  // The end of the loop closed the pipe's reader. Further output of the broker is discarded.
  broker.stderr.on("error", () => {});
  broker.stderr.resume();
  if (broker.exitCode !== null)
    throw new Error(`the broker did not start:\n${said.slice(-20).join("\n")}`);
  return {
    servers,
    async [Symbol.asyncDispose]() {
      broker.kill("SIGTERM");
      if (broker.exitCode === null && broker.signalCode === null) await once(broker, "close");
    },
  };
}

function properties(folder: string, servers: string, controller: string): string {
  return Object.entries({
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.quorum.voters": `1@${controller}`,
    "controller.listener.names": "CONTROLLER",
    listeners: `PLAINTEXT://${servers},CONTROLLER://${controller}`,
    "advertised.listeners": `PLAINTEXT://${servers}`,
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
    "log.dirs": join(folder, "log"),
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "auto.create.topics.enable": "false",
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
