import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Task } from "../../src/model/task.ts";
import { checkTask } from "../../src/tasks/check-task.ts";
import { prepareWorkspace } from "../../src/tasks/prepare-workspace.ts";
import { loadSweInstances, type SweOptions } from "../../src/tasks/swe-instances.ts";
import { taskFault } from "../../src/tasks/task-fault.ts";
import { aFolder } from "./a-folder.ts";

const options: SweOptions = { testCommand: "node run.js {tests}" };

/** Runs the exported functions of `tests.js` that are named. */
const runner = `import * as tests from "./tests.js";
for (const name of process.argv.slice(2)) tests[name]();
`;
const broken = "export const twice = (n) => n + n + 1;\nexport const zero = () => 0;\n";
const right = broken.replace(" + 1", "");
const before = `import { zero } from "./code.js";
export const zeroTest = () => { if (zero() !== 0) throw new Error("zero"); };
`;

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.invalid", ...args], {
    cwd: folder,
    encoding: "utf8",
  });

/** A folder with a repository and rows for it. */
async function instances(folder: string, parts: object = {}, count = 1): Promise<void> {
  const clone = join(folder, "repos", "some__code");
  await mkdir(clone, { recursive: true });
  const files = {
    "code.js": broken,
    "run.js": runner,
    "tests.js": before,
    "package.json": '{"type":"module"}',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(clone, name), text);
  git(clone, "init", "--quiet");
  git(clone, "add", ".");
  git(clone, "commit", "--quiet", "-m", "one");
  const commit = git(clone, "rev-parse", "HEAD").trim();
  await writeFile(
    join(clone, "tests.js"),
    `${before.replace("{ zero }", "{ twice, zero }")}export const twiceTest = () => { if (twice(2) !== 4) throw new Error("twice is " + twice(2)); };\n`,
  );
  await writeFile(join(clone, "new.txt"), "new\n");
  git(clone, "add", "--intent-to-add", "new.txt");
  const patch = git(clone, "diff");
  git(clone, "reset", "--quiet", "--hard");
  const rows = Array.from({ length: count }, (_, index) => ({
    instance_id: `some__code-${String(index + 1)}`,
    repo: "some/code",
    base_commit: commit,
    problem_statement: `Twice is wrong\n\nIt is one too much (${String(index)}).`,
    hints_text: "Look at the plus.",
    test_patch: patch,
    FAIL_TO_PASS: JSON.stringify(["twiceTest"]),
    PASS_TO_PASS: ["zeroTest"],
    version: "1.0",
    ...parts,
  }));
  await writeFile(
    join(folder, "instances.jsonl"),
    rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
  );
}

/** Prepares a task, writes the code into the folders, and returns the names of the checks that pass, and the evidence of the others. */
async function outcome(
  task: Task,
  folder: string,
  code: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string | true>>> {
  const workspace = join(folder, `workspace-${Object.keys(code).join("-")}`);
  await prepareWorkspace(task, workspace);
  for (const [path, text] of Object.entries(code)) await writeFile(join(workspace, path), text);
  const results = await checkTask(task, {
    workspace,
    answers: new Map(),
    scratch: join(folder, "scratch"),
  });
  return Object.fromEntries(
    results.map(({ name, isPassed, evidence }) => [name, isPassed ? true : evidence]),
  );
}

describe("instances of a local folder", () => {
  it("are tasks with the patched tests hidden, and without hints", async () => {
    await using folder = await aFolder();
    await instances(folder.path);
    const clone = join(folder.path, "repos", "some__code");
    const objects = git(clone, "count-objects");

    const [task] = await loadSweInstances(folder.path, options);

    expect([git(clone, "count-objects"), git(clone, "status", "--porcelain")]).toEqual([
      objects,
      "",
    ]);
    expect(task).toMatchObject({
      name: "external/some__code-1",
      family: "external",
      title: "some__code-1: Twice is wrong",
    });
    expect(Object.keys(task?.hidden ?? {})).toEqual(["new.txt", "tests.js"]);
    expect(task === undefined ? "" : taskFault(task)).toBe(undefined);
    expect(JSON.stringify(task?.steps)).toContain("It is one too much (0).");
    expect(JSON.stringify(task)).not.toContain("Look at the plus");
  });

  it("are solved if the tests that failed and those that passed pass", async () => {
    await using folder = await aFolder();
    await instances(folder.path);
    const [task] = await loadSweInstances(folder.path, options);
    if (task === undefined) throw new Error("no task");

    expect(await outcome(task, folder.path, {})).toEqual({
      "tests that failed": "exit code 1: Error: twice is 5",
      "tests that passed": true,
    });
    expect(await outcome(task, folder.path, { "code.js": right })).toEqual({
      "tests that failed": true,
      "tests that passed": true,
    });
  });

  it("can be one session, each in its folder", async () => {
    await using folder = await aFolder();
    await instances(folder.path, {}, 2);
    const tasks = await loadSweInstances(folder.path, { ...options, isOneSession: true });
    const [task] = tasks;
    if (task === undefined) throw new Error("no task");

    expect(tasks.length).toBe(1);
    expect(
      task.steps.map((step) => (step.type === "prompt" ? step.text.slice(0, 85) : "")),
    ).toEqual([
      "Solve the following issue of the repository in the folder `some__code-1` of the worki",
      "Solve the following issue of the repository in the folder `some__code-2` of the worki",
    ]);
    expect(await outcome(task, folder.path, { "some__code-2/code.js": right })).toEqual({
      "some__code-1: tests that failed": "exit code 1: Error: twice is 5",
      "some__code-1: tests that passed": true,
      "some__code-2: tests that failed": true,
      "some__code-2: tests that passed": true,
    });
    expect((await readdir(join(folder.path, "scratch"))).length).toBe(0);
  });

  it("can be a list of JSON", async () => {
    await using folder = await aFolder();
    await instances(folder.path);
    const [row] = (await readFile(join(folder.path, "instances.jsonl"), "utf8")).split("\n");
    await rm(join(folder.path, "instances.jsonl"));
    await writeFile(join(folder.path, "instances.json"), `[${row ?? ""}]`);

    const tasks = await loadSweInstances(folder.path, options);

    expect(tasks.map(({ name }) => name)).toEqual(["external/some__code-1"]);
  });
});

describe("instances that cannot be used", () => {
  it.each<readonly [object, string]>([
    [{ repo: "code" }, 'field [0].repo is "code"; it has to be OWNER/NAME'],
    [{ repo: "other/code" }, "needs a clone of other/code in "],
    [{ base_commit: "main" }, 'field [0].base_commit is "main"'],
    [{ problem_statement: undefined }, "field [0].problem_statement is absent"],
    [
      { FAIL_TO_PASS: "twiceTest" },
      'field [0].FAIL_TO_PASS is "twiceTest"; it has to be a list of tests',
    ],
    [{ test_patch: "no patch" }, "git apply --cached failed"],
    [{ base_commit: "a".repeat(40) }, "git read-tree"],
  ])("%j is refused", async (parts, message) => {
    await using folder = await aFolder();
    await instances(folder.path, parts);

    const loaded = loadSweInstances(folder.path, options);

    await expect(loaded).rejects.toMatchObject({ code: "EVALUATE_TASK" });
    await expect(loaded).rejects.toThrow(message);
  });

  it("need at least one row", async () => {
    await using folder = await aFolder();
    await writeFile(join(folder.path, "instances.jsonl"), "\n");

    await expect(loadSweInstances(folder.path, options)).rejects.toThrow("has no instance");
  });

  it("need a file and a test command with {tests}", async () => {
    await using folder = await aFolder();
    await expect(loadSweInstances(folder.path, options)).rejects.toThrow(
      "has neither instances.jsonl nor",
    );
    await expect(loadSweInstances(folder.path, { testCommand: "pytest" })).rejects.toMatchObject({
      code: "EVALUATE_PLAN",
    });
  });
});
