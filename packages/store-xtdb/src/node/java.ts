import { join } from "node:path";

import { NodeError } from "./node-error.ts";
import { lastLines, runProgram } from "./run-program.ts";

/** A Java that can run the node. */
export interface Java {
  readonly command: string;
  /** The major version, such as 17, 21 or 25. */
  readonly major: number;
  /** The name and version of the build. Compiled classes and their archive are stored separately for each build. */
  readonly build: string;
}

const oldestJava = 17;

const howToGetJava = `install a JDK or JRE of ${oldestJava} or newer (Debian, Ubuntu: apt install openjdk-17-jre-headless; macOS: brew install openjdk; Windows: winget install EclipseAdoptium.Temurin.21.JRE), or set JAVA_HOME`;

/** Finds Java: the given path, else `$JAVA_HOME`, else `PATH`. Rejects with `JAVA_MISSING` or `JAVA_TOO_OLD`. */
export async function findJava(given?: string, signal?: AbortSignal): Promise<Java> {
  const home = process.env["JAVA_HOME"];
  const command = given ?? (home === undefined || home === "" ? "java" : join(home, "bin", "java"));
  const outcome = await runProgram(command, ["-XshowSettings:properties", "-version"], { signal });
  if (outcome === undefined) {
    throw new NodeError(
      "JAVA_MISSING",
      `a local XTDB node needs Java, but there is no ${command}; ${howToGetJava}`,
    );
  }
  const property = (name: string): string =>
    new RegExp(`^\\s*${name.replaceAll(".", "\\.")} = (.*)$`, "mu")
      .exec(outcome.stderr)?.[1]
      ?.trim() ?? "";
  const major = Number(property("java.specification.version"));
  if (!(major >= oldestJava)) {
    const found = property("java.specification.version") || lastLines(outcome.stderr, 3);
    throw new NodeError(
      "JAVA_TOO_OLD",
      `a local XTDB node needs Java ${oldestJava} or newer, but ${command} is ${found}; ${howToGetJava}`,
    );
  }
  const build = `${property("java.vm.name")} ${property("java.vm.version")} ${property("os.arch")}`;
  return { command, major, build };
}

/** Finds Maven: the given path, else `PATH`. Rejects with `MAVEN_MISSING`. */
export async function findMaven(given?: string, signal?: AbortSignal): Promise<string> {
  const command = given ?? (process.platform === "win32" ? "mvn.cmd" : "mvn");
  const outcome = await runProgram(command, ["-version"], { signal });
  if (outcome?.code === 0) return command;
  throw new NodeError(
    "MAVEN_MISSING",
    `the libraries of XTDB are fetched once with Maven, but there is no ${command} that runs; install it (Debian, Ubuntu: apt install maven; macOS: brew install maven; Windows: winget install Apache.Maven)`,
  );
}
