import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

import { arePacked, checkout, installPacked, linkPackage } from "../src/packed-packages.ts";

// A run of only this file may find no packed packages.
it.skipIf(!arePacked())("the code of the README runs on the packages as packed", () => {
  const folder = mkdtempSync(join(tmpdir(), "scm-ai-sdk-"));
  installPacked(folder, ["@self-context-manager/adapter-ai-sdk", "@self-context-manager/compose"]);
  linkPackage(folder, "adapter-ai-sdk", "ai");
  const readme = readFileSync(join(checkout, "packages", "adapter-ai-sdk", "README.md"), "utf8");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "index.ts"), /```ts\n(.*?)```/su.exec(readme)?.[1] ?? "");

  const run = spawnSync(process.execPath, ["index.ts"], { cwd: folder, encoding: "utf8" });
  rmSync(folder, { recursive: true });

  expect(run.stderr).toBe("");
  expect(run.stdout).toBe("Hello.\nread,activate,deactivate,pin,unpin,find_objects\n");
});
