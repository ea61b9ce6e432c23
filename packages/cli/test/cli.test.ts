import { expect, test } from "vitest";
import { runCli } from "../src/cli.ts";

function run(...argv: string[]): { code: number; stdout: string; stderr: string } {
  let stdout = "";
  let stderr = "";
  const code = runCli(argv, {
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}

test("prints its usage on --help", () => {
  const { code, stdout } = run("--help");

  expect(code).toBe(0);
  expect(stdout).toMatch(/^Usage: scm /);
});

test("prints the version of its package", () => {
  expect(run("--version").stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
});

test("names an option it does not know, and prints its usage", () => {
  const { code, stderr } = run("--frobnicate");

  expect(code).toBe(2);
  expect(stderr).toContain("--frobnicate");
  expect(stderr).toContain("Usage: scm ");
});
