import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

import { jsonLines, temporaryFolder } from "./recorded-files.ts";

test("the README's code runs and prints what it says", async () => {
  const own = fileURLToPath(new URL("..", import.meta.url));
  const readme = await readFile(join(own, "README.md"), "utf8");
  const code = /```ts\n(.*?)```/su.exec(readme)?.[1] ?? "";
  await using folder = await temporaryFolder();
  const { path } = folder;
  await mkdir(join(path, "recorded"));
  await mkdir(join(path, "node_modules", "@self-context-manager"), { recursive: true });
  await symlink(own, join(path, "node_modules", "@self-context-manager", "replay"));
  await writeFile(
    join(path, "recorded", "one.jsonl"),
    jsonLines([
      { role: "user", content: "go" },
      { role: "assistant", content: "going" },
      { role: "assistant", content: "gone" },
    ]),
  );

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@self-context-manager/source", "--input-type=module-typescript", "--eval", code],
    { cwd: path },
  );

  const told = [...code.matchAll(/\/\/ → (.*)\n/gu)].map(([, line]) => `${line}\n`);
  expect(told).toHaveLength(1);
  expect(stdout).toBe(told.join(""));
});
