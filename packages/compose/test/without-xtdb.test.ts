import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = `
import { registerHooks } from "node:module";
registerHooks({
  // Node searches for the package from a folder in which no package is installed.
  resolve: (specifier, context, next) =>
    specifier === "@self-context-manager/store-xtdb"
      ? next(specifier, { ...context, parentURL: ${JSON.stringify(pathToFileURL(join(tmpdir(), "program.js")).href)} })
      : next(specifier, context),
});
const { openContextManager, xtdbNode } = await import(${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)});
await using manager = await openContextManager({ store: "memory" });
console.log(manager.store.name);
const say = ({ code, message }) => console.log(code, message);
await openContextManager({ store: "xtdb", at: "http://127.0.0.1:1" }).catch(say);
await xtdbNode("no-folder").status().catch(say);
`;

test("without the package store-xtdb compose loads, the memory store works, and xtdb names the package and its installation", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--conditions=@self-context-manager/source",
    "--input-type=module",
    "--eval",
    program,
  ]);

  const line =
    "STORE_UNAVAILABLE a store in XTDB needs the package @self-context-manager/store-xtdb, which is not installed; run npm install @self-context-manager/store-xtdb";
  expect(stdout).toBe(`memory\n${line}\n${line}\n`);
});
