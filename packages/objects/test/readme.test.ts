import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("the README's code runs and prints the output in its comments", async () => {
  const folder = fileURLToPath(new URL("..", import.meta.url));
  const readme = await readFile(join(folder, "README.md"), "utf8");
  const code = /```ts\n(.*?)```/su.exec(readme)?.[1] ?? "";

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@self-context-manager/source", "--input-type=module-typescript", "--eval", code],
    { cwd: folder },
  );

  const printed = [...code.matchAll(/\/\/ → (.*)\n/gu)].map(([, line]) => `${line}\n`);
  expect(printed).toHaveLength(2);
  expect(stdout).toBe(printed.join(""));
});
