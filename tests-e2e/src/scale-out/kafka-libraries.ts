import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
    broker: fetched(folder, "broker", ofBroker),
    node: `${join(nodeFolder, "src")}:${fetched(folder, "node", withKafka)}`,
  };
}

function fetched(parent: string, name: string, pom: string): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "pom.xml"), pom);
  const libraries = join(folder, "libraries");
  execFileSync(
    "mvn",
    ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${libraries}`],
    { cwd: folder, stdio: ["ignore", "inherit", "inherit"] },
  );
  checkJars(name, libraries);
  return join(libraries, "*");
}

/** Throws unless the libraries are, byte for byte, those of `kafka-jars.sha256`. */
function checkJars(name: string, folder: string): void {
  const list = readFileSync(join(import.meta.dirname, "kafka-jars.sha256"), "utf8");
  const expected = list.split("\n").filter((line) => line.includes(`  ${name}/`));
  const found = readdirSync(folder).map((jar) => {
    const hash = createHash("sha256").update(readFileSync(join(folder, jar)));
    return `${hash.digest("hex")}  ${name}/${jar}`;
  });
  const differing = [
    ...expected.filter((line) => !found.includes(line)).map((line) => `expected: ${line}`),
    ...found.filter((line) => !expected.includes(line)).map((line) => `found: ${line}`),
  ];
  if (differing.length === 0) return;
  rmSync(folder, { recursive: true });
  throw new Error(`Maven fetched other libraries than the pinned ones:\n${differing.join("\n")}`);
}

function dependency(group: string, artifact: string, version: string): string {
  return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
}
