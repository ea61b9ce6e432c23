import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** The release that the tests and the demonstration run. */
export const openClawVersion = "2026.9.6";

/** The root of the checkout. */
const checkout = join(import.meta.dirname, "..", "..", "..");

/**
 * Returns the folder of the installed package. It is installed once in `node_modules` of the checkout, apart from the
 * workspace, because it has 640 MB and only some tests need it. Rejects if it cannot be installed.
 */
export async function installedOpenClaw(): Promise<string> {
  const home = join(checkout, "node_modules", ".openclaw", openClawVersion);
  const folder = join(home, "node_modules", "openclaw");
  if (existsSync(folder)) return folder;
  // Two processes can install at the same time. The first one that is ready wins.
  const own = `${home}.${process.pid}`;
  await mkdir(own, { recursive: true });
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await promisify(execFile)(
    "npm",
    ["install", ...options, "--prefix", own, `openclaw@${openClawVersion}`],
    { cwd: dirname(home), maxBuffer: 1e8, shell: process.platform === "win32" },
  );
  try {
    await rename(own, home);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Returns why the tests of OpenClaw cannot run; undefined if they can. It is printed once for each file of tests. */
export async function openClawProblem(): Promise<string | undefined> {
  try {
    await installedOpenClaw();
    return undefined;
  } catch (error) {
    const problem = `The tests of OpenClaw are skipped, because it cannot be installed: ${String(error)}`;
    console.warn(problem);
    return problem;
  }
}
