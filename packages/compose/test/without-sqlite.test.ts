import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = `
import { openContextManager } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
await using manager = await openContextManager({ store: "memory" });
console.log(manager.store.name);
await openContextManager({ at: "unused.sqlite" }).catch(({ code, message }) => console.log(code, message));
`;

test("on a Node without node:sqlite compose loads, the memory store works, and sqlite says what it needs", async () => {
  const flags = ["--no-experimental-sqlite", "--conditions=@self-context-manager/source"];

  const { stdout } = await promisify(execFile)(process.execPath, [
    ...flags,
    "--input-type=module",
    "--eval",
    program,
  ]);

  expect(stdout).toMatch(/^memory\nSTORE_UNAVAILABLE .*node:sqlite.*\n$/u);
});
