// If OpenClaw or its inspector cannot be installed, or if the packages are not packed, the tests are skipped.
/* oxlint-disable vitest/no-disabled-tests, vitest/no-conditional-tests */
import { fieldsOf } from "@self-context-manager/core/host";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { describe, expect, it } from "vitest";

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { openGateway } from "../src/openclaw/gateway.ts";
import { installedInspector, openClawProblem } from "../src/openclaw/install-openclaw.ts";
import { type PlayedGateway, playedGateway } from "../src/openclaw/played-gateway.ts";
import { arePacked, checkout } from "../src/packed-packages.ts";
import { illegalities } from "../src/wire-rules.ts";

const run = promisify(execFile);

const problem = await openClawProblem();
const inspectorProblem = await installedInspector().then(
  () => undefined,
  (error: unknown) => String(error),
);
if (inspectorProblem !== undefined)
  console.warn(`The inspector of plugins cannot be installed: ${inspectorProblem}`);

const pluginFolder = join(checkout, "packages", "adapter-openclaw");
const tarball = join(pluginFolder, "pack", "package.tgz");

/** A new source needs the user's consent, and a plugin with tools needs it for them too. */
const consent = ["--force", "--accept-capabilities"];

/** Unpacks the tarball into a new folder, which disposal removes. */
async function unpacked(): Promise<AsyncDisposable & { readonly folder: string }> {
  const parent = await mkdtemp(join(tmpdir(), "scm-plugin-"));
  const folder = join(parent, "adapter-openclaw");
  await mkdir(folder);
  await run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await rm(parent, { recursive: true, force: true });
    },
  };
}

/** A gateway on the state that an installation made. No registry of packages is within its reach. */
async function installedGateway(...install: readonly string[]): Promise<PlayedGateway> {
  return await playedGateway({
    files: { "letter.txt": "Dear reader,\nall is well.\n" },
    install: [...install, ...consent],
    environment: {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      npm_config_registry: "http://127.0.0.1:9",
    },
  });
}

/** Returns what the installation has set, and what the model gets in a turn that reads a file. */
async function turnOf(played: PlayedGateway): Promise<object> {
  const { slots, entries } = fieldsOf(fieldsOf(await played.gateway.config())["plugins"]);
  const requests = await played.turn("look", [[["read", { path: "letter.txt" }]]]);
  const [first, second] = requests;
  const tools = first?.wire.tools.map(({ name }) => name) ?? [];
  return {
    slots,
    entry: fieldsOf(entries)["self-context-manager"],
    tools: tools.filter((name) => /^(?:un)?pin$|activate$|^find_objects$/u.test(name)),
    shown: second?.text.split("\n\n").at(-1),
    errors: [...requests.flatMap(({ wire }) => illegalities(wire)), ...played.failures],
    warnings: /^.*(?:self-context-manager: |degraded to "legacy").*$/mu.exec(played.gateway.log),
  };
}

const managedTurn = {
  slots: { contextEngine: "self-context-manager" },
  entry: { enabled: true },
  tools: ["activate", "deactivate", "find_objects", "pin", "unpin"],
  shown: "f1 letter.txt v1\n~~~\nDear reader,\nall is well.\n~~~",
  errors: [],
  warnings: null,
};

describe.skipIf(problem !== undefined || !arePacked())("the plugin in its package", () => {
  it("has its manifest and the licences of what it bundles, and installs nothing else", async () => {
    const { stdout } = await run("tar", ["-tzf", tarball]);
    await using plugin = await unpacked();
    const { stdout: manifest } = await run("cat", [join(plugin.folder, "package.json")]);

    const files = stdout.trim().split("\n");
    expect(files).toContain("package/openclaw.plugin.json");
    expect(files).toContain("package/dist/THIRD-PARTY-LICENSES.txt");
    expect(files).toContain("package/dist/plugin.js");
    expect(files.filter((file) => /node_modules|\.ts$|\.map$/u.test(file))).toEqual([]);
    expect(fieldsOf(JSON.parse(manifest))).not.toHaveProperty("dependencies");
  });

  // The two gateways start at the same time, because most of it is waiting.
  it.concurrent("is installed from the tarball by one command, without a registry, and manages the context", async () => {
    await using played = await installedGateway(`npm-pack:${tarball}`);

    expect(await turnOf(played)).toEqual(managedTurn);
  });

  // A second gateway, for the other way to install.
  if (runsEveryForm("adapter-openclaw"))
    it.concurrent("is linked by one command, manages the context, and has its settings checked", async () => {
      await using plugin = await unpacked();
      await using played = await installedGateway("--link", plugin.folder);

      expect(await turnOf(played)).toEqual(managedTurn);
      const setting = "plugins.entries.self-context-manager.config.alive";
      await expect(played.gateway.run("config", "set", setting, "0")).rejects.toThrow(
        `${setting}: invalid config: must be >= 1`,
      );
    });

  it("is not linked from a checkout, because OpenClaw refuses links to other folders", async () => {
    const linked = openGateway({ model: "", install: ["--link", pluginFolder, ...consent] });

    await expect(linked).rejects.toThrow("node_modules symlink target outside install root");
  });
});

it.skipIf(inspectorProblem !== undefined || !arePacked())(
  "OpenClaw's inspector finds nothing in the plugin that breaks",
  async () => {
    const inspector = join(await installedInspector(), "src", "cli.js");
    await using plugin = await unpacked();
    const check = ["check", "--no-openclaw", "--plugin-root", plugin.folder];

    const { stdout } = await run(process.execPath, [inspector, ...check], { cwd: plugin.folder });

    expect(stdout).toContain("Status: PASS");
    expect(stdout).toContain("Breakages: 0");
  },
);
