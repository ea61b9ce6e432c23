import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { taskHash } from "../../src/tasks/task-hash.ts";
import { aFolder } from "./a-folder.ts";
import { aTask } from "./a-task.ts";

describe("the hash of a task", () => {
  it("does not depend on the order of fields", () => {
    const task = aTask({});
    const turned = aTask(Object.fromEntries(Object.entries(task).toReversed()));

    expect(taskHash(turned)).toBe(taskHash(task));
  });

  it.each([
    ["seed", { seed: 7 }],
    ["files", { workspace: { files: { "a.txt": "a" } } }],
    ["hidden files", { hidden: { "a.txt": "a" } }],
  ])("depends on the %s", (_, parts) => {
    expect(taskHash(aTask(parts))).not.toBe(taskHash(aTask({})));
  });

  it("depends on the files of a folder, not on its place", async () => {
    await using place = await aFolder();
    const inFolder = async (name: string, text: string): Promise<string> => {
      const folder = join(place.path, name);
      await mkdir(join(folder, "inner"), { recursive: true });
      await writeFile(join(folder, "inner", "file.txt"), text);
      return taskHash(aTask({ workspace: { files: {}, folder } }));
    };

    expect(await inFolder("one", "text")).toBe(await inFolder("two", "text"));
    expect(await inFolder("one", "text")).not.toBe(await inFolder("three", "other"));
  });

  it("depends on the commit of a repository, not on its place", () => {
    const at = (url: string, commit: string): string =>
      taskHash(aTask({ workspace: { files: {}, repositories: [{ path: "", url, commit }] } }));

    expect(at("/one", "a")).toBe(at("/two", "a"));
    expect(at("/one", "a")).not.toBe(at("/one", "b"));
  });
});
