import {
  evaluate,
  type EvaluationHost,
  findArms,
  findTasks,
  testModel,
} from "@self-context-manager/evaluate";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { type CliRun, run } from "./temporary-store.ts";

async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "scm-evaluate-test-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A package folder that looks like Pi. A plan needs no more of it. */
async function likePi(folder: string): Promise<string> {
  const path = join(folder, "pi");
  await mkdir(path);
  await writeFile(
    join(path, "package.json"),
    JSON.stringify({ name: "pi", version: "9.8.7", bin: { pi: "pi.js" } }),
  );
  await writeFile(join(path, "pi.js"), "");
  return path;
}

/** Runs a command with options that are right, and others after them. */
async function withPi(folder: string, ...given: readonly string[]): Promise<CliRun> {
  const path = await likePi(folder);
  return await run(["evaluate", ...given, "--host-path", path], {}, folder);
}

const oneTask = ["--model", "forgetful", "--tasks", "coding/text-wrapping"];

describe("scm evaluate list", () => {
  it("lists arms and tasks", async () => {
    const { code, stdout } = await run(["evaluate", "list"]);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^plain +The host as it is/mu);
    expect(stdout).toMatch(/^coding\/text-wrapping +1 {2}Correct/mu);
  });

  it("prints them as JSON too", async () => {
    const { arms, tasks } = JSON.parse(
      (await run(["evaluate", "list", "--json"])).stdout,
    ) as Record<string, readonly Readonly<Record<string, unknown>>[]>;

    expect(arms?.[0]).toMatchObject({ name: "plain", isManaged: false });
    expect(tasks?.find(({ name }) => name === "coding/text-wrapping")).toMatchObject({
      prompts: 1,
    });
  });
});

describe("scm evaluate plan", () => {
  it("shows the runs, and writes nothing", async () => {
    await inFolder(async (folder) => {
      const { code, stdout } = await withPi(
        folder,
        "plan",
        "out",
        "--arms",
        "plain,default,thrifty",
        "--seeds",
        "2",
        "--margin",
        "2.5",
        ...oneTask,
      );

      expect(code).toBe(0);
      expect(stdout).toBe(`6 runs: 3 arms × 1 task × 2 seeds
  model  test/forgetful
  host   pi 9.8.7
  arms   plain, default, thrifty; the first is the baseline
  margin 2.5 percentage points
`);
      await expect(readFile(join(folder, "out", "plan.json"))).rejects.toThrow("ENOENT");
    });
  });

  it("writes the plan before the first run with --preregister", async () => {
    await inFolder(async (folder) => {
      const { stdout } = await withPi(folder, "plan", "out", "--preregister", ...oneTask);

      const written = JSON.parse(await readFile(join(folder, "out", "plan.json"), "utf8")) as {
        readonly planHash: string;
        readonly preregistered: string;
      };
      expect(stdout).toBe(
        `wrote the plan ${written.planHash} to out, preregistered at ${written.preregistered}; scm evaluate run out with the same options does it\n`,
      );
    });
  });

  it("takes a folder with instances in the form of SWE-bench, beside own tasks", async () => {
    await inFolder(async (folder) => {
      await writeInstances(join(folder, "swe"));
      const command = ["--test-command", "node --test {tests}"];
      const given = ["plan", "--model", "forgetful", "--tasks"];

      const apart = await withPi(folder, ...given, "swe,coding/text-wrapping", ...command);
      await rm(join(folder, "pi"), { recursive: true });
      const together = await withPi(folder, ...given, "swe", ...command, "--one-session");

      expect(apart.stdout).toContain("6 runs: 2 arms × 3 tasks × 1 seed");
      expect(together.stdout).toContain("2 runs: 2 arms × 1 task × 1 seed");
    });
  });

  it.each([
    [["--tasks", "swe"], "--test-command is missing: swe has instances"],
    [
      ["--tasks", "swe", "--test-command", "npm test"],
      'the test command "npm test" needs a program',
    ],
    [oneTask.slice(2).concat("--one-session"), "--one-session belongs to a folder with instances"],
  ])("refuses %j", async (given, message) => {
    await inFolder(async (folder) => {
      await writeInstances(join(folder, "swe"));

      const { stderr } = await withPi(folder, "plan", "--model", "forgetful", ...given);

      expect(stderr).toContain(message);
    });
  });
});

describe("a call of scm evaluate that cannot be done", () => {
  const url = ["--model", "m", "--url", "http://127.0.0.1:9/v1"];

  it.each([
    [["frob"], 2, 'there is no action "frob"; the actions are list, plan, run, report, verify'],
    [["list", "out"], 2, "list takes no FOLDER"],
    [["run", "--preregister", ...oneTask], 2, "--preregister belongs to plan"],
    [["plan"], 2, "--model is missing; name PROVIDER/ID, or forgetful"],
    [["plan", ...oneTask, "--host", "codex"], 2, '--host is "codex"; it must be pi, ai-sdk or'],
    [["plan", ...oneTask, "--arms", "plian"], 1, "plian"],
    [["plan", ...oneTask, "--arms", "plain,plain"], 1, "the arm plain is there twice"],
    [["plan", "--model", "forgetful", "--tasks", "codign"], 1, 'folder "codign"; the families are'],
    [["plan", ...oneTask, "--seeds", "0"], 2, '--seeds is "0"; it must be a whole number above 0'],
    [
      ["plan", ...oneTask, "--budget", "much"],
      2,
      '--budget is "much"; it must be a number above 0',
    ],
    [["plan", ...url], 2, "--window is missing"],
    [["plan", ...url, "--window", "9", "--api", "smtp"], 2, '--api is "smtp"; it must be'],
    [["plan", ...url, "--prices", "3"], 2, '--prices is "3"; it must be dollars per million'],
    [["plan", ...url, "--prices", "3,x"], 2, '--prices is "3,x"'],
    [["plan", ...url, "--window", "9", "--budget", "1"], 2, "--prices is missing: a budget needs"],
    [
      ["plan", ...url, "--window", "9", "--key-variable", "NO_KEY"],
      2,
      "variable NO_KEY has no key",
    ],
    [["plan", "--model", "a/b", "--api", "anthropic-messages"], 2, "--api belongs to --url"],
    [["report", "out"], 1, "out has no plan.json; name a folder that scm evaluate has written"],
    [["verify", "out"], 1, "out has no plan.json"],
    [["run", "pi", ...oneTask], 1, 'pi has no plan.json, and it has "package.json"'],
    [["run", "pi/pi.js/out", ...oneTask], 1, "cannot be written (ENOTDIR"],
  ])("is refused: %j", async (given, code, message) => {
    await inFolder(async (folder) => {
      const result = await withPi(folder, ...given);

      expect(result.stderr).toContain(message);
      expect(result).toMatchObject({ code, stdout: "" });
      expect(result.stderr).not.toContain("unexpected");
    });
  });

  it("is refused with a path that is not Pi", async () => {
    const { code, stderr } = await run(["evaluate", "plan", ...oneTask, "--host-path", "/nowhere"]);

    expect(code).toBe(1);
    expect(stderr).toContain("/nowhere is neither Pi's script nor its package folder");
  });
});

describe("a folder with results", () => {
  it("is reported as text, JSON and a page, and verified", async () => {
    await inFolder(async (folder) => {
      await evaluated(join(folder, "out"));
      const scm = async (...given: readonly string[]): Promise<CliRun> =>
        await run(["evaluate", ...given], {}, folder);

      const report = await scm("report", "out");
      const json = await scm("report", "out", "--json");
      const verified = await scm("verify", "out");

      expect(report.stdout).toMatch(/^plain +0 of 1 /mu);
      expect(report.stderr).toBe(
        `wrote ${join("out", "report.html")} and ${join("out", "report.json")}\n`,
      );
      expect(report.stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
      expect(json.stdout).toBe(await readFile(join(folder, "out", "report.json"), "utf8"));
      expect(await readFile(join(folder, "out", "report.html"), "utf8")).toMatch(
        /^<!doctype html>/u,
      );
      expect(verified.stdout).toContain("1 run: the keys, hashes, checks, figures and views are");
    });
  });

  it("fails the verification if a figure was changed", async () => {
    await inFolder(async (folder) => {
      const [file = ""] = await evaluated(join(folder, "out"));
      const text = await readFile(file, "utf8");
      await writeFile(file, text.replace('"isSolved": false', '"isSolved": true'));

      const { code, stdout, stderr } = await run(["evaluate", "verify", "out"], {}, folder);

      expect(code).toBe(1);
      expect(stdout).toContain("isSolved in run.json: true; from what the run kept: false");
      expect(stderr).toContain("1 problem in 1 run; such results should not be used");
    });
  });
});

/** Does one run with a host that asks the model once. Returns the files with the figures. */
async function evaluated(out: string): Promise<readonly string[]> {
  const host: EvaluationHost = {
    name: "pi",
    version: "of a test",
    open: async ({ access }) => ({
      prompt: async (content) => {
        await fetch(`${access.url}/v1/messages`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-api-key": access.key },
          body: JSON.stringify({
            model: access.id,
            max_tokens: 10,
            messages: [{ role: "user", content }],
          }),
        });
        return { text: "" };
      },
      newSession: async () => {},
      [Symbol.asyncDispose]: async () => {},
    }),
  };
  const files: string[] = [];
  await evaluate({
    out,
    host,
    arms: findArms(["plain"]),
    tasks: new Map([[1, findTasks(["coding/text-wrapping"], 1)]]),
    model: testModel("forgetful"),
    version: "test",
    onProgress: ({ record: { task, arm, seed, key } }) =>
      files.push(
        join(out, "runs", [task.replace("/", "-"), arm, seed, key].join("--"), "run.json"),
      ),
  });
  return files;
}

/** Two instances of a repository with one commit. */
async function writeInstances(folder: string): Promise<void> {
  const repository = join(folder, "repos", "a__b");
  await mkdir(repository, { recursive: true });
  await writeFile(join(repository, "a.txt"), "one\n");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  const commit = git("rev-parse", "HEAD").trim();
  const rows = ["a__b-1", "a__b-2"].map((id) => ({
    instance_id: id,
    repo: "a/b",
    base_commit: commit,
    problem_statement: "It fails.",
    test_patch: "",
    FAIL_TO_PASS: ["one"],
    PASS_TO_PASS: [],
  }));
  await writeFile(
    join(folder, "instances.jsonl"),
    rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
  );
}
