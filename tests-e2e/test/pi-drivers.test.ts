import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { openLoopbackModel } from "@self-context-manager/evaluate/loopback";
import { describe, expect, test } from "vitest";

import { piCommand } from "../src/pi-command.ts";
import { piPrint } from "../src/pi-print.ts";
import { piVersions } from "../src/pi-versions.ts";
import { openPiWorkspace } from "../src/pi-workspace.ts";

const passThrough = fileURLToPath(new URL("../src/pass-through-extension.ts", import.meta.url));

// The other tests on Pi need a driver that sends prompts, waits for their end and reports the session. This file tests
// what a driver reports of a process that fails.
describe.each(piVersions)("Pi $version", (pi) => {
  test("an error of the provider ends print mode with a failing exit code", async () => {
    await using model = await openLoopbackModel({
      script: [{ type: "error", status: 400, message: "no such luck" }],
    });
    await using workspace = await openPiWorkspace({ model });

    const exit = await piPrint({ pi, workspace, prompt: "anything" });

    expect(exit.exitCode).toBe(1);
    expect(exit.stderr).toContain("no such luck");
  });

  test("an extension that `pi install` has installed is loaded only with discovery", async () => {
    await using model = await openLoopbackModel({ script: () => ({ type: "text", text: "fine" }) });
    await using workspace = await openPiWorkspace({ model });
    const log = join(workspace.workFolder, "seen.log");
    const run = { pi, workspace, prompt: "hello", environment: { PASS_THROUGH_LOG: log } };

    const installed = await piCommand({ pi, workspace, arguments: ["install", passThrough] });
    await piPrint(run);
    const withoutDiscovery = existsSync(log);
    await piPrint({ ...run, discovery: true });

    expect(installed.exitCode).toBe(0);
    expect(withoutDiscovery).toBe(false);
    expect(await readFile(log, "utf8")).toContain("hello");
  });

  test("a process past its deadline is ended and reported", async () => {
    await using model = await openLoopbackModel({ script: [{ type: "hang", text: "" }] });
    await using workspace = await openPiWorkspace({ model });

    const run = piPrint({ pi, workspace, prompt: "think for ever", deadlineMs: 1_500 });

    await expect(run).rejects.toThrow(/did not end in 1500 ms/u);
  });
});
