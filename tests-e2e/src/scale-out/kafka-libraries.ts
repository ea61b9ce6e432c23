import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The sources of the local node. */
export const nodeFolder: string = fileURLToPath(
  new URL("../../../packages/store-xtdb/node/", import.meta.url),
);

/**
 * The last version for which XTDB's Kafka modules were published. They run only with the same version of XTDB's core.
 */
export const engine = "1.24.3";

const broker = "3.7.1";

export interface KafkaLibraries {
  /** Class paths. */
  readonly broker: string;
  readonly node: string;
}

/**
 * Fetches with Maven the libraries of a Kafka broker, and those of the local node in the version that Kafka needs.
 */
export function fetchKafkaLibraries(folder: string): KafkaLibraries {
  const pom = readFileSync(join(nodeFolder, "pom.xml"), "utf8");
  const start = pom.indexOf("<dependencies>");
  const end = pom.indexOf("</dependencies>");
  const withKafka = pom
    .replaceAll("<version>1.24.5</version>", `<version>${engine}</version>`)
    .replace("<dependencies>", `<dependencies>${dependency("com.xtdb", "xtdb-kafka", engine)}`);
  const ofBroker =
    pom.slice(0, start) +
    `<dependencies>${dependency("org.apache.kafka", "kafka_2.13", broker)}` +
    dependency("org.slf4j", "slf4j-simple", "1.7.36") +
    pom.slice(end);
  return {
    broker: fetched(join(folder, "broker"), ofBroker),
    node: `${join(nodeFolder, "src")}:${fetched(join(folder, "node"), withKafka)}`,
  };
}

function fetched(folder: string, pom: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "pom.xml"), pom);
  const libraries = join(folder, "libraries");
  execFileSync(
    "mvn",
    ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${libraries}`],
    { cwd: folder, stdio: ["ignore", "inherit", "inherit"] },
  );
  return join(libraries, "*");
}

function dependency(group: string, artifact: string, version: string): string {
  return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
}
