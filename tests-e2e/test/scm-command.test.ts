import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const bin = join(import.meta.dirname, "..", "..", "packages", "cli", "bin", "scm.mjs");

test("the built command answers --help", () => {
  const run = spawnSync(process.execPath, [bin, "--help"], { encoding: "utf8" });

  expect(run.stderr).toBe("");
  expect(run.stdout).toMatch(/^Usage: scm /);
  expect(run.status).toBe(0);
});

test("the built command returns the exit code", () => {
  expect(spawnSync(process.execPath, [bin, "--frobnicate"]).status).toBe(2);
});
