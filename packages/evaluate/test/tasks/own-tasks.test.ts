import { describe, expect, it } from "vitest";
import { ownTasks } from "../../src/tasks/own-tasks.ts";
import { taskHash } from "../../src/tasks/task-hash.ts";
import { describeFacts, describeTasks } from "./describe-tasks.ts";

const tasks = ownTasks(1);

describeTasks(tasks, { isShort: false });

// The first and the last fact, because a long episode has a hundred.
describeFacts(tasks, (facts) => [...new Set([...facts.slice(0, 1), ...facts.slice(-1)])]);

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
