import { describe, expect, it } from "vitest";
import type { Fact } from "../../src/model/task.ts";
import { ownTasks } from "../../src/tasks/own-tasks.ts";
import { taskFault } from "../../src/tasks/task-fault.ts";
import { taskHash } from "../../src/tasks/task-hash.ts";
import { playMoves } from "./play-moves.ts";

/** A value of the same form as the right one, with another last letter or digit. */
function otherValue({ value }: Fact): string {
  return value.replace(/[a-z0-9](?=[^a-z0-9]*$)/iu, (last) =>
    /\d/u.test(last) ? String((Number(last) + 1) % 10) : last === "e" ? "a" : "e",
  );
}

const tasks = [1, 2, 3].flatMap(ownTasks);

describe.concurrent.each(
  tasks.map((task) => ({ task, name: `${task.name} with seed ${String(task.seed)}` })),
)("the task $name", ({ task }) => {
  it("has parts that fit each other", () => {
    expect(taskFault(task)).toBe(undefined);
  });

  it("is solved by its moves, which find each value in what they were shown", async () => {
    const { results, faults } = await playMoves(task, { isShort: task.seed > 1 });

    expect({ faults, failed: results.filter(({ isPassed }) => !isPassed) }).toEqual({
      faults: [],
      failed: [],
    });
  });

  it("is not solved by promises", async () => {
    const { results } = await playMoves(task, { moves: false });

    expect(results.some(({ isPassed }) => !isPassed)).toBe(true);
  });
});

// The first and the last fact of each task, because a long episode has a hundred.
const wrong = ownTasks(1).flatMap((task) =>
  [...new Set([task.facts[0], task.facts.at(-1)])].flatMap((fact) =>
    fact === undefined ? [] : [{ task, fact, name: `${task.name}: ${fact.id}` }],
  ),
);

describe.concurrent.each(wrong)("the fact of $name", ({ task, fact }) => {
  it("is needed: the task is not solved with another value", async () => {
    const { results } = await playMoves(task, {
      values: new Map([[fact.id, otherValue(fact)]]),
      isShort: true,
    });

    expect(results.some(({ isPassed }) => !isPassed)).toBe(true);
  });
});

describe("the generated tasks", () => {
  it("are the same for the same seed, and others for other seeds", () => {
    const hashes = (seed: number): readonly string[] => ownTasks(seed).map(taskHash);

    expect(hashes(1)).toEqual(hashes(1));
    expect(new Set([1, 2, 3].flatMap(hashes)).size).toBe(tasks.length);
  });

  it("have names of their own", () => {
    const names = ownTasks(1).map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
  });
});
