import { openContextManager } from "@self-context-manager/compose";
import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { run, temporaryStore } from "./temporary-store.ts";

/** Returns the files and folders below a folder that another user of the machine may read, with their modes. */
async function readableIn(folder: string): Promise<readonly string[]> {
  const readable: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const { mode } = await stat(join(folder, name));
    if ((mode & 0o077) !== 0) readable.push(`${name} ${(mode & 0o777).toString(8)}`);
  }
  return readable;
}

test.skipIf(process.platform === "win32")(
  "no other user reads the store, its indexes, its locks, its backups and its exports",
  async () => {
    await using place = await temporaryStore();
    const folder = join(place.workspace, "..", "data", "own");
    const at = join(folder, "store.sqlite");
    // What another program made can be read by all.
    await mkdir(join(place.workspace, "..", "data"));
    await chmod(join(place.workspace, "..", "data"), 0o755);
    const scm = async (...argv: readonly string[]): Promise<number> =>
      (await run(argv, { SCM_STORE: at }, place.workspace)).code;
    const umask = process.umask(0);
    try {
      await using manager = await openContextManager({ at, workspace: place.workspace });
      const session = await manager.openSession({ harness: "pi", sessionId: "s1" });
      await session.recordSystemPrompt("own", "Be brief.");
      await session.find({ words: "any" });
      const codes = [
        await scm("find", "brief"),
        await scm("export", join(folder, "all.jsonl")),
        await scm("backup", join(folder, "day.gz")),
        await scm("backup", join(folder, "days")),
        await scm("restore", join(folder, "day.gz"), "--at", join(folder, "copy.sqlite")),
        await scm("inspect", "s1", "--out", join(folder, "s1.html")),
      ];

      const names = await readdir(folder, { recursive: true });

      expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
      expect(names).toEqual(
        expect.arrayContaining([
          "store.sqlite",
          "store.sqlite-wal",
          "all.jsonl",
          "day.gz",
          "s1.html",
        ]),
      );
      expect(names.filter((name) => name.endsWith(".lock"))).toHaveLength(1);
      expect(names.filter((name) => /search|words|index/u.test(name)).length).toBeGreaterThan(0);
      expect(await readableIn(folder)).toEqual([]);
    } finally {
      process.umask(umask);
    }
  },
);
