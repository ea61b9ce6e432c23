import type { FileSearch, FileSighting, Watcher } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { copyFile, mkdir, rename, rm } from "node:fs/promises";

import { watching } from "../observed-watcher.ts";
import type { WatcherScenario } from "../watcher-place.ts";

export const movedIsFound: WatcherScenario = watching(
  async ({ at, know, write, untilAbsent, watcher }) => {
    await write("a.txt", "1");
    await mkdir(at("elsewhere/deep"), { recursive: true });
    const before = (await know("a.txt"))[0];
    const since = before?.at ?? 0;

    await rename(at("a.txt"), at("b.txt"));
    await untilAbsent(at("a.txt"));
    assert.deepEqual(await paths(watcher, { files: [{ node: before?.node ?? "" }], since }), [
      at("b.txt"),
    ]);
    await know("b.txt");
    await rename(at("b.txt"), at("elsewhere/deep/c.txt"));
    await untilAbsent(at("b.txt"));
    const [found] = await watcher.search({ files: [{ node: before?.node ?? "" }], since });

    assert.equal(found?.path, at("elsewhere/deep/c.txt"));
    assert.equal(found.born, before?.born);
    assert.equal(found.modified, before?.modified);
  },
);

export const movedFolderIsReported: WatcherScenario = watching(
  async ({ at, know, write, untilAbsent, untilSize, watcher }) => {
    const names = ["top/a.txt", "top/x/b.txt", "top/x/y/c.txt", "top/x/y/d.txt"];
    for (const name of names) await write(name, name);
    const before = await know(...names);
    const files = before.map(({ node }) => ({ node }));
    const since = Math.min(...before.map((one) => one.at));

    await rename(at("top"), at("new"));
    for (const name of names) await untilAbsent(at(name));
    const moved = names.map((name) => name.replace("top", "new"));
    assert.deepEqual(
      await paths(watcher, { files, since }),
      moved.map((name) => at(name)),
    );
    watcher.remove(names.map((name) => at(name)));
    await know(...moved);
    await write("new/x/y/c.txt", "changed");
    await untilSize(at("new/x/y/c.txt"), 7);
    await rename(at("new/x"), at("x2"));
    await untilAbsent(at("new/x/b.txt"));
    await untilAbsent(at("new/x/y/c.txt"));
    const last = await paths(watcher, { files, since });
    assert.deepEqual(
      last,
      ["new/a.txt", "x2/b.txt", "x2/y/c.txt", "x2/y/d.txt"].map((name) => at(name)),
    );
  },
);

export const copyIsFound: WatcherScenario = watching(
  async ({ at, know, write, untilAbsent, watcher }) => {
    await write("a.txt", "some text");
    await write("unlike.txt", "other");
    await mkdir(at("sub"));
    const [before] = await know("a.txt");

    await copyFile(at("a.txt"), at("sub/copy.txt"));
    await rm(at("a.txt"));
    await untilAbsent(at("a.txt"));

    const search = { files: [{ size: before?.size ?? 0 }] };
    assert.deepEqual(await paths(watcher, search), [at("sub/copy.txt")]);
    assert.deepEqual(await paths(watcher, { ...search, since: before?.at ?? 0 }), [
      at("sub/copy.txt"),
    ]);
  },
);

export const caseRenameIsReported: WatcherScenario = watching(
  async ({ at, know, write, untilAbsent, watcher }) => {
    await write("sub/readme.md", "1");
    const [before] = await know("sub/readme.md");

    await rename(at("sub/readme.md"), at("sub/README.md"));
    await untilAbsent(at("sub/readme.md"));

    const files = [{ node: before?.node ?? "" }];
    assert.deepEqual(await paths(watcher, { files, since: before?.at ?? 0 }), [
      at("sub/README.md"),
    ]);
  },
);

export async function paths(watcher: Watcher, wanted: FileSearch): Promise<readonly string[]> {
  const found: readonly FileSighting[] = await watcher.search(wanted);
  return found.map(({ path }) => path).toSorted();
}
