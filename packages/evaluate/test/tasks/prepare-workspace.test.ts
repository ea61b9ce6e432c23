import { execFileSync } from "node:child_process";
import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyChange } from "../../src/tasks/apply-change.ts";
import { prepareWorkspace } from "../../src/tasks/prepare-workspace.ts";
import { aFolder } from "./a-folder.ts";
import { aTask } from "./a-task.ts";

function git(folder: string, ...args: readonly string[]): string {
  const name = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"];
  return execFileSync("git", [...name, ...args], { cwd: folder, encoding: "utf8" }).trim();
}

/** A repository with two commits, of which the first one is returned. */
async function aRepository(folder: string): Promise<string> {
  await mkdir(folder);
  git(folder, "init", "--quiet");
  await writeFile(join(folder, "code.txt"), "first\n");
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "-m", "first");
  const commit = git(folder, "rev-parse", "HEAD");
  await writeFile(join(folder, "code.txt"), "solution\n");
  git(folder, "commit", "--quiet", "-a", "-m", "second");
  return commit;
}

describe("a prepared workspace", () => {
  it("has the files of the task in one commit that is the same everywhere", async () => {
    await using place = await aFolder();
    const [one, two] = [join(place.path, "one"), join(place.path, "two")];
    for (const folder of [one, two]) await prepareWorkspace(aTask({}), folder);

    expect(git(one, "status", "--porcelain")).toBe("");
    expect(git(one, "rev-list", "--count", "HEAD")).toBe("1");
    expect(git(one, "rev-parse", "HEAD")).toBe(git(two, "rev-parse", "HEAD"));
    expect(git(one, "ls-files")).toBe("src/sum.js");
  });

  it("has the files of a folder, and the task's own files over them", async () => {
    await using place = await aFolder();
    const [source, target] = [join(place.path, "source"), join(place.path, "target")];
    await mkdir(join(source, ".git"), { recursive: true });
    await writeFile(join(source, "kept.txt"), "kept");
    await writeFile(join(source, "other.txt"), "replaced");
    const task = aTask({ workspace: { folder: source, files: { "other.txt": "own" } } });

    await prepareWorkspace(task, target);

    expect(await readFile(join(target, "kept.txt"), "utf8")).toBe("kept");
    expect(await readFile(join(target, "other.txt"), "utf8")).toBe("own");
  });

  it("has repositories at their commits without later ones, each in its folder", async () => {
    await using place = await aFolder();
    const [url, target] = [join(place.path, "source"), join(place.path, "target")];
    const commit = await aRepository(url);
    const repositories = ["", "inner/a"].map((path) => ({ path, url, commit }));

    await prepareWorkspace(aTask({ workspace: { files: {}, repositories } }), target);

    for (const folder of [target, join(target, "inner/a")]) {
      expect(await readFile(join(folder, "code.txt"), "utf8")).toBe("first\n");
      expect(git(folder, "log", "--all", "--format=%s")).toBe("Begin");
      expect(git(folder, "status", "--porcelain")).toBe("");
    }
  });

  it.each(["../a.txt", "/a.txt", "a//b", "a\\b", ".git/config", "x/.GIT/hooks/a", ""])(
    "cannot have the path %j",
    async (path) => {
      await using place = await aFolder();
      const task = aTask({ workspace: { files: { [path]: "text" } } });

      const prepared = prepareWorkspace(task, join(place.path, "workspace"));

      await expect(prepared).rejects.toMatchObject({ code: "EVALUATE_TASK" });
      expect((await readdir(place.path)).toSorted()).toEqual(["workspace"]);
    },
  );

  it("cannot be left by a link, and a link at the place of a file is replaced", async () => {
    await using place = await aFolder();
    const [outside, folder] = [join(place.path, "outside"), join(place.path, "workspace")];
    await mkdir(outside);
    await prepareWorkspace(aTask({}), folder);
    await symlink(outside, join(folder, "way"));
    await writeFile(join(outside, "kept.txt"), "kept");
    await symlink(join(outside, "kept.txt"), join(folder, "file.txt"));

    const change = (path: string): Promise<void> =>
      applyChange({ type: "change", files: { [path]: "new" } }, folder);

    await expect(change("way/new.txt")).rejects.toThrow("leaves the workspace");
    await change("file.txt");
    expect(await readFile(join(outside, "kept.txt"), "utf8")).toBe("kept");
    expect(await readFile(join(folder, "file.txt"), "utf8")).toBe("new");
  });

  it("is changed by a step: files are written and deleted", async () => {
    await using place = await aFolder();
    await prepareWorkspace(aTask({}), place.path);
    const files = { "src/sum.js": null, "new/file.txt": "new", "src/absent.js": null };

    await applyChange({ type: "change", files }, place.path);

    expect(git(place.path, "status", "--porcelain", "-uall")).toBe("D src/sum.js\n?? new/file.txt");
  });
});
