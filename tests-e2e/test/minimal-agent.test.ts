import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { arePacked, checkout, installPacked, manifestIn, placeIn } from "../src/packed-packages.ts";

const folder = mkdtempSync(join(tmpdir(), "scm-agent-"));

// A run of only this file may find no packed packages.
describe.skipIf(!arePacked())("the minimal agent, on the packages as packed", () => {
  beforeAll(() => {
    const example = join(checkout, "examples", "minimal-agent");
    for (const name of ["package.json", "src"])
      cpSync(join(example, name), join(folder, name), { recursive: true });
    installPacked(folder, Object.keys(manifestIn(example).dependencies ?? {}));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it("reads a file, sees its content, and deactivates it", () => {
    const run = spawnSync(process.execPath, ["src/index.ts"], { cwd: folder, encoding: "utf8" });

    expect(run.stderr).toBe("");
    expect(run.stdout.split("\n")).toEqual([
      "call 1, messages in view: 1",
      "ls",
      "call 2, messages in view: 3",
      expect.stringMatching(/^f1 package\.json: indexed, version 2; already in the pool; active/u),
      "call 3, messages in view: 5",
      "f1 package.json is inactive; its text stays for now; activate f1 restores it.",
      "call 4, messages in view: 7",
      "in view until its epoch ends",
      "",
    ]);
  });

  it("depends only on published versions", () => {
    const versions = ["compose", "core", "store-memory", "store-sqlite", "watcher"].flatMap(
      (name) => Object.values(manifestIn(placeIn(folder, name)).dependencies ?? {}),
    );

    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter((version) => !/^[\^~]?\d/u.test(version))).toEqual([]);
  });
});
