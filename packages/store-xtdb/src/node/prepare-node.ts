import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { trainArchive } from "./archive.ts";
import type { Artefacts } from "./artefacts.ts";
import { cacheFolder } from "./cache-folder.ts";
import { withFolderLock } from "./folder-lock.ts";
import { findJava, findMaven, type Java } from "./java.ts";
import { hashOf, type ModuleFiles, moduleFiles } from "./module-files.ts";
import { NodeError } from "./node-error.ts";
import { lastLines, runProgram } from "./run-program.ts";

/** The options for building a node. */
export interface PrepareOptions {
  /** The folder for the built node. Default: the user's folder for caches. */
  readonly cacheFolder?: string | undefined;
  /** The `java` to use. Default: `$JAVA_HOME`, else `PATH`. */
  readonly java?: string | undefined;
  /** The `mvn` to use. Default: `PATH`. */
  readonly maven?: string | undefined;
  /** Receives one line before each long step. Default: nothing is reported. */
  readonly progress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Longest time for a build: the first one fetches 77 MB, perhaps over a slow line, and compiles for half a minute. */
const buildMilliseconds = 900_000;

/**
 * Finds the built node in the cache, or builds it: Maven fetches the libraries, the classes are compiled ahead of time,
 * and an archive of classes is made. Each step fills a temporary folder and then renames it, so that its result is either
 * complete or absent. Rejects with `JAVA_MISSING`, `JAVA_TOO_OLD`, `MAVEN_MISSING` or `BUILD_FAILED`.
 */
export async function prepareNode(options: PrepareOptions = {}): Promise<Artefacts> {
  const java = await findJava(options.java, options.signal);
  const files = await moduleFiles();
  const cache = options.cacheFolder ?? cacheFolder();
  const libraries = join(cache, `libraries-${files.librariesHash}`);
  const classes = join(
    cache,
    `node-${hashOf([files.librariesHash, files.sourceHash, java.build])}`,
  );
  const archive = join(classes, "classes.jsa");
  const built = async (): Promise<Artefacts> => ({
    java,
    engine: files.engine,
    classPath: await classPathOf(classes, libraries),
    archive: existsSync(archive) ? archive : undefined,
  });
  const isWhole = (): boolean =>
    existsSync(libraries) && existsSync(classes) && existsSync(join(classes, "trained"));
  if (isWhole()) return await built();
  const lock = { wait: buildMilliseconds, signal: options.signal };
  return await withFolderLock(cache, lock, async () => {
    if (!existsSync(libraries)) await fetchLibraries(files, cache, libraries, options);
    if (!existsSync(classes)) await compile(files, { java, cache, libraries, classes }, options);
    if (!existsSync(join(classes, "trained"))) {
      options.progress?.("Making the archive of XTDB's classes, once");
      await trainArchive(await built(), classes, options.signal);
    }
    return await built();
  });
}

async function fetchLibraries(
  files: ModuleFiles,
  cache: string,
  libraries: string,
  { maven: given, progress, signal }: PrepareOptions,
): Promise<void> {
  const maven = await findMaven(given, signal);
  progress?.("Fetching XTDB's libraries with Maven, about 77 MB, once");
  await inPlace(cache, libraries, async (folder) => {
    const pom = await mkdtemp(join(cache, "pom-"));
    try {
      await copyFile(join(files.folder, "pom.xml"), join(pom, "pom.xml"));
      const outcome = await runProgram(
        maven,
        ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${folder}`],
        { folder: pom, signal },
      );
      if (outcome?.code !== 0) {
        const said = lastLines(`${outcome?.stdout}${outcome?.stderr}`);
        throw new NodeError(
          "BUILD_FAILED",
          `Maven could not fetch the libraries of XTDB; check that it reaches its repository (mvn -version, ~/.m2/settings.xml) and try again. Its output:\n${said}`,
        );
      }
    } finally {
      await rm(pom, { recursive: true, force: true });
    }
    await checkJars(folder, files.jarHashes);
  });
}

/** Throws unless the libraries are, byte for byte, those with which the node was tested. */
async function checkJars(folder: string, hashes: ReadonlyMap<string, string>): Promise<void> {
  const found = await readdir(folder);
  const missing = [...hashes.keys()].filter((name) => !found.includes(name));
  const foreign: string[] = [];
  for (const name of found) {
    const hash = createHash("sha256")
      .update(await readFile(join(folder, name)))
      .digest("hex");
    const expected = hashes.get(name);
    if (hash === expected) continue;
    foreign.push(`${name} (SHA-256 expected: ${expected ?? "no such file"}, found: ${hash})`);
  }
  if (missing.length === 0 && foreign.length === 0) return;
  const problems = [
    missing.length === 0 ? "" : `missing: ${missing.join(", ")}`,
    foreign.length === 0 ? "" : `not the tested ones: ${foreign.join(", ")}`,
  ];
  throw new NodeError(
    "BUILD_FAILED",
    `the libraries that Maven fetched are not the pinned ones of XTDB (${problems.filter((text) => text !== "").join("; ")}); delete them from Maven's local repository and try again`,
  );
}

async function compile(
  files: ModuleFiles,
  at: {
    readonly java: Java;
    readonly cache: string;
    readonly libraries: string;
    readonly classes: string;
  },
  { progress, signal }: PrepareOptions,
): Promise<void> {
  progress?.("Compiling XTDB ahead of time, about half a minute, once");
  await inPlace(at.cache, at.classes, async (folder) => {
    const compiled = join(folder, "classes");
    await mkdir(compiled);
    const classPath = [compiled, join(files.folder, "src"), ...(await jarsOf(at.libraries))];
    const outcome = await runProgram(
      at.java.command,
      [
        "-Xmx1g",
        "-cp",
        classPath.join(delimiter),
        "clojure.main",
        join(files.folder, "build.clj"),
        compiled,
        join(folder, "node.jar"),
      ],
      { folder, signal },
    );
    if (outcome?.code !== 0) {
      throw new NodeError(
        "BUILD_FAILED",
        `XTDB could not be compiled with ${at.java.command}; correct the problem in its output and try again:\n${lastLines(`${outcome?.stdout}${outcome?.stderr}`)}`,
      );
    }
    await rm(compiled, { recursive: true });
  });
}

/** Fills a temporary folder and renames it to its target. A target that another process made in the meantime is kept. */
async function inPlace(
  cache: string,
  target: string,
  fill: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(cache, "partial-"));
  try {
    await fill(folder);
    await rename(folder, target);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}

/** Returns the class path. It lists each file in a fixed order, because an archive is valid for one class path only. */
async function classPathOf(classes: string, libraries: string): Promise<string> {
  return [join(classes, "node.jar"), ...(await jarsOf(libraries))].join(delimiter);
}

async function jarsOf(libraries: string): Promise<readonly string[]> {
  return (await readdir(libraries)).toSorted().map((name) => join(libraries, name));
}
