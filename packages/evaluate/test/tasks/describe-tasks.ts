import { describe, expect, it } from "vitest";
import type { Fact, Task } from "../../src/model/task.ts";
import { taskFault } from "../../src/tasks/task-fault.ts";
import { playMoves } from "./play-moves.ts";

/** Registers the tests that each task passes. `isShort` leaves out commands whose output has no fact. */
export function describeTasks(
  tasks: readonly Task[],
  { isShort }: { readonly isShort: boolean },
): void {
  const named = tasks.map((task) => ({
    task,
    name: `${task.name} with seed ${String(task.seed)}`,
  }));
  describe.concurrent.each(named)("the task $name", ({ task }) => {
    it("has parts that fit each other", () => {
      expect(taskFault(task)).toBe(undefined);
    });

    it("is solved by its moves, which find each value in what they were shown", async () => {
      const { results, faults } = await playMoves(task, { isShort });

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
}

/** Registers a test for each of the chosen facts of each task: another value does not solve it. */
export function describeFacts(
  tasks: readonly Task[],
  chosen: (facts: readonly Fact[]) => readonly Fact[],
): void {
  const named = tasks.flatMap((task) =>
    chosen(task.facts).map((fact) => ({ task, fact, name: `${task.name}: ${fact.id}` })),
  );
  describe.concurrent.each(named)("the fact of $name", ({ task, fact }) => {
    it("is needed: the task is not solved with another value", async () => {
      const values = new Map([[fact.id, otherValue(fact)]]);

      const { results } = await playMoves(task, { values, isShort: true });

      expect(results.some(({ isPassed }) => !isPassed)).toBe(true);
    });
  });
}

/** A value of the same form as the right one, with another last letter or digit. */
function otherValue({ value }: Fact): string {
  return value.replace(/[a-z0-9](?=[^a-z0-9]*$)/iu, (last) =>
    /\d/u.test(last) ? String((Number(last) + 1) % 10) : last === "e" ? "a" : "e",
  );
}
