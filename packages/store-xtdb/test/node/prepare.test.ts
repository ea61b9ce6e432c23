import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

import { prepareNode } from "../../src/node/index.ts";
import { findJava, findMaven } from "../../src/node/java.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { buildTimeout, lacking } from "./tools-at-hand.ts";

test("a missing Java is reported with the packages to install", async () => {
  await expect(findJava("/nowhere/java")).rejects.toMatchObject({
    code: "JAVA_MISSING",
    message: expect.stringMatching(/there is no \/nowhere\/java; install .*apt install openjdk/u),
  });
});

test.skipIf(process.platform === "win32")("an old Java is reported with its version", async () => {
  await using folder = await temporaryFolder();
  const java = await script(folder.path, "java", `echo "  java.specification.version = 11" >&2`);

  await expect(findJava(java)).rejects.toMatchObject({
    code: "JAVA_TOO_OLD",
    message: expect.stringContaining(`${java} is 11`),
  });
});

test("a missing Maven is reported with the packages to install", async () => {
  await expect(findMaven("/nowhere/mvn")).rejects.toMatchObject({
    code: "MAVEN_MISSING",
    message: expect.stringMatching(/there is no \/nowhere\/mvn that runs; install it/u),
  });
});

describe.skipIf(lacking !== undefined || process.platform === "win32")("building the node", () => {
  let libraries = "";

  beforeAll(async () => {
    const { classPath } = await prepareNode();
    libraries = dirname(classPath.split(delimiter)[1] ?? "");
  }, buildTimeout);

  test("two builds at the same time fetch and compile once and return the same files", async () => {
    await using folder = await temporaryFolder();
    const options = await fakes(
      folder.path,
      `(ln "${libraries}"/*.jar "$OUT" 2>/dev/null || cp "${libraries}"/*.jar "$OUT")`,
    );

    const both = await Promise.all([prepareNode(options), prepareNode(options)]);

    const [first, second] = both;
    expect(first).toEqual(second);
    expect(await calls(folder.path)).toEqual(["fetch", "compile", "train"]);
    expect(await readdir(options.cacheFolder)).toEqual([
      expect.stringMatching(/^libraries-/u),
      "lock.sqlite",
      expect.stringMatching(/^node-/u),
    ]);
  });

  test("a failed build leaves no files and can be repeated", async () => {
    await using folder = await temporaryFolder();
    const failing = await fakes(folder.path, "echo 'no route to host' >&2; exit 1");
    const failed = prepareNode(failing);
    await expect(failed).rejects.toMatchObject({
      code: "BUILD_FAILED",
      message: expect.stringContaining("no route to host"),
    });
    const left = await readdir(failing.cacheFolder);

    const working = await fakes(
      folder.path,
      `(ln "${libraries}"/*.jar "$OUT" 2>/dev/null || cp "${libraries}"/*.jar "$OUT")`,
    );
    const prepared = await prepareNode(working);

    expect(left).toEqual(["lock.sqlite"]);
    expect(prepared.engine).toBe("1.24.5");
  });

  test("libraries other than the pinned ones are refused", async () => {
    await using folder = await temporaryFolder();
    const options = await fakes(
      folder.path,
      `(ln "${libraries}"/*.jar "$OUT" 2>/dev/null || cp "${libraries}"/*.jar "$OUT"); rm "$OUT"/agrona-*.jar "$OUT"/snappy-*.jar; echo x > "$OUT/agrona-1.16.0.jar"`,
    );

    await expect(prepareNode(options)).rejects.toMatchObject({
      code: "BUILD_FAILED",
      message: expect.stringMatching(
        /missing: snappy-[\d.]+jar; not the tested ones: agrona-1\.16\.0\.jar \(SHA-256 expected: [\da-f]{64}, found: 73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac\)/u,
      ),
    });
  });
});

/** Creates a Java and a Maven that record their calls. Maven fetches with the given shell command, which uses $OUT. */
async function fakes(
  folder: string,
  fetch: string,
): Promise<{ readonly java: string; readonly maven: string; readonly cacheFolder: string }> {
  const note = (what: string): string => `echo ${what} >> "${join(folder, "calls")}"`;
  const cacheFolder = join(folder, "cache");
  await mkdir(cacheFolder, { recursive: true });
  return {
    cacheFolder,
    java: await script(
      folder,
      "java",
      `case "$*" in
      *-version) echo "  java.specification.version = 17" >&2 ;;
      *build.clj*) ${note("compile")}; for last; do :; done; echo jar > "$last" ;;
      *) ${note("train")}; exit 1 ;;
      esac`,
    ),
    maven: await script(
      folder,
      "mvn",
      `case "$*" in
      -version) ;;
      *) ${note("fetch")}; for last; do :; done; OUT="\${last#-DoutputDirectory=}"; ${fetch} ;;
      esac`,
    ),
  };
}

async function script(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}

async function calls(folder: string): Promise<readonly string[]> {
  return (await readFile(join(folder, "calls"), "utf8")).trim().split("\n");
}
