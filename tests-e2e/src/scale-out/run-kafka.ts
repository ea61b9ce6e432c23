// Do two agents on two nodes of XTDB share objects through Kafka, and does a killed node catch up? Needs Java and
// Maven, which fetches a broker of 45 MB and XTDB 1.24.3; run it by hand:
//
//   npm run dev -- exec pnpm --filter @self-context-manager/tests-e2e scale-out-kafka
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { keepMeasured } from "../measured.ts";
import { freePort } from "./free-port.ts";
import { startBroker } from "./kafka-broker.ts";
import { engine, fetchKafkaLibraries } from "./kafka-libraries.ts";
import { startKafkaNode } from "./kafka-node.ts";
import { runTwoNodes } from "./two-nodes.ts";

const folder = await mkdtemp(join(tmpdir(), "scm-scale-out-"));
try {
  const libraries = fetchKafkaLibraries(join(folder, "libraries"));
  await using broker = await startBroker(join(folder, "broker"), libraries.broker);
  const { servers } = broker;
  const ports = new Map<string, number>();
  const results = await runTwoNodes(folder, async (name) => {
    const port = ports.get(name) ?? (await freePort());
    ports.set(name, port);
    const classPath = libraries.node;
    return await startKafkaNode({ folder: join(folder, name), classPath, servers, port });
  });
  keepMeasured("scale-out-kafka", {
    broker: "kafka_2.13 3.7.1, one broker",
    xtdb: `${engine}, nodes started from source`,
    ...results,
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
