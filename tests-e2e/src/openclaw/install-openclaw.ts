import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/** The release that the tests and the demonstration run. `SCM_OPENCLAW` names another one, or `latest`. */
export const openClawVersion: string = process.env["SCM_OPENCLAW"] ?? "2026.9.6";

/** The release of OpenClaw's checks of a plugin. */
const inspectorVersion = "0.3.20";

/** The folder of the packages that are installed apart from the workspace. */
const apart = join(import.meta.dirname, "..", "..", "..", "node_modules", ".openclaw");

/** Returns the folder of OpenClaw's package. Rejects if it cannot be installed. */
export async function installedOpenClaw(): Promise<string> {
  return await installed(openClawVersion, "openclaw", openClawVersion);
}

/** Returns the folder of the package that checks plugins of OpenClaw. Rejects if it cannot be installed. */
export async function installedInspector(): Promise<string> {
  const home = `plugin-inspector-${inspectorVersion}`;
  return await installed(home, "@openclaw/plugin-inspector", inspectorVersion);
}

/**
 * Returns the folder of a package. It is installed once in a folder of `node_modules` of the checkout, apart from the
 * workspace, because OpenClaw has 640 MB and only some tests need it.
 */
async function installed(folderName: string, name: string, version: string): Promise<string> {
  const home = join(apart, folderName);
  const folder = join(home, "node_modules", name);
  if (existsSync(folder)) return folder;
  // Two processes can install at the same time. The first one that is ready wins.
  const own = `${home}.${process.pid}`;
  try {
    await add(`${name}@${version}`, own);
    await rename(own, home);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return folder;
}

/** Installs a package in a folder of its own. pnpm needs a third of the processor time that npm needs. */
async function add(wanted: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Without a manifest, pnpm would change that of the workspace.
  await writeFile(join(folder, "package.json"), '{ "private": true }\n');
  // OpenClaw looks for packages beside its own, as npm places them.
  const options = ["--ignore-workspace", "--ignore-scripts", "--config.node-linker=hoisted"];
  await promisify(execFile)("pnpm", ["add", ...options, wanted], {
    cwd: folder,
    maxBuffer: 1e8,
    shell: process.platform === "win32",
  });
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
