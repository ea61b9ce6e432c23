import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));
const here = fileURLToPath(new URL("../", import.meta.url));

/** The packages whose READMEs have code for Node alone; the others' are run by tests of their own. */
describe.each(["core", "store-memory", "store-sqlite", "testkit"])("the README of %s", (name) => {
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
    await rm(folder, { recursive: true });

    const told = [...code.matchAll(/\/\/ → (.*)\n/gu)].map(([, line]) => `${line}\n`);
    expect(told.length).toBeGreaterThan(0);
    expect(stdout).toBe(told.join(""));
  });
});
