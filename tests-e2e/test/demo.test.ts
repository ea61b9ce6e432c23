import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runsEveryForm } from "@self-context-manager/store-contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { installedOpenClaw } from "../src/openclaw/install-openclaw.ts";

interface TestedHost {
  /** The value of `--host`, or undefined for the default. */
  readonly option?: string;
  readonly name: string;
  /** The name of the host's tool that runs a shell command. */
  readonly shell: string;
  /** The user's command. */
  readonly command: string;
  /** The highest expected bill, as a share of the plain session's. */
  readonly share: number;
  /** The figures that only this host's command shows. */
  readonly figures: readonly RegExp[];
  /** Why the host cannot run here. */
  readonly missing?: string;
}

/** A short run plays the demo in Pi, and OpenClaw has tests of its own. */
const hasOpenClaw = runsEveryForm("adapter-openclaw");
const openClawError = hasOpenClaw
  ? await installedOpenClaw().then(() => undefined, String)
  : undefined;
if (openClawError !== undefined) console.warn(`no demo in OpenClaw: ${openClawError}`);

const hosts: readonly TestedHost[] = [
  {
    name: "Pi",
    shell: "bash",
    command: "/context",
    share: 0.96,
    figures: [/^ +Last call, reported by the provider: /mu],
  },
  {
    option: "openclaw",
    name: "OpenClaw",
    shell: "exec",
    command: "/scm",
    // The system prompt and the tools of OpenClaw are about half of the bill, and the calls of the context tools send
    // them too. So the short session costs about the same.
    share: 1.04,
    figures: [],
    ...(openClawError === undefined ? {} : { missing: openClawError }),
  },
];

const root = fileURLToPath(new URL("../../", import.meta.url));

function run(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): { readonly stdout: string; readonly status: number | null } {
  const condition = "--conditions=@self-context-manager/source";
  const { stdout, stderr, status } = spawnSync(process.execPath, [condition, file, ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    encoding: "utf8",
    timeout: 240_000,
  });
  return { stdout: stdout + stderr, status };
}

function numbersIn(found: RegExpExecArray | null): readonly number[] {
  return (found ?? []).slice(1).map(Number);
}

for (const host of hosts.filter(({ name }) => hasOpenClaw || name === "Pi"))
  describe.skipIf(host.missing !== undefined)(
    `the demo that npm start runs in ${host.name}`,
    () => {
      const folder = mkdtempSync(join(tmpdir(), "scm-demo-"));
      const at = join(folder, "store.sqlite");
      let output = "";

      function scm(...args: readonly string[]): string {
        return run("packages/cli/src/main.ts", [...args, "--at", at]).stdout;
      }

      beforeAll(() => {
        const options = host.option === undefined ? [] : ["--host", host.option];
        output = run("tools/demo.mjs", [...options, "--at", at]).stdout;
      }, 250_000);

      afterAll(() => {
        rmSync(folder, { recursive: true });
      });

      it("runs to its end", () => {
        expect(output).toContain(`${host.name} `);
        expect(output).toContain("The store is ");
      });

      it("makes at least twelve model calls and prints a line for each", () => {
        const lines = output.split("\n").filter((line) => /^call \d+ /u.test(line));

        expect(lines.length).toBeGreaterThanOrEqual(12);
        expect(output).toContain(`${host.shell} node --test`);
      });

      it("activates, pins and deactivates objects by the handles in the requests", () => {
        expect(output).toMatch(/pin f\d+/u);
        expect(output).toMatch(/deactivate f\d+/u);
        expect(output).toMatch(/activate t\d+/u);
        expect(output).toMatch(/unpin f\d+/u);
      });

      it("costs no more than its share of the same session in the plain host, with the same prices", () => {
        const [plain, managed] = [`plain ${host.name}`, "managed context"].map((name) =>
          Number(new RegExp(`^ +${name} +([\\d.]+) +in \\d+ calls`, "mu").exec(output)?.[1]),
        );

        expect(plain).toBeGreaterThan(50);
        expect(managed).toBeLessThan((plain ?? 0) * host.share);
        expect(output).toMatch(/: \d+ % (?:less|more)$/mu);
        expect(output).toContain("Billed by Anthropic's rules as this server simulates them");
      });

      it("prints the figures of the user's command", () => {
        expect(output).toContain(`command ${host.command}. Its bill is the same as above`);
        expect(output).toMatch(/^ +In view, estimated: /mu);
        expect(output).toMatch(/^ +Epoch \d+, /mu);
        for (const figure of host.figures) expect(output).toMatch(figure);
      });

      it("shows by the user's command what the server bills for both sessions, within 3 %", () => {
        const bill = (name: string): readonly number[] =>
          numbersIn(new RegExp(`^ +${name} +([\\d.]+) +in (\\d+) calls`, "mu").exec(output));
        const line =
          /Cost of (\d+) calls.*: ([\d.]+)k tokens of uncached input.* the ([\d.]+)k .* in (\d+) calls of plain/u;
        const [calls = 0, units = 0, plainUnits = 0, plainCalls = 0] = numbersIn(line.exec(output));
        const [managedBill = 0, managedCalls] = bill("managed context");
        const [plainBill = 0, plainBilled] = bill(`plain ${host.name}`);

        expect([calls, plainCalls]).toEqual([managedCalls, plainBilled]);
        expect(Math.abs(units / managedBill - 1)).toBeLessThan(0.03);
        expect(Math.abs(plainUnits / plainBill - 1)).toBeLessThan(0.03);
      });

      it("leaves a store that the command line reads", () => {
        expect(scm("list")).toContain("cart.mjs");
        expect(scm("show", "src/cart.mjs")).toContain("content_hash");
        expect(scm("history", "src/cart.mjs").split("\n").length).toBeGreaterThan(2);
        expect(scm("print", "src/cart.mjs")).toContain("item.price * item.count");
        expect(scm("nickname", "src/cart.mjs", "cart")).toContain("cart");
        expect(scm("print", "cart")).toContain("item.price * item.count");
      });
    },
  );

describe("the demo with a model", () => {
  it("stops at its budget, and the results stay in their folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "scm-demo-"));
    const at = join(folder, "out");

    const given = ["--model", "forgetful", "--at", at, "--budget", "0.2"];
    const { stdout, status } = run("tools/demo.mjs", given);

    expect(stdout).toContain("6 runs: 2 arms × 3 tasks × 1 seed");
    expect(stdout).toMatch(/^1 of 6 {2}coding\/\S+ {2}plain {2}seed 1 {2}solved, /mu);
    expect(stdout).toMatch(/the budget is spent, and \d runs are left; scm evaluate report /u);
    expect(status).toBe(1);
    expect(run("packages/cli/src/main.ts", ["evaluate", "report", at]).stdout).toMatch(
      /^plain +\d of \d /mu,
    );
    rmSync(folder, { recursive: true });
  }, 60_000);
});

describe("the options of the demo", () => {
  it.each([
    [["--host", "codex"], '--host is "codex"; it must be pi or openclaw'],
    [
      ["--host", "openclaw", "--pi", "0.73.1"],
      "--pi is an option of the host pi; it cannot be used with --host openclaw",
    ],
    [
      ["--host", "openclaw", "--model", "a/b"],
      "--model is an option of the host pi; it cannot be used with --host openclaw",
    ],
    [
      ["--model", "a/b", "--store", "xtdb"],
      "--store is an option of the scripted session; it cannot be used with --model",
    ],
    [["--budget", "3"], "--budget is an option of --model; add it"],
    [["--model", "forgetful", "--pi", "9"], '--pi is "9"; it must be one of 0.73.1, 0.87.1, 1.5.2'],
    [
      ["--model", "forgetfull/x"],
      "scm evaluate: Pi has no model forgetfull/x. Names have the form provider/id.",
    ],
  ])("refuses %j", (args, message) => {
    const { stdout, status } = run("tools/demo.mjs", args);

    expect(status).toBe(1);
    expect(stdout.trim()).toBe(message);
  });

  it.each([
    ["SCM_SETTING", "carefull", "it must be default or thrifty or careful"],
    ["SCM_ALIVE", "abc", "it must be a whole number from 1"],
    ["SCM_ALIVE", "257", "must be a whole number from 1 to 256; got 257"],
    ["SCM_OFF", "1", "remove it to run the demo"],
  ])("says what is wrong with %s=%s, before a session begins", (name, value, message) => {
    const { stdout, status } = run("tools/demo.mjs", [], { [name]: value });

    expect(status).toBe(1);
    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stdout).toContain(message);
  });
});
