import { execFileSync } from "node:child_process";

/** The text about the tools that this machine lacks for a real node; undefined if it has all. It is printed once. */
export const lacking: string | undefined = whatIsLacking();

/** Milliseconds for a setup that includes the first build of the node. */
export const buildTimeout = 170_000;

function whatIsLacking(): string | undefined {
  const lack = [
    major() >= 17 ? "" : "Java 17 or newer",
    runs("mvn", "-version") === undefined ? "Maven" : "",
  ].filter((tool) => tool !== "");
  if (lack.length === 0) return undefined;
  const problem = `this machine lacks ${lack.join(" and ")}`;
  console.warn(`SKIPPED: tests against a real XTDB node, because ${problem}`);
  return problem;
}

function major(): number {
  const said = runs("java", "--version") ?? "";
  return Number(/^\S+ (\d+)/u.exec(said)?.[1]);
}

function runs(command: string, argument: string): string | undefined {
  try {
    return execFileSync(command, [argument], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    // The program does not run.
    return undefined;
  }
}
