// If OpenClaw cannot be installed, or if the plugin is not packed, the tests are skipped.
/* oxlint-disable vitest/no-disabled-tests */
import { describe, expect, it } from "vitest";

import { openGateway } from "../src/openclaw/gateway.ts";
import { openClawProblem } from "../src/openclaw/install-openclaw.ts";
import { pluginFolder } from "../src/openclaw/gateway-config.ts";
import {
  consent,
  installedGateway,
  letterTurn,
  managedLetterTurn,
  unpackedPlugin,
  unpackedProblem,
} from "../src/openclaw/installed-plugin.ts";

const problem = unpackedProblem() ?? (await openClawProblem());

describe.skipIf(problem !== undefined)("the OpenClaw plugin, linked", () => {
  it("is linked by one command, manages the context, and has its settings checked", async () => {
    await using plugin = await unpackedPlugin();
    await using played = await installedGateway(["--link", plugin.folder]);

    expect(await letterTurn(played)).toEqual(managedLetterTurn);
    const setting = "plugins.entries.self-context-manager.config.alive";
    await expect(played.gateway.run("config", "set", setting, "0")).rejects.toThrow(
      `${setting}: invalid config: must be >= 1`,
    );
  });

  it("is not linked from a checkout, because OpenClaw refuses links to other folders", async () => {
    const model = "http://127.0.0.1:9/v1";
    const linked = openGateway({ model, install: ["--link", pluginFolder, ...consent] });

    await expect(linked).rejects.toThrow("node_modules symlink target outside install root");
  });
});
