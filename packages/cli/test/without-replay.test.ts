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
    specifier === "@self-context-manager/replay"
      ? next(specifier, { ...context, parentURL: ${JSON.stringify(pathToFileURL(join(tmpdir(), "program.js")).href)} })
      : next(specifier, context),
});
const { runCli } = await import(${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)});
const output = { stdout: async (text) => console.log(text), stderr: (text) => console.log(text.trim()) };
console.log(await runCli(["list", "--store", "memory"], output));
console.log(await runCli(["replay", "."], output));
`;

test("without the package replay the other commands run, and scm replay names the package and its installation", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--conditions=@self-context-manager/source",
    "--input-type=module",
    "--eval",
    program,
  ]);

  const [code, text, replayed] = stdout.trim().split("\n").slice(-3);
  expect(code).toBe("0");
  expect(text).toContain(
    "scm replay needs the package @self-context-manager/replay, which is not installed; install it beside the command: npm install --global @self-context-manager/replay",
  );
  expect(replayed).toBe("1");
});
