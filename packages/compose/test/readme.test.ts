import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("the README's code runs and prints what it says", async () => {
  const folder = fileURLToPath(new URL("..", import.meta.url));
  const readme = await readFile(join(folder, "README.md"), "utf8");
  const code = /```ts\n(.*?)```/su.exec(readme)?.[1] ?? "";
  const data = await mkdtemp(join(tmpdir(), "readme-"));

  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@self-context-manager/source", "--input-type=module-typescript", "--eval", code],
    { cwd: folder, env: { ...process.env, SCM_STORE: join(data, "store.sqlite") } },
  );
  await rm(data, { recursive: true });

  const told = [...code.matchAll(/\/\/ → (.*)\n/gu)].map(([, line]) => `${line}\n`);
  expect(told).toHaveLength(2);
  expect(stdout).toBe(told.join(""));
});
