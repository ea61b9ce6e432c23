import { sha256 } from "@self-context-manager/objects";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Returns the version of the context manager. In a checkout, in which all packages have the version of the last release,
 * the commit follows, and a hash of the changes that are not committed.
 */
export async function ownVersion(): Promise<string> {
  const manifest = findPackageJSON("..", import.meta.url);
  if (manifest === undefined) return "unknown";
  const { version = "unknown" }: { readonly version?: string } = JSON.parse(
    await readFile(manifest, "utf8"),
  );
  const folder = dirname(manifest);
  // In a package folder of someone else's repository the version alone counts.
  if (folder.includes("node_modules")) return version;
  try {
    const { stdout: commit } = await run("git", ["-C", folder, "rev-parse", "HEAD"]);
    const { stdout: changes } = await run("git", ["-C", folder, "diff", "HEAD", "--", ".."], {
      maxBuffer: 256 * 1024 * 1024,
    });
    const changed = changes === "" ? "" : `.${sha256(changes).slice(0, 12)}`;
    return `${version}+${commit.trim().slice(0, 12)}${changed}`;
  } catch {
    // A checkout without git, such as an archive.
    return version;
  }
}
