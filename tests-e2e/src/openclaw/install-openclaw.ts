import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * The folders with the tested releases. Each has a manifest with one dependency, and a lockfile with the hash of each
 * package. After a change of a manifest, `pnpm install --lockfile-only --ignore-workspace --config.node-linker=hoisted`
 * in its folder writes the lockfile.
 */
const releases = join(import.meta.dirname, "releases");

/** The release that the tests and the demonstration run. `SCM_OPENCLAW` names another one, or `latest`. */
export const openClawVersion: string =
  process.env["SCM_OPENCLAW"] ?? testedVersion("openclaw", "openclaw");

/** The folder of the packages that are installed apart from the workspace. */
const apart = join(import.meta.dirname, "..", "..", "..", "node_modules", ".openclaw");

/** Returns the folder of OpenClaw's package. Rejects if it cannot be installed. */
export async function installedOpenClaw(): Promise<string> {
  return await installed("openclaw", "openclaw", openClawVersion);
}

/** Returns the folder of the package that checks plugins of OpenClaw. Rejects if it cannot be installed. */
export async function installedInspector(): Promise<string> {
  const name = "@openclaw/plugin-inspector";
  return await installed("plugin-inspector", name, testedVersion("plugin-inspector", name));
}

function testedVersion(release: string, name: string): string {
  const manifest: unknown = JSON.parse(
    readFileSync(join(releases, release, "package.json"), "utf8"),
  );
  return (manifest as { dependencies: Record<string, string> }).dependencies[name] ?? "";
}

/**
 * Returns the folder of a package. It is installed once in a folder of `node_modules` of the checkout, apart from the
 * workspace, because OpenClaw has 640 MB and only some tests need it. Another release than the tested one has no
 * lockfile, so its packages are not compared with hashes that were known before.
 */
async function installed(release: string, name: string, version: string): Promise<string> {
  const home = join(apart, release === name ? version : `${release}-${version}`);
  const folder = join(home, "node_modules", name);
  if (existsSync(folder)) return folder;
  // Two processes can install at the same time. The first one that is ready wins.
  const own = `${home}.${process.pid}`;
  try {
    if (version === testedVersion(release, name)) await installLocked(join(releases, release), own);
    else await add(`${name}@${version}`, own);
    await rename(own, home);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return folder;
}

/**
 * Installs the packages of a lockfile in a folder. Rejects if a package has another hash than the lockfile: the error
 * names the package and both hashes, and the folder is removed.
 */
export async function installLocked(
  locked: string,
  folder: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<void> {
  await mkdir(folder, { recursive: true });
  try {
    for (const file of ["package.json", "pnpm-lock.yaml"])
      await copyFile(join(locked, file), join(folder, file));
    await pnpm(["install", "--frozen-lockfile"], folder, environment);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Installs a package in a folder of its own. */
async function add(wanted: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Without a manifest, pnpm would change that of the workspace.
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  await pnpm(["add", wanted], folder, {});
}

/** Runs pnpm in a folder, apart from the workspace. It needs a third of the processor time that npm needs. */
async function pnpm(
  words: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  // OpenClaw looks for packages beside its own, as npm places them.
  const options = ["--ignore-workspace", "--ignore-scripts", "--config.node-linker=hoisted"];
  try {
    await promisify(execFile)("pnpm", [...words, ...options], {
      cwd: folder,
      env: { ...process.env, ...environment },
      maxBuffer: 1e8,
      shell: process.platform === "win32",
    });
  } catch (cause) {
    // pnpm prints its errors to standard output.
    const { stdout = "", stderr = "" } = cause as { stdout?: string; stderr?: string };
    throw new Error(`pnpm ${words.join(" ")} failed: ${stdout}${stderr}`, { cause });
  }
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
