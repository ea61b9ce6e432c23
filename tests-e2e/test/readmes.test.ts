import { stopNode } from "@self-context-manager/store-xtdb";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

import { missingForXtdb } from "../src/stores/xtdb-node.ts";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));
const here = fileURLToPath(new URL("../", import.meta.url));

/** The packages whose READMEs have code for Node alone; the others' are run by tests of their own. */
const names = ["core", "store-memory", "store-sqlite", "testkit"];
if (missingForXtdb() === undefined) names.push("store-xtdb");

describe.each(names)("the README of %s", { timeout: 120_000 }, (name) => {
  it("has code that runs and prints what it says", async () => {
    const readme = await readFile(join(packages, name, "README.md"), "utf8");
    const code = /```ts\n(.*?)```/su.exec(readme)?.[1] ?? "";
    const folder = await mkdtemp(join(here, "readme-"));
    const condition = "--conditions=@self-context-manager/source";

    const { stdout } = await promisify(execFile)(
      process.execPath,
      [condition, "--input-type=module-typescript", "--eval", code],
      { cwd: folder },
    );
    // The node of the XTDB store stays a moment when the last has left.
    await stopNode(join(folder, "xtdb"));
    await rm(folder, { recursive: true });

    const told = [...code.matchAll(/\/\/ → (.*)\n/gu)].map(([, line]) => `${line}\n`);
    expect(told.length).toBeGreaterThan(0);
    expect(stdout).toBe(told.join(""));
  });
});
