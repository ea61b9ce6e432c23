import { messageOf } from "@self-context-manager/objects";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { hostError } from "./host-error.ts";
import { installedPackage } from "./installed-package.ts";

const adapterName = "@self-context-manager/adapter-pi";

/** The folder of the installed adapter for Pi, as `-e` takes it. */
export function adapterFolder(): string {
  const manifest = installedPackage(adapterName);
  if (manifest === undefined)
    throw hostError(
      `${adapterName} is not installed beside @self-context-manager/evaluate; run npm install ${adapterName}`,
    );
  return dirname(manifest);
}

const installMs = 300_000;

/**
 * Installs an extension into a folder with npm, without its install scripts and without its peers, because Pi gives an
 * extension its own packages. Returns the folder of the extension.
 */
export async function installedExtension(name: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const manifest = join(folder, "package.json");
  await writeFile(manifest, "{}");
  const command = ["install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"];
  try {
    await promisify(execFile)("npm", [...command, "--prefix", folder, "--", name], {
      cwd: folder,
      timeout: installMs,
    });
  } catch (error) {
    throw hostError(
      `npm cannot install the extension ${name}: ${messageOf(error).slice(-2_000)}; check its name and the registry`,
      error,
    );
  }
  const { dependencies }: { dependencies?: Readonly<Record<string, string>> } = JSON.parse(
    await readFile(manifest, "utf8"),
  );
  const [installed] = Object.keys(dependencies ?? {});
  if (installed === undefined) throw hostError(`npm installed nothing for the extension ${name}`);
  return join(folder, "node_modules", installed);
}
