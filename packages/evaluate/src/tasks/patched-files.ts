import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TaskFiles } from "../model/task.ts";
import { git } from "./git.ts";

/**
 * The files that a patch changes or adds, as they are after it. The repository stays as it is: the index and the new objects
 * are in a folder of their own. Files that the patch deletes are left out.
 */
export async function patchedFiles(
  repository: string,
  commit: string,
  patch: string,
): Promise<TaskFiles> {
  if (patch.trim() === "") return {};
  const place = await mkdtemp(join(tmpdir(), "scm-patch-"));
  try {
    const [objects, file] = [join(place, "objects"), join(place, "tests.patch")];
    await mkdir(objects);
    await writeFile(file, patch.endsWith("\n") ? patch : `${patch}\n`);
    const known = (await git(repository, ["rev-parse", "--git-path", "objects"])).trim();
    const apart = {
      GIT_INDEX_FILE: join(place, "index"),
      GIT_OBJECT_DIRECTORY: objects,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: resolve(repository, known),
    };
    await git(repository, ["read-tree", commit], apart);
    await git(repository, ["apply", "--cached", "--whitespace=nowarn", file], apart);
    const changed = await git(
      repository,
      ["diff", "--cached", "--name-only", "--no-renames", "--diff-filter=AM", "-z", commit],
      apart,
    );
    const files: [string, string][] = [];
    for (const path of changed.split("\0").filter((one) => one !== ""))
      files.push([path, await git(repository, ["show", `:${path}`], apart)]);
    return Object.fromEntries(files);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
