import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The files in this package from which the node is built. */
export interface ModuleFiles {
  readonly folder: string;
  /** The version of XTDB. */
  readonly engine: string;
  /** A hash that changes with the libraries. */
  readonly librariesHash: string;
  /** A hash that changes with this package's Clojure sources. */
  readonly sourceHash: string;
  /** The SHA-256 of each library by its file name. */
  readonly jarHashes: ReadonlyMap<string, string>;
}

export async function moduleFiles(): Promise<ModuleFiles> {
  const folder = moduleFolder();
  const pom = await readFile(join(folder, "pom.xml"), "utf8");
  const jars = await readFile(join(folder, "jars.sha256"), "utf8");
  const engine = /<artifactId>xtdb-core<\/artifactId>\s*<version>([^<]+)</u.exec(pom)?.[1];
  if (engine === undefined)
    throw new TypeError("the node's pom.xml contains no version of xtdb-core");
  return {
    folder,
    engine,
    librariesHash: hashOf([pom, jars]),
    sourceHash: hashOf(await sources(folder)),
    jarHashes: new Map(
      jars
        .trim()
        .split("\n")
        .map((line) => {
          const [hash = "", name = ""] = line.split(/\s+/u);
          return [name, hash];
        }),
    ),
  };
}

/** Returns the folder `node` of this package. Its depth differs between the sources and the published package. */
function moduleFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "node", "pom.xml"))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new TypeError(
        "the folder `node` of this package is missing; install the package again",
      );
    folder = parent;
  }
  return join(folder, "node");
}

async function sources(folder: string): Promise<readonly string[]> {
  const found = await readdir(join(folder, "src"), { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  return await Promise.all(
    [join(folder, "build.clj"), ...files].map(
      async (file) => `${file.slice(folder.length)}\n${await readFile(file, "utf8")}`,
    ),
  );
}

/** Returns the beginning of a hash over texts, long enough to distinguish builds. */
export function hashOf(texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(`${text.length}\n${text}`);
  return hash.digest("hex").slice(0, 16);
}
