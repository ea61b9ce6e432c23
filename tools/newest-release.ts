import { execFileSync } from "node:child_process";
import { everyPiVersion, type PiVersion } from "../tests-e2e/src/pi-versions.ts";

const name = "@earendil-works/pi-coding-agent";

/**
 * Compares the newest release of Pi in the registry with the tested ones. Returns what is wrong, as a sentence; undefined
 * if the newest one is tested. A release that is older than the newest tested one counts as tested: a registry can be
 * behind.
 */
export function untestedRelease(
  newest: string,
  tested: readonly Pick<PiVersion, "version">[],
): string | undefined {
  const numbers = numbersOf(newest);
  if (numbers === undefined) return `${JSON.stringify(newest)} is no version of ${name}`;
  const isTested = tested.some(({ version }) => !isNewer(numbers, numbersOf(version) ?? []));
  if (isTested) return undefined;
  const versions = tested.map(({ version }) => version).join(", ");
  return `${name} ${newest} is not tested; the tested releases in tests-e2e/src/pi-versions.ts are ${versions}`;
}

/** Returns the numbers of a release; undefined for any other text. */
function numbersOf(version: string): readonly number[] | undefined {
  const found = /^(\d+)\.(\d+)\.(\d+)$/u.exec(version);
  return found?.slice(1).map(Number);
}

function isNewer(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at !== -1 && (one[at] ?? 0) > (other[at] ?? -1);
}

if (import.meta.main) {
  const newest = execFileSync("npm", ["view", name, "version"], { encoding: "utf8" }).trim();
  const problem = untestedRelease(newest, everyPiVersion);
  if (problem !== undefined) {
    console.error(problem);
    process.exitCode = 1;
  } else console.log(`${name} ${newest} is tested`);
}
