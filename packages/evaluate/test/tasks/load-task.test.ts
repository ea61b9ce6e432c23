import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Task } from "../../src/model/task.ts";
import { loadTask, loadTasks } from "../../src/tasks/load-task.ts";
import { saveTask } from "../../src/tasks/save-task.ts";
import { taskHash } from "../../src/tasks/task-hash.ts";
import { aFolder } from "./a-folder.ts";
import { aTask } from "./a-task.ts";

const path = fc
  .array(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/u), { minLength: 1, maxLength: 3 })
  // A name with an ending is never a folder of another path.
  .map((parts) => `${parts.join("/")}.txt`);
const text = fc.string({ unit: "grapheme" });
const filled = text.map((one) => `x${one}`);
const line = filled.map((one) => one.replaceAll("\n", " "));
const texts = fc.dictionary(path, text, { maxKeys: 4 });
const moves = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("read" as const), path }),
    fc.record({ type: fc.constant("write" as const), path, content: text }),
    fc.record({ type: fc.constant("edit" as const), path, oldText: filled, newText: text }),
    fc.record({ type: fc.constant("run" as const), command: text }),
  ),
  { maxLength: 3 },
);
const prompt = fc.record(
  {
    type: fc.constant("prompt" as const),
    text: filled,
    moves: fc
      .tuple(moves, text)
      .map(([before, last]) => [...before, { type: "answer" as const, text: `${last}{{one}}` }]),
  },
  { requiredKeys: ["type", "text"] },
);
const step = fc.oneof(
  prompt,
  fc.record({
    type: fc.constant("change" as const),
    files: fc.dictionary(path, fc.option(text), { maxKeys: 3 }),
  }),
  fc.record({ type: fc.constant("session" as const) }),
);
const parts = { includes: fc.array(text), excludes: fc.array(text) };
const check = fc.oneof(
  fc.record(
    {
      type: fc.constant("command" as const),
      command: fc
        .array(text, { minLength: 1 })
        .map(([name = "", ...rest]): [string, ...string[]] => [name, ...rest]),
      folder: path,
      prints: text,
      seconds: fc.integer({ min: 1, max: 900 }),
    },
    { requiredKeys: ["type", "command"] },
  ),
  fc.record(
    { type: fc.constant("answer" as const), step: fc.constant(0), ...parts },
    { requiredKeys: ["type", "step"] },
  ),
  fc.record(
    { type: fc.constant("file" as const), path, content: fc.option(text), ...parts },
    { requiredKeys: ["type", "path"] },
  ),
);
const task: fc.Arbitrary<Task> = fc.record({
  name: fc.constantFrom("external/one", "coding/two.three"),
  family: fc.constantFrom("coding", "long-episode", "memory", "interference", "external"),
  version: fc.integer({ min: 1 }),
  seed: fc.nat(),
  title: line,
  workspace: fc.record({ files: texts }),
  steps: fc.tuple(prompt, fc.array(step, { maxLength: 4 })).map(([one, more]) => [one, ...more]),
  facts: fc
    .record({ value: text, source: text })
    .map((one) => [{ id: "one", pattern: "is (\\d+)", neededAt: [0], recover: [], ...one }]),
  checks: fc
    .array(check, { minLength: 1, maxLength: 4 })
    .map((checks) => checks.map((one, index) => ({ ...one, name: `check ${String(index)}` }))),
  hidden: texts,
  limits: fc.record({ calls: fc.integer({ min: 1 }), minutes: fc.integer({ min: 1 }) }),
});

describe("a task as a folder", () => {
  it("is the same task after it was written and read", async () => {
    await fc.assert(
      fc.asyncProperty(task, async (written) => {
        await using folder = await aFolder();
        await saveTask(written, folder.path);

        const read = await loadTask(folder.path);

        expect(read).toEqual(written);
        expect(taskHash(read)).toBe(taskHash(written));
      }),
      { numRuns: 50 },
    );
  });

  it("has defaults, and paths relative to the folder", async () => {
    const commit = "a".repeat(40);
    await using folder = await aFolder();
    const json = {
      name: "one",
      title: "One.",
      workspace: {
        folder: "code",
        repositories: [
          { url: "../clone", commit },
          { path: "b", url: "https://example.invalid/b", commit },
          { path: "c", url: "git@example.invalid:c.git", commit },
        ],
      },
      steps: [{ type: "prompt", text: "Do it." }],
      checks: [{ type: "file", name: "f", path: "f" }],
      limits: { calls: 5, minutes: 1.5 },
    };
    await writeFile(join(folder.path, "task.json"), JSON.stringify(json));

    const read = await loadTask(folder.path);

    expect(read).toMatchObject({ family: "external", version: 1, seed: 0, facts: [], hidden: {} });
    expect(read.workspace).toEqual({
      files: {},
      folder: join(folder.path, "code"),
      repositories: [
        { path: "", url: join(folder.path, "..", "clone"), commit },
        { path: "b", url: "https://example.invalid/b", commit },
        { path: "c", url: "git@example.invalid:c.git", commit },
      ],
    });
  });
});

it("the example in the documents is a task", async () => {
  const page = join(import.meta.dirname, "../../../../docs/architecture/evaluation-tasks.md");
  const [, json = ""] = /```json\n([^]*?)```/u.exec(await readFile(page, "utf8")) ?? [];
  await using folder = await aFolder();
  await writeFile(join(folder.path, "task.json"), json);

  expect(await loadTask(folder.path)).toMatchObject({ name: "mine/wrong-sum" });
});

const prompts: Task["steps"] = [{ type: "prompt", text: "Do it." }];
const fact = { id: "a", pattern: "(b)", value: "b", neededAt: [0], source: "c" };

describe("a task that is not as the format requires", () => {
  const good = aTask({ checks: [{ type: "answer", name: "a", step: 0 }] });

  it.each<readonly [object, string]>([
    [{ name: "../a" }, 'field name is "../a"; it has to be letters, digits'],
    [{ title: undefined }, "field title is absent; it has to be one line of text"],
    [{ family: "codign" }, 'field family is "codign"; it has to be "coding" or "long-episode"'],
    [{ promts: [] }, "field promts is not known; the fields of the file are name, family"],
    [
      { steps: [{ type: "prompt", text: "a", moves: [{ type: "go" }] }] },
      'field steps[0].moves[0].type is "go"',
    ],
    [{ steps: [{ type: "prompt", test: "a" }] }, "field steps[0].test is not known"],
    [{ steps: [{ type: "session", text: "a" }] }, "field steps[0].text is not known"],
    [{ steps: [{ type: "session" }] }, "field steps[0] has to be a prompt"],
    [
      { steps: [...prompts, { type: "change", files: { "../a": "" } }] },
      'steps[1].files."../a" is "../a"; it has to be a path',
    ],
    [{ checks: [] }, "field checks is empty"],
    [
      { checks: [{ type: "answer", name: "a", step: 1 }] },
      "field checks[0].step is 1, but this step is absent",
    ],
    [{ checks: [{ type: "command", name: "a", command: [] }] }, "field checks[0].command is []"],
    [{ checks: [...good.checks, ...good.checks] }, 'field checks[1].name is "a" a second time'],
    [{ facts: [{ ...fact, pattern: "b" }] }, 'field facts[0].pattern is "b" and has 0 groups'],
    [
      { facts: [{ ...fact, pattern: "(" }] },
      'field facts[0].pattern is "(" and no regular expression',
    ],
    [{ facts: [{ ...fact, neededAt: [3] }] }, "field facts[0].neededAt[0] is 3"],
    [
      { steps: [{ type: "prompt", text: "a", moves: [{ type: "answer", text: "{{b}}" }] }] },
      "contains {{b}}, but no fact has this id",
    ],
    [{ steps: [{ type: "prompt", text: "a", moves: [] }] }, "has to end with its only answer"],
    [
      { limits: { calls: 0, minutes: 1 } },
      "field limits.calls is 0; it has to be a whole number of at least 1",
    ],
    [
      { workspace: { files: {}, repositories: [{ url: "a", commit: "main" }] } },
      'field workspace.repositories[0].commit is "main"',
    ],
  ])("%j is refused", async (parts, message) => {
    await using folder = await aFolder();
    await saveTask({ ...good, workspace: { files: {} }, ...parts }, folder.path);

    const loaded = loadTask(folder.path);

    await expect(loaded).rejects.toMatchObject({
      code: "EVALUATE_TASK",
      message: expect.stringContaining(`${join(folder.path, "task.json")}: `),
    });
    await expect(loaded).rejects.toThrow(message);
  });

  it("is refused if a file is not text", async () => {
    await using folder = await aFolder();
    await saveTask(good, folder.path);
    await writeFile(join(folder.path, "files", "picture"), Buffer.of(0xff, 0xd8));

    await expect(loadTask(folder.path)).rejects.toThrow("picture is not a file of UTF-8 text");
  });
});

describe("a folder of tasks", () => {
  it("has each folder with a task.json, sorted by name", async () => {
    await using folder = await aFolder();
    const checks: Task["checks"] = [{ type: "answer", name: "a", step: 0 }];
    for (const name of ["b", "c", "a/d"]) {
      await saveTask(aTask({ name, checks }), join(folder.path, "some", name));
    }
    await mkdir(join(folder.path, ".cache"));

    const tasks = await loadTasks(folder.path);

    expect(tasks.map(({ name }) => name)).toEqual(["a/d", "b", "c"]);
  });

  it("is refused if it has none, cannot be read, or has two of one name", async () => {
    await using folder = await aFolder();
    await expect(loadTasks(folder.path)).rejects.toThrow("contains no task");
    await expect(loadTasks(join(folder.path, "no"))).rejects.toThrow("cannot be read");

    const task = aTask({ checks: [{ type: "answer", name: "a", step: 0 }] });
    for (const name of ["one", "two"]) await saveTask(task, join(folder.path, name));
    await expect(loadTasks(folder.path)).rejects.toThrow('field name is "external/small", as in');
  });
});
