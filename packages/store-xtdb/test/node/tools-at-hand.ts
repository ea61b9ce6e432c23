import { execFileSync } from "node:child_process";

/** What this machine lacks for a real node; undefined where it has all. Said once, loudly, where tests are skipped. */
export const lacking: string | undefined = whatIsLacking();

/** A cold build of the node included, within what a run of all tests may take longer for it. */
export const buildTimeout = 170_000;

function whatIsLacking(): string | undefined {
  const lack = [
    major() >= 17 ? "" : "Java 17 or newer",
    runs("mvn", "-version") === undefined ? "Maven" : "",
  ].filter((tool) => tool !== "");
  if (lack.length === 0) return undefined;
  const told = `this machine lacks ${lack.join(" and ")}`;
  console.warn(`SKIPPED: tests against a real XTDB node, because ${told}`);
  return told;
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
    // That it does not run is what is asked.
    return undefined;
  }
}
