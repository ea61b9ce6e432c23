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
    ["@self-context-manager/replay", "@self-context-manager/evaluate"].includes(specifier)
      ? next(specifier, { ...context, parentURL: ${JSON.stringify(pathToFileURL(join(tmpdir(), "program.js")).href)} })
      : next(specifier, context),
});
const { runCli } = await import(${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)});
const output = { stdout: async (text) => console.log(text), stderr: (text) => console.log(text.trim()) };
console.log(await runCli(["list", "--store", "memory"], output));
console.log(await runCli(["replay", "."], output));
console.log(await runCli(["evaluate", "list"], output));
`;

test("without optional packages the other commands run, and those that need one name its installation", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--conditions=@self-context-manager/source",
    "--input-type=module",
    "--eval",
    program,
  ]);

  const [code, ...lines] = stdout.trim().split("\n").slice(-5);
  expect(code).toBe("0");
  const text = (command: string, name: string): string =>
    `scm ${command}: scm ${command} needs the package @self-context-manager/${name}, which is not installed; install it beside the command: npm install --global @self-context-manager/${name}`;
  expect(lines).toEqual([text("replay", "replay"), "1", text("evaluate", "evaluate"), "1"]);
});
