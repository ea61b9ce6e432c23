import { describe, expect, it } from "vitest";
import type { Fact, Task } from "../../src/model/task.ts";
import { interferenceTasks } from "../../src/tasks/interference/interference-tasks.ts";
import { longTasks } from "../../src/tasks/long/long-tasks.ts";
import { memoryTasks } from "../../src/tasks/memory/memory-tasks.ts";
import { playMoves, type ShownText } from "./play-moves.ts";

const prompts = (task: Task): number => task.steps.filter(({ type }) => type === "prompt").length;

const calls = (task: Task): number =>
  task.steps.reduce(
    (sum, step) => sum + (step.type === "prompt" ? (step.moves?.length ?? 0) : 0),
    0,
  );

/** The number of prompts between the first text that shows a fact and the last prompt that needs it. */
function distance({ pattern, value, neededAt }: Fact, shown: readonly ShownText[]): number {
  const from = shown.find(({ text }) => new RegExp(pattern, "mu").exec(text)?.[1] === value)?.step;
  const until = Math.max(...neededAt);
  return new Set(
    shown.flatMap(({ kind, step }) =>
      kind === "prompt" && from !== undefined && step > from && step <= until ? step : [],
    ),
  ).size;
}

describe.each(longTasks(1).map((task) => ({ task, name: task.name })))(
  "the long episode $name",
  ({ task }) => {
    it("has 100 to 300 prompts of 1 to 220 words and at most 2.2 calls for each", () => {
      const words = task.steps.flatMap((step) =>
        step.type === "prompt" ? step.text.split(/\s+/u).length : [],
      );

      expect(prompts(task)).toBeGreaterThanOrEqual(100);
      expect(prompts(task)).toBeLessThanOrEqual(300);
      expect(calls(task) / prompts(task)).toBeLessThanOrEqual(2.2);
      expect(Math.max(...words)).toBeLessThanOrEqual(220);
    });

    it("has 60,000 to 400,000 tokens, long outputs, and facts that are needed 50 prompts later", async () => {
      const { shown } = await playMoves(task);
      const tokens = shown.reduce((sum, { text }) => sum + text.length / 4, 0);
      const long = shown.filter(({ kind, text }) => kind === "output" && text.length > 12_000);
      const late = task.facts.filter((fact) => distance(fact, shown) >= 50);

      expect(tokens).toBeGreaterThanOrEqual(60_000);
      expect(tokens).toBeLessThanOrEqual(400_000);
      expect(long.length).toBeGreaterThanOrEqual(2);
      expect(late.length).toBeGreaterThanOrEqual(6);
    });
  },
);

/** The task with one more prompt before the last one that needs each fact: there it is got again. */
function withRecovery(task: Task, facts: readonly Fact[]): Task {
  const steps = task.steps.flatMap((step, index) => [
    ...facts
      .filter(({ neededAt }) => Math.max(...neededAt) === index)
      .map(({ id, recover = [] }) => ({
        type: "prompt" as const,
        text: `again: ${id}`,
        moves: recover,
      })),
    step,
  ]);
  return { ...task, steps, checks: [] };
}

describe.each(
  [...memoryTasks(1), ...interferenceTasks(1)].map((task) => ({ task, name: task.name })),
)("the task $name", ({ task }) => {
  it("has moves that get each fact again", async () => {
    const facts = task.facts.filter(({ recover, value, neededAt }) => {
      const last = task.steps[Math.max(...neededAt)];
      const isInPrompt = last?.type === "prompt" && last.text.includes(value);
      // The folder of this test has no history.
      return recover !== undefined && !isInPrompt && !JSON.stringify(recover).includes("git ");
    });
    const { shown } = await playMoves(withRecovery(task, facts));
    const found = facts.map(({ id, pattern }) => {
      const step = shown.find(({ text }) => text === `again: ${id}`)?.step;
      const output = shown.findLast((part) => part.kind === "output" && part.step === step);
      return [id, [...(output?.text ?? "").matchAll(new RegExp(pattern, "gmu"))].at(-1)?.[1]];
    });

    expect(found).toEqual(facts.map(({ id, value }) => [id, value]));
  });
});

describe("the families", () => {
  it("have eight long episodes, six tasks of memory and six of interference", () => {
    expect(
      [longTasks(1), memoryTasks(1), interferenceTasks(1)].map(({ length }) => length),
    ).toEqual([8, 6, 6]);
  });

  it("have sessions in each task of memory, and changes, equal names or poison in each of interference", () => {
    const types = (task: Task): readonly string[] => task.steps.map(({ type }) => type);

    for (const task of memoryTasks(1))
      expect(types(task).filter((type) => type === "session")).toHaveLength(2);
    for (const task of interferenceTasks(1))
      expect(types(task).includes("change") || task.name.includes("poisoned")).toBe(true);
  });

  it("name the tasks that only a store can solve, and give each other fact of memory a way back", () => {
    for (const task of memoryTasks(1)) {
      const isLost = task.facts.some(({ recover }) => recover === undefined);

      expect(isLost).toBe(task.title.includes("only with a store"));
    }
  });
});
