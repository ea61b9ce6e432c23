import { describe, expect, it } from "vitest";
import { ownTasks } from "../../src/tasks/own-tasks.ts";
import { taskHash } from "../../src/tasks/task-hash.ts";
import { describeFacts, describeTasks } from "./describe-tasks.ts";

const tasks = ownTasks(1);

// All tasks are played in a long run, and if the package has changed.
const oneOfEach = [...Map.groupBy(tasks, ({ family }) => family).values()]
  .map((own) => own.slice(0, 1))
  .flat();

describeTasks(oneOfEach, { isShort: true });

// The first and the last fact, because a long episode has a hundred.
describeFacts(oneOfEach, (facts) => [...new Set([...facts.slice(0, 1), ...facts.slice(-1)])]);

describe("the generated tasks", () => {
  it("are the same for the same seed, and others for other seeds", () => {
    const hashes = (seed: number): readonly string[] => ownTasks(seed).map(taskHash);

    expect(hashes(1)).toEqual(tasks.map(taskHash));
    expect(new Set([1, 2, 3].flatMap(hashes)).size).toBe(3 * tasks.length);
  });

  it("have names of their own", () => {
    expect(new Set(tasks.map(({ name }) => name)).size).toBe(tasks.length);
  });
});
