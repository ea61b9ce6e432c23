import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { installLocked } from "../src/openclaw/install-openclaw.ts";
import { archive, hashOf, registryOf, version } from "../src/small-registry.ts";

const pinned = archive({ "index.js": `// ${process.pid}\n` });
const changed = archive({ "index.js": `// ${process.pid}, changed\n` });

const lockfile = `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true
  excludeLinksFromLockfile: false

importers:

  .:
    dependencies:
      made:
        specifier: ${version}
        version: ${version}

packages:

  made@${version}:
    resolution: {integrity: ${hashOf(pinned)}}

snapshots:

  made@${version}: {}
`;

test("a package of OpenClaw with another hash than the lockfile is refused, and nothing is left", async () => {
  await using place = await temporaryFolder();
  const locked = join(place.folder, "locked");
  await mkdir(locked);
  const manifest = { private: true, dependencies: { made: version } };
  await writeFile(join(locked, "package.json"), JSON.stringify(manifest));
  await writeFile(join(locked, "pnpm-lock.yaml"), lockfile);
  const install = async (served: Buffer, name: string): Promise<unknown> => {
    await using registry = await registryOf(new Map([["made", served]]));
    const environment = {
      pnpm_config_registry: registry.url,
      pnpm_config_store_dir: join(place.folder, "store"),
      pnpm_config_cache_dir: join(place.folder, "cache"),
      pnpm_config_fetch_retries: "0",
    };
    return await installLocked(locked, join(place.folder, name), environment).catch(
      (reason: unknown) => reason,
    );
  };

  const refused = await install(changed, "refused");
  const taken = await install(pinned, "taken");

  // pnpm breaks the lines of its message.
  const message = String(refused).replaceAll(/\s+/gu, "");
  for (const part of [`made-${version}.tgz`, hashOf(pinned), hashOf(changed)])
    expect(message).toContain(part);
  expect(existsSync(join(place.folder, "refused"))).toBe(false);
  expect(taken).toBeUndefined();
  expect(existsSync(join(place.folder, "taken", "node_modules", "made", "index.js"))).toBe(true);
});

async function temporaryFolder(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "scm-download-"));
  return {
    folder,
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}
