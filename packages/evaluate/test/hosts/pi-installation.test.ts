import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

import { piInstallation } from "../../src/hosts/pi-installation.ts";

interface MadePackage extends AsyncDisposable {
  readonly folder: string;
  readonly script: string;
}

async function openPackage(version: string, program = "pi"): Promise<MadePackage> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "scm-pi-")));
  await mkdir(join(folder, "dist"));
  const script = join(folder, "dist", "cli.js");
  await writeFile(script, "");
  await chmod(script, 0o755);
  const manifest = { name: "pi", version, bin: { [program]: "dist/cli.js" } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  return {
    folder,
    script,
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true }),
  };
}

test.each([
  ["0.73.1", false, false],
  ["0.77.0", false, true],
  ["0.80.3", false, true],
  ["0.80.4", true, true],
  ["1.0.0", true, true],
  ["1.5.2-beta.1", true, true],
])("a release %s settles: %s, and excludes tools: %s", async (version, settles, excludesTools) => {
  await using made = await openPackage(version);

  expect(piInstallation({ cli: made.folder })).toMatchObject({ version, settles, excludesTools });
});

test("the script and the folder of its package are the same installation", async () => {
  await using made = await openPackage("1.5.2");

  const [byFolder, byScript] = [made.folder, made.script].map((cli) => piInstallation({ cli }));

  expect(byFolder).toEqual(byScript);
  expect(byFolder?.command).toEqual([process.execPath, made.script]);
});

test("what is not Pi, or too old, is an error that names it", async () => {
  await using other = await openPackage("1.0.0", "other");
  await using old = await openPackage("0.70.0");

  expect(() => piInstallation({ cli: other.folder })).toThrow(/has no program pi/u);
  expect(() => piInstallation({ cli: other.script })).toThrow(/no package\.json of Pi belongs to/u);
  expect(() => piInstallation({ cli: old.folder })).toThrow(/is 0\.70\.0; install 0\.73\.1/u);
  expect(() => piInstallation({ cli: join(old.folder, "nothing") })).toThrow(
    /neither Pi's script/u,
  );
});
