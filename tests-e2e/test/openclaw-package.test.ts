// If the plugin is not packed, or if OpenClaw's inspector cannot be installed, the tests are skipped.
/* oxlint-disable vitest/no-disabled-tests */
import { fieldsOf } from "@self-context-manager/core/host";
import { describe, expect, it } from "vitest";

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { installedInspector } from "../src/openclaw/install-openclaw.ts";
import {
  pluginTarball,
  unpackedPlugin,
  unpackedProblem,
} from "../src/openclaw/installed-plugin.ts";

const run = promisify(execFile);

const inspectorProblem = await installedInspector().then(
  () => undefined,
  (error: unknown) => String(error),
);
if (inspectorProblem !== undefined)
  console.warn(`The inspector of plugins cannot be installed: ${inspectorProblem}`);

describe.skipIf(unpackedProblem() !== undefined)("the package of the OpenClaw plugin", () => {
  it("has its manifest and the licences of what it bundles, and installs nothing else", async () => {
    const { stdout } = await run("tar", ["-tzf", pluginTarball]);
    await using plugin = await unpackedPlugin();
    const manifest = await readFile(join(plugin.folder, "package.json"), "utf8");

    const files = stdout.trim().split("\n");
    expect(files).toContain("package/openclaw.plugin.json");
    expect(files).toContain("package/dist/THIRD-PARTY-LICENSES.txt");
    expect(files).toContain("package/dist/plugin.js");
    expect(files.filter((file) => /node_modules|\.ts$|\.map$/u.test(file))).toEqual([]);
    expect(fieldsOf(JSON.parse(manifest))).not.toHaveProperty("dependencies");
  });

  it.skipIf(inspectorProblem !== undefined)(
    "has nothing that OpenClaw's inspector calls broken",
    async () => {
      const inspector = join(await installedInspector(), "src", "cli.js");
      await using plugin = await unpackedPlugin();
      const check = ["check", "--no-openclaw", "--plugin-root", plugin.folder];

      const { stdout } = await run(process.execPath, [inspector, ...check], { cwd: plugin.folder });

      expect(stdout).toContain("Status: PASS");
      expect(stdout).toContain("Breakages: 0");
    },
  );
});
