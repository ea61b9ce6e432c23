import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Check, CheckResult, Task } from "../../src/model/task.ts";
import { canaryOf, hasSeenCanary } from "../../src/tasks/canary.ts";
import { checkTask } from "../../src/tasks/check-task.ts";
import { prepareWorkspace } from "../../src/tasks/prepare-workspace.ts";
import { aFolder } from "./a-folder.ts";
import { aTask } from "./a-task.ts";

interface Checked {
  readonly results: readonly CheckResult[];
  /** What is left in the folder of the workspace and in the folder of the copies. */
  readonly left: readonly string[];
}

async function checked(
  task: Task,
  options: { readonly answer?: string; readonly before?: (folder: string) => Promise<void> } = {},
): Promise<Checked> {
  await using place = await aFolder();
  const [workspace, scratch] = [join(place.path, "workspace"), join(place.path, "scratch")];
  await prepareWorkspace(task, workspace);
  await options.before?.(workspace);
  const answers = new Map(options.answer === undefined ? [] : [[0, options.answer]]);
  const results = await checkTask(task, { workspace, answers, scratch });
  return { results, left: [...(await readdir(workspace)), ...(await readdir(scratch))].toSorted() };
}

const run = (script: string): Extract<Check, { type: "command" }> => ({
  type: "command",
  name: "run",
  command: ["node", "--input-type=module", "--eval", script],
});

describe("a command check", () => {
  const hidden = {
    "test/sum.test.js":
      'import { sum } from "../src/sum.js";\nif (sum(1, 2) !== 3) throw new Error(`sum is ${sum(1, 2)}`);\n',
  };
  const check: Check = { type: "command", name: "tests", command: ["node", "test/sum.test.js"] };
  const task = aTask({ checks: [check], hidden });

  it("runs hidden files in a copy, and its evidence is the last line that names an error", async () => {
    const { results, left } = await checked(task);

    expect(results).toEqual([
      { name: "tests", isPassed: false, evidence: "exit code 1: Error: sum is -1" },
    ]);
    expect(left).toEqual([".git", "src"]);
  });

  it("passes with the exit code 0", async () => {
    const before = (folder: string): Promise<void> =>
      writeFile(join(folder, "src/sum.js"), "export const sum = (a, b) => a + b;\n");

    const { results } = await checked(task, { before });

    expect(results).toMatchObject([{ isPassed: true }]);
  });

  it("replaces what the agent put at the path of a hidden file, and fails where it cannot", async () => {
    const asFolder = await checked(task, {
      before: (folder) =>
        mkdir(join(folder, "test/sum.test.js"), { recursive: true }).then(() => undefined),
    });
    const asFile = await checked(task, { before: (folder) => writeFile(join(folder, "test"), "") });

    expect(asFolder.results[0]?.evidence).toBe("exit code 1: Error: sum is -1");
    expect(asFile.results).toMatchObject([
      { isPassed: false, evidence: expect.stringContaining("cannot be written") },
    ]);
  });

  it("fails if the process ends before the tests do", async () => {
    const script = 'console.log("pass 1"); process.exit(0); console.log("pass 2");';
    const withPrints = (prints: string): Check => ({ ...run(script), prints });

    const early = await checked(aTask({ checks: [withPrints("pass 2")] }));
    const whole = await checked(aTask({ checks: [withPrints("pass 1")] }));

    expect(early.results).toEqual([
      {
        name: "run",
        isPassed: false,
        evidence: 'exit code 0, but the output lacks "pass 2": pass 1',
      },
    ]);
    expect(whole.results).toMatchObject([{ isPassed: true }]);
  });

  it("has nothing of the environment of this process but the way to programs", async () => {
    const script = "console.log(Object.keys(process.env).toSorted().join()); process.exit(1)";

    const { results } = await checked(aTask({ checks: [run(script)] }));

    expect(results[0]?.evidence).toBe(
      "exit code 1: HOME,LANG,NO_COLOR,PATH,TEMP,TMPDIR,TZ,USERPROFILE",
    );
  });

  it("is ended with all its processes after its time", async () => {
    const script = `
      import { spawn } from "node:child_process";
      spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
      setInterval(() => {}, 1000);`;

    const { results } = await checked(aTask({ checks: [{ ...run(script), seconds: 0.5 }] }));

    expect(results[0]?.evidence).toBe("the command did not end within 0.5 s");
  });

  it("fails if its program does not exist", async () => {
    const command = ["program-that-does-not-exist"] as const;

    const { results } = await checked(aTask({ checks: [{ type: "command", name: "n", command }] }));

    expect(results).toMatchObject([
      { isPassed: false, evidence: expect.stringContaining("ENOENT") },
    ]);
  });

  it("runs in its folder", async () => {
    const script = 'console.log(process.cwd().split("/").at(-1)); process.exit(1)';

    const { results } = await checked(aTask({ checks: [{ ...run(script), folder: "src" }] }));

    expect(results[0]?.evidence).toBe("exit code 1: src");
  });
});

describe("an answer check", () => {
  const check: Check = {
    type: "answer",
    name: "limit",
    step: 0,
    includes: ["limit is 40"],
    excludes: ["60"],
  };
  const task = aTask({ checks: [check] });

  it.each([
    ["The LIMIT\n  is 40.", true, 'found "limit is 40"'],
    ["The limit is 41.", false, 'expected "limit is 40", found: The limit is 41.'],
    ["The limit is 40, not 60.", false, 'expected no "60", found: The limit is 40, not 60.'],
    [" ", false, "step 0 has no answer"],
    [undefined, false, "step 0 has no answer"],
  ])("of the answer %j is %j", async (answer, isPassed, evidence) => {
    const { results } = await checked(task, answer === undefined ? {} : { answer });

    expect(results).toEqual([{ name: "limit", isPassed, evidence }]);
  });
});

describe("a file check", () => {
  const path = "src/sum.js";

  it.each<readonly [Omit<Extract<Check, { type: "file" }>, "type" | "name">, boolean, string]>([
    [{ path, includes: ["a - b"], excludes: ["+"] }, true, 'found "a - b"'],
    [
      { path, includes: ["a + b"] },
      false,
      'expected "a + b", found: export const sum = (a, b) => a - b; ',
    ],
    [{ path, content: "export const sum = (a, b) => a - b;" }, true, "found as expected"],
    [
      { path, content: "a" },
      false,
      `${path} differs from what was expected: line 1 is "export const sum = (a, b) => a - b;", not "a"`,
    ],
    [{ path, content: null }, false, `${path} exists; it was expected to be absent`],
    [{ path: "no.js", content: null }, true, "no.js does not exist"],
    [{ path: "no.js", includes: [] }, false, "no.js does not exist"],
  ])("%j is %j", async (check, isPassed, evidence) => {
    const { results } = await checked(aTask({ checks: [{ type: "file", name: "f", ...check }] }));

    expect(results).toEqual([{ name: "f", isPassed, evidence }]);
  });
});

describe("the canary of a task", () => {
  it("is in the hidden files of the copy, and nowhere in the task", async () => {
    const script =
      'import { readFileSync } from "node:fs"; console.log(readFileSync("a.js", "utf8").split("\\n")[1]); process.exit(1)';
    const task = aTask({ checks: [run(script)], hidden: { "a.js": "// one" } });

    const { results } = await checked(task);

    expect(results[0]?.evidence).toBe(`exit code 1: // ${canaryOf(task)}`);
    expect(hasSeenCanary(task, `cat a.js\n${results[0]?.evidence ?? ""}`)).toBe(true);
    expect(hasSeenCanary(task, JSON.stringify(task))).toBe(false);
    expect(canaryOf(task)).not.toBe(canaryOf({ ...task, seed: 1 }));
  });
});
