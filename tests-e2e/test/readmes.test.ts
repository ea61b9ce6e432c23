import { runsEveryForm } from "@self-context-manager/store-contract";
import { stopNode } from "@self-context-manager/store-xtdb";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

import { missingForXtdb } from "../src/stores/xtdb-node.ts";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));
const here = fileURLToPath(new URL("../", import.meta.url));

/** The packages whose READMEs contain code. The README of `cli` contains commands, which its own test runs. */
const names = [
  "adapter-ai-sdk",
  "objects",
  "links",
  "tracker",
  "core",
  "store-memory",
  "store-contract",
  "store-sqlite",
  "testkit",
  "watcher",
  "compose",
  "documents",
  "evaluate",
  "replay",
  "search",
];
// Its code starts a node of its own.
if (runsEveryForm("store-xtdb") && missingForXtdb() === undefined) names.push("store-xtdb");

/** The files that the code of some READMEs reads. */
const files: Readonly<Record<string, string>> = {
  "package.json": "{}\n",
  "recorded/one.jsonl": ["user", "assistant", "assistant"]
    .map((role) => `${JSON.stringify({ role, content: "go" })}\n`)
    .join(""),
};

describe.each(names)("the README of %s", (name) => {
  it("has code that runs and prints the documented output", async () => {
    const readme = await readFile(join(packages, name, "README.md"), "utf8");
    const code = /```ts\n(.*?)```/su.exec(readme)?.[1] ?? "";
    const folder = await mkdtemp(join(here, "readme-"));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const condition = "--conditions=@self-context-manager/source";

    const { stdout } = await promisify(execFile)(
      process.execPath,
      [condition, "--input-type=module-typescript", "--eval", code],
      { cwd: folder, env: { ...process.env, SCM_STORE: join(folder, "store.sqlite") } },
    );
    // The node of the XTDB store continues for a moment after its last client has gone.
    await stopNode(join(folder, "xtdb"));
    await rm(folder, { recursive: true });

    const expected = [...code.matchAll(/\/\/ → (.*)\n/gu)].map(([, line]) => `${line}\n`);
    expect(expected.length).toBeGreaterThan(0);
    expect(stdout).toBe(expected.join(""));
  });
});
