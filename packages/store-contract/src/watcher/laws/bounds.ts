import { WatcherError } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { appendFile, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { observe, watching } from "../observed-watcher.ts";
import type { WatcherScenario } from "../watcher-place.ts";
import { paths } from "./moves.ts";

export const unknownIsSilent: WatcherScenario = watching(
  async ({ at, know, write, reported, untilQuiet, untilAbsent, watcher }) => {
    await write("a.txt", "1");
    const [before] = await know("a.txt");

    for (const name of [".a.txt.swp", "4913", "a.txt~", "#a.txt#", "other.txt", "sub/c.txt"]) {
      await write(name, "1");
      await appendFile(at(name), "2");
    }
    await rm(at("other.txt"));
    await rename(at("a.txt"), at("a.txt.swp~"));
    await untilAbsent(at("a.txt"));
    const files = [{ node: before?.node ?? "", size: 2 }];
    const found = await paths(watcher, { files, since: before?.at ?? 0 });
    await untilQuiet();

    assert.deepEqual(found, [at("sub/c.txt")]);
    const names = new Set(reported.map(({ path }) => path));
    assert.deepEqual(
      [...names].filter((path) => path !== at("a.txt") && !path.includes("marker")),
      [],
    );
  },
);

export const removedIsSilent: WatcherScenario = watching(
  async ({ at, know, write, reported, untilQuiet, untilSize, watcher }) => {
    await write("a.txt", "1");
    await write("b.txt", "1");
    await know("a.txt", "b.txt");
    await write("a.txt", "22");
    await untilSize(at("a.txt"), 2);

    const countBefore = reported.filter(({ path }) => path === at("a.txt")).length;
    watcher.remove([at("a.txt")]);
    await write("a.txt", "333");
    await write("b.txt", "333");
    await untilSize(at("b.txt"), 3);
    await untilQuiet();
    assert.equal(reported.filter(({ path }) => path === at("a.txt")).length, countBefore);

    await know("a.txt");
    await write("a.txt", "4444");
    await untilSize(at("a.txt"), 4);
  },
);

export const watchesAreBounded: WatcherScenario = watching(
  async ({ at, know, write, untilSize, untilAbsent, watcher }) => {
    const names = Array.from({ length: 40 }, (_, index) => `d${index}/a.txt`);
    for (const name of names) await write(name, "1");

    await know(...names);

    assert.equal(watcher.watches.limit, 8);
    assert.equal(watcher.watches.count <= 8, true);
    for (const name of names) await write(name, "22");
    for (const name of names) await untilSize(at(name), 2);
    await rm(at("d39"), { recursive: true });
    await untilAbsent(at("d39/a.txt"));
    // Watches that become free are used for other folders.
    watcher.remove(names.slice(0, 20).map((name) => at(name)));
    await watcher.ready();
    assert.equal(watcher.watches.count <= 8, true);
    await write("d38/a.txt", "333");
    await untilSize(at("d38/a.txt"), 3);
  },
  { maxWatches: 8 },
);

export const searchStaysInside: WatcherScenario = watching(
  async ({ at, folder, know, write, watcher }) => {
    const outside = join(folder, "..", "outside");
    await mkdir(outside);
    await write("a.txt", "1234567");
    await writeFile(join(outside, "b.txt"), "1234567");
    await symlink(outside, at("link"));
    await symlink(join(outside, "b.txt"), at("link.txt"));
    await know("a.txt");
    const [there] = await watcher.look([join(outside, "b.txt")]);

    const node = there?.state === "file" ? there.node : "";

    assert.deepEqual(await paths(watcher, { files: [{ node, size: 7 }] }), [at("a.txt")]);
  },
);

export const closedIsSilent: WatcherScenario = async (openWatcher, options = {}) => {
  await observe(openWatcher, options, async ({ at, know, write, reported, watcher, folder }) => {
    await write("a.txt", "1");
    await know("a.txt");

    await write("a.txt", "22");
    await watcher[Symbol.asyncDispose]();
    // A busy machine can report the change before the watcher is closed.
    const count = reported.length;
    await watcher[Symbol.asyncDispose]();

    await assert.rejects(watcher.add([{ path: at("a.txt") }]), isClosed);
    await assert.rejects(watcher.ready(), isClosed);
    await assert.rejects(watcher.look([at("a.txt")]), isClosed);
    await assert.rejects(watcher.search({ files: [{ size: 1 }] }), isClosed);
    await write("a.txt", "333");
    // When another watcher has seen later changes, the closed one would have reported this change as well.
    await observe(openWatcher, options, async (other) => {
      await other.untilQuiet();
    });
    assert.equal(reported.length, count);
    assert.equal(watcher.watches.count, 0, `${folder} is still watched`);
  });
};

function isClosed(error: unknown): boolean {
  return WatcherError.is(error, "WATCHER_CLOSED");
}
