import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = `
import { openContextManager } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
await using manager = await openContextManager({ store: "memory" });
console.log(manager.store.name);
await openContextManager({ at: process.argv[1] }).catch(({ code, message }) => console.log(code, message));
`;

test("on a Node without node:sqlite compose loads, the memory store works, and sqlite reports what it needs", async () => {
  const flags = ["--no-experimental-sqlite", "--conditions=@self-context-manager/source"];

  const folder = await mkdtemp(join(tmpdir(), "compose-"));

  const { stdout } = await promisify(execFile)(process.execPath, [
    ...flags,
    "--input-type=module",
    "--eval",
    program,
    join(folder, "store.sqlite"),
  ]);
  await rm(folder, { recursive: true });

  expect(stdout).toMatch(/^memory\nSTORE_UNAVAILABLE .*node:sqlite.*\n$/u);
});
