import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "scm-demo-"));
const at = join(folder, "store.sqlite");
let output = "";

function run(
  file: string,
  args: readonly string[],
): { readonly stdout: string; readonly status: number | null } {
  const condition = "--conditions=@self-context-manager/source";
  const { stdout, stderr, status } = spawnSync(process.execPath, [condition, file, ...args], {
    cwd: root,
    encoding: "utf8",
    timeout: 120_000,
  });
  return { stdout: stdout + stderr, status };
}

function scm(...args: readonly string[]): string {
  return run("packages/cli/src/main.ts", [...args, "--at", at]).stdout;
}

describe("the demo that npm start runs", () => {
  beforeAll(() => {
    const result = run("tools/demo.mjs", ["--at", at]);
    output = result.stdout;
  }, 130_000);

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it("runs to its end", () => {
    expect(output).toContain("The store is ");
  });

  it("makes at least twelve model calls and prints a line for each", () => {
    const lines = output.split("\n").filter((line) => /^call \d+ /u.test(line));

    expect(lines.length).toBeGreaterThanOrEqual(12);
  });

  it("activates, pins and deactivates objects by the handles in the requests", () => {
    expect(output).toMatch(/pin f\d+/u);
    expect(output).toMatch(/deactivate f\d+/u);
    expect(output).toMatch(/activate t\d+/u);
    expect(output).toMatch(/unpin f\d+/u);
  });

  it("costs less than the same session in plain Pi, with the same prices", () => {
    const [plain, managed] = ["plain Pi", "managed context"].map((name) =>
      Number(new RegExp(`^ +${name} +([\\d.]+) +in \\d+ calls`, "mu").exec(output)?.[1]),
    );

    expect(plain).toBeGreaterThan(50);
    expect(managed).toBeLessThan((plain ?? 0) * 0.9);
    expect(output).toMatch(/: \d+ % less$/mu);
    expect(output).toContain("Billed by Anthropic's rules as this server simulates them");
  });

  it("prints the extension's figures from /context", () => {
    expect(output).toMatch(/^ +In view, estimated: /mu);
    expect(output).toMatch(/^ +Cost of \d+ calls, estimated: \d+ % less than append-only/mu);
    expect(output).toMatch(/^ +Last call, reported by the provider: /mu);
    expect(output).toMatch(/^ +Epoch \d+, /mu);
  });

  it("leaves a store that the command line reads", () => {
    expect(scm("list")).toContain("cart.mjs");
    expect(scm("show", "src/cart.mjs")).toContain("content_hash");
    expect(scm("history", "src/cart.mjs").split("\n").length).toBeGreaterThan(2);
    expect(scm("print", "src/cart.mjs")).toContain("item.price * item.count");
    expect(scm("nickname", "src/cart.mjs", "cart")).toContain("cart");
    expect(scm("print", "cart")).toContain("item.price * item.count");
  });
});
