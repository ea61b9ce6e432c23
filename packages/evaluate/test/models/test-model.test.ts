import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";

import { dropsNewest, withoutHandles } from "../../src/models/planted.ts";
import { openTestModel, type TestModelOptions } from "../../src/models/test-model.ts";
import { fakeHost, type FakeHost, type FakeHostOptions } from "./fake-host.ts";
import { smallTask } from "./small-task.ts";

interface Run {
  readonly answers: readonly string[];
  /** What is in `out.txt` at the end. */
  readonly written: string | undefined;
  readonly limits: string;
  readonly host: FakeHost;
  readonly deeds: readonly string[];
  readonly failures: readonly string[];
}

interface RunOptions extends Partial<TestModelOptions> {
  readonly keeps?: number;
  readonly canFind?: boolean;
}

const right = "The code is 9315 and the rate 41.";

/** Runs the small task in a folder of its own. */
async function runSmall({ keeps, canFind, ...given }: RunOptions = {}): Promise<Run> {
  const workspace = await mkdtemp(join(tmpdir(), "scm-models-"));
  const { task = smallTask } = given;
  for (const [path, text] of Object.entries(task.workspace.files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  await using model = await openTestModel({ kind: "forgetful", seed: 1, ...given, task });
  const { access, log } = model;
  const options: FakeHostOptions = {
    access,
    workspace,
    ...(keeps === undefined ? {} : { keeps }),
    ...(canFind === undefined ? {} : { canFind }),
  };
  const host = fakeHost(options);
  const answers: string[] = [];
  try {
    for (const step of task.steps) {
      if (step.type === "prompt") answers.push(await host.prompt(step.text));
      else host.newSession();
    }
    const read = async (path: string): Promise<string> =>
      await readFile(join(workspace, path), "utf8");
    return {
      answers,
      written: await read("out.txt").catch(() => undefined),
      limits: await read("src/limits.txt"),
      host,
      deeds: log.map(({ deed }) => deed),
      failures: [...model.failures],
    };
  } finally {
    await rm(workspace, { recursive: true });
  }
}

describe.each(["anthropic-messages", "openai-completions"] as const)("over %s", (api) => {
  test.each(["scripted", "forgetful"] as const)("the %s model solves a task", async (kind) => {
    const run = await runSmall({ api, kind, mistakes: 0 });

    expect(run.answers).toEqual(["I know it.", "Done.", right]);
    expect(run.written).toBe("9315 41\n");
    expect(run.limits).toBe("rate = 41\nburst = 8\n");
    expect(run.failures).toEqual([]);
    expect(run.host.called).toEqual(["bash", "read", "bash", "edit", "write"]);
  });

  it("has the same usage in each run", async () => {
    const [one, other] = [await runSmall({ api }), await runSmall({ api })];

    expect(one.host.usages).toHaveLength(8);
    expect(other.host.usages).toEqual(one.host.usages);
  });

  it("refuses a request over the window and accepts the next one", async () => {
    await using model = await openTestModel({
      kind: "scripted",
      task: smallTask,
      seed: 1,
      api,
      contextWindow: 20,
    });
    const host = fakeHost({ access: model.access, workspace: tmpdir() });

    await host.prompt(smallTask.steps[0]?.type === "prompt" ? smallTask.steps[0].text : "");

    expect(host.errors.join()).toMatch(
      api === "anthropic-messages" ? /prompt is too long/u : /context_length_exceeded/u,
    );
    expect(model.log).toEqual([expect.objectContaining({ deed: "over-window" })]);
  });
});

describe("a forgetful model", () => {
  it("opens what a line names", async () => {
    const run = await runSmall({ keeps: 2 });

    expect(run.answers.at(-1)).toBe(right);
    expect(run.host.called).toEqual(
      // When the file is written and when the question is answered, the two values have left.
      ["bash", "read", "bash", "edit", "activate", "activate", "write", "activate", "activate"],
    );
  });

  it("searches if no line names it", async () => {
    const run = await runSmall({ keeps: 2, canFind: true, sees: withoutHandles });

    expect(run.answers.at(-1)).toBe(right);
    expect(run.deeds).toContain("search");
  });

  it("gives up if nothing shows a value that cannot be had again", async () => {
    const run = await runSmall({ keeps: 1, sees: withoutHandles });

    expect(run.answers.at(-1)).toMatch(/^I do not know/u);
    expect(run.written).toBeUndefined();
    expect(run.deeds.at(-1)).toBe("gave-up");
  });

  it("gets a value again by the moves of the task", async () => {
    const task = { ...smallTask, facts: smallTask.facts.slice(1), steps: withoutCode() };

    const run = await runSmall({ task, keeps: 1, sees: withoutHandles });

    expect(run.answers.at(-1)).toBe("The rate is 41.");
    expect(run.deeds).toContain("recover");
  });

  it("uses the last value that it sees, even if it is not the right one", async () => {
    const [first, ...others] = smallTask.steps;
    const stale = { type: "prompt" as const, text: "By the way:\ndoor code 1111" };
    const task = { ...smallTask, steps: first === undefined ? [] : [first, stale, ...others] };

    const run = await runSmall({ task });

    expect(run.answers.at(-1)).toBe("The code is 1111 and the rate 41.");
  });

  it("keeps a value that it read before it looks at the old text of a file", async () => {
    const steps: typeof smallTask.steps = [
      {
        type: "prompt",
        text: "Update the limits.",
        moves: [
          { type: "run", command: "echo rate = 42 | grep rate" },
          {
            type: "edit",
            path: "src/limits.txt",
            oldText: "rate = 41",
            newText: "rate = {{rate}}",
          },
          { type: "answer", text: "Done." },
        ],
      },
    ];

    const run = await runSmall({ task: { ...smallTask, steps } });

    expect(run.host.called).toEqual(["bash", "read", "edit"]);
    expect(run.limits).toBe("rate = 42\nburst = 7\n");
  });

  it("never has a value from the task", async () => {
    const facts = smallTask.facts.map((fact) => ({ ...fact, value: "wrong" }));

    const run = await runSmall({ task: { ...smallTask, facts } });

    expect(run.answers.at(-1)).toBe(right);
  });

  it("reads a file again after an edit that failed", async () => {
    const steps = smallTask.steps.map((step, index) =>
      step.type === "prompt" && index === 1
        ? {
            ...step,
            moves: [
              { type: "run" as const, command: "echo burst = 7 && sed -i s/7/6/ src/limits.txt" },
              ...(step.moves?.slice(2) ?? []),
            ],
          }
        : step,
    );

    const run = await runSmall({ task: { ...smallTask, steps } });

    expect(run.host.called.slice(1, 5)).toEqual(["bash", "edit", "read", "edit"]);
  });
});

describe("a planted fault", () => {
  it("that hides the newest result makes a forgetful model fail", async () => {
    const [first, second, third] = smallTask.steps;
    if (first === undefined || second === undefined || third?.type !== "prompt") return;
    // The value is needed in the turn that shows it.
    const moves = [
      ...(first.type === "prompt" ? (first.moves ?? []).slice(0, 1) : []),
      ...(third.moves ?? []),
    ];
    const facts = smallTask.facts.slice(0, 1);
    const task = { ...smallTask, facts, steps: [{ ...third, moves }] };

    const [plain, planted] = [
      await runSmall({ task }),
      await runSmall({ task, sees: dropsNewest }),
    ];

    expect(plain.written).toBe("9315 {{rate}}\n");
    expect(planted.answers).toEqual([expect.stringMatching(/^I do not know/u)]);
  });

  test.each([
    ["the newest result", dropsNewest],
    ["handles", withoutHandles],
  ])("that hides %s does not change a scripted model", async (_, sees) => {
    const run = await runSmall({ kind: "scripted", mistakes: 0, keeps: 1, sees });

    expect(run.answers.at(-1)).toBe(right);
    expect(run.host.called).toEqual(["bash", "read", "bash", "edit", "write"]);
  });
});

describe("a scripted model", () => {
  it("makes mistakes and then the right move", async () => {
    const run = await runSmall({ kind: "scripted", mistakes: 1, seed: 3 });

    expect(run.written).toBe("9315 41\n");
    expect(run.deeds.filter((deed) => deed === "mistake")).toHaveLength(5);
  });

  it("makes the same mistakes for the same seed, and others for another one", async () => {
    const called = async (seed: number): Promise<readonly string[]> =>
      (await runSmall({ kind: "scripted", mistakes: 0.4, seed })).host.called;

    const all = await Promise.all([1, 1, 2, 3].map(called));

    expect(all[1]).toEqual(all[0]);
    expect(new Set(all.map(String)).size).toBeGreaterThan(1);
  });
});

describe("a model for tests", () => {
  it("answers a request without tools and continues as if there was none", async () => {
    await using model = await openTestModel({
      kind: "scripted",
      task: smallTask,
      seed: 1,
      mistakes: 0,
    });
    const host = fakeHost({ access: model.access, workspace: tmpdir() });

    const title = await host.title();

    expect(title).toBe("A short text.");
    expect(model.log.map(({ deed }) => deed)).toEqual(["no-tools"]);
  });

  it("knows a later prompt when the turns between had no request", async () => {
    const steps = smallTask.steps.map((step, index) => ({
      ...step,
      ...(step.type === "prompt" && { text: `Prompt ${String(index)}.` }),
    }));
    await using model = await openTestModel({
      kind: "scripted",
      task: { ...smallTask, steps },
      seed: 1,
      mistakes: 0,
    });
    const workspace = await mkdtemp(join(tmpdir(), "scm-models-"));
    const host = fakeHost({ access: model.access, workspace });

    const answer = await host.prompt("[10:15] Prompt 2.");

    await rm(workspace, { recursive: true });
    expect(answer).toBe(right);
    expect(model.failures).toEqual([]);
  });

  it("knows the next prompt with words before and behind it", async () => {
    await using model = await openTestModel({
      kind: "scripted",
      task: smallTask,
      seed: 1,
      mistakes: 0,
    });
    const host = fakeHost({ access: model.access, workspace: tmpdir() });

    await host.prompt("[10:15] Look around and tell me\nwhen you know the code. (in English)");

    expect(model.log.map(({ step }) => step)).toEqual([0, 0]);
    expect(model.failures).toEqual([]);
  });

  it("reports a prompt that the task does not have", async () => {
    await using model = await openTestModel({ kind: "scripted", task: smallTask, seed: 1 });
    const host = fakeHost({ access: model.access, workspace: tmpdir() });

    expect(await host.prompt("What else?")).toBe("Noted.");
    expect(model.failures).toHaveLength(1);
  });

  it("answers a repeated request in the same way", async () => {
    await using model = await openTestModel({
      kind: "scripted",
      task: smallTask,
      seed: 1,
      mistakes: 0,
    });
    const workspace = await mkdtemp(join(tmpdir(), "scm-models-"));
    await mkdir(join(workspace, "src"));
    await writeFile(join(workspace, "src/limits.txt"), "burst = 7");
    const host = fakeHost({ access: model.access, workspace });
    await host.prompt("Look around and tell me when you know the code.");

    await host.repeat();
    const answer = await host.prompt("Continue.");

    await rm(workspace, { recursive: true });
    expect(model.log.map(({ deed }) => deed).slice(0, 4)).toEqual([
      "move",
      "answer",
      "repeat",
      "move",
    ]);
    expect(answer).toBe("Done.");
  });

  it("continues in a new session", async () => {
    const [first, ...others] = smallTask.steps;
    const steps = first === undefined ? [] : [first, { type: "session" as const }, ...others];

    const run = await runSmall({ kind: "scripted", mistakes: 0, task: { ...smallTask, steps } });

    expect(run.answers.at(-1)).toBe(right);
    expect(run.failures).toEqual([]);
  });
});

/** The steps with only the value that a file has. */
function withoutCode(): typeof smallTask.steps {
  return smallTask.steps.map((step, index) =>
    step.type === "prompt" && index === 2
      ? { ...step, moves: [{ type: "answer" as const, text: "The rate is {{rate}}." }] }
      : step,
  );
}
