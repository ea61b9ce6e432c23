import assert from "node:assert/strict";
import { appendFile, chmod, mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { isMainThread } from "node:worker_threads";

import { testScale } from "../../scale.ts";
import { asKnown, watching } from "../observed-watcher.ts";
import type { WatcherScenario } from "../watcher-place.ts";

export const changeIsReported: WatcherScenario = watching(
  async ({ at, know, write, reported, until, untilSize, watcher }) => {
    await write("a.txt", "1");
    await write("sub/b.txt", "1");
    const [known] = await know("a.txt", "sub/b.txt");

    assert.deepEqual(reported, []);
    await write("a.txt", "22");
    const sighting = await untilSize(at("a.txt"), 2);
    await appendFile(at("sub/b.txt"), "22");
    await untilSize(at("sub/b.txt"), 3);

    assert.deepEqual(sighting, { ...(await watcher.look([at("a.txt")]))[0], at: sighting.at });
    assert.equal(sighting.node, known?.node);
    // The size is the same and the modification time is old: only the time of the status change shows the difference.
    await writeFile(at("a.txt"), "33");
    await utimes(at("a.txt"), 1_000_000_000, 1_000_000_000);
    await until(
      at("a.txt"),
      (one) => one.state === "file" && one.modified === 1_000_000_000_000,
      "as old as it is",
    );
  },
);

export const addCompares: WatcherScenario = watching(
  async ({ at, know, write, reported, watcher, until, untilSize, untilAbsent }) => {
    for (const name of ["same", "changed", "gone", "late", "other"]) await write(name, "1");
    const all = ["same", "changed", "gone", "late", "new", "never", "other"];
    const names = all.map((name) => at(name));
    // Another file with the same size and modification time.
    await write("twin", "2");
    for (const name of ["other", "twin"]) await utimes(at(name), 1_000_000_000, 1_000_000_000);
    const [twin] = await watcher.look([at("twin")]);
    const before = await watcher.look(names);
    await write("changed", "22");
    await write("new", "22");
    await rm(at("gone"));
    await rename(at("twin"), at("other"));

    const added = watcher.add([...before.map(asKnown), { path: at("unseen") }]);
    // This change happens after the file was added and before it is watched.
    await write("late", "22");
    await added;
    await watcher.ready();

    await untilSize(at("changed"), 2);
    await untilSize(at("new"), 2);
    await untilSize(at("late"), 2);
    await untilAbsent(at("gone"));
    await untilAbsent(at("unseen"));
    await until(
      at("other"),
      (one) => one.state === "file" && twin?.state === "file" && one.node === twin.node,
      "the other file",
    );
    await know("same");
    const paths = new Set(reported.map(({ path }) => path));
    assert.equal(paths.has(at("same")), false);
    assert.equal(paths.has(at("never")), false);
  },
);

export const lastStateIsReported: WatcherScenario = watching(
  async ({ at, know, write, untilSize, untilAbsent, untilQuiet, reported }) => {
    await write("a.txt", "1");
    await know("a.txt");

    for (let round = 2; round <= 20; round += 1) {
      await writeFile(at("a.txt"), "x".repeat(round * 2));
      await writeFile(at("a.txt"), "x".repeat(round * 2 + 1));
      // The changes of some rounds are reported one by one. Those of the others overlap.
      if (round % 3 === 0) await untilSize(at("a.txt"), round * 2 + 1);
    }
    await untilSize(at("a.txt"), 41);
    await untilQuiet();
    assert.equal(lastSize(), 41);

    await rm(at("a.txt"));
    await writeFile(at("a.txt"), "back");
    await untilSize(at("a.txt"), 4);
    await rm(at("a.txt"));
    await untilAbsent(at("a.txt"));
    await untilQuiet();
    assert.equal(lastOf()?.state, "absent");

    function lastOf() {
      return reported.findLast(({ path }) => path === at("a.txt"));
    }
    function lastSize(): number | undefined {
      const last = lastOf();
      return last?.state === "file" ? last.size : undefined;
    }
  },
);

export const renameOverIsNoAbsence: WatcherScenario = watching(
  async ({ at, know, write, reported, untilSize, untilQuiet }) => {
    await write("a.txt", "1");
    const [before] = await know("a.txt");
    const absences = (): number =>
      reported.filter(({ path, state }) => path === at("a.txt") && state === "absent").length;

    // Most editors save in this way.
    await write("a.txt.tmp", "22");
    await rename(at("a.txt.tmp"), at("a.txt"));
    const sighting = await untilSize(at("a.txt"), 2);
    assert.notEqual(sighting.node, before?.node);
    // Git checks out another version in this way.
    await rm(at("a.txt"));
    await write("a.txt", "333");
    await untilSize(at("a.txt"), 3);
    // Vim with a backup saves in this way, and slowly. A round in which this process itself was too slow proves
    // nothing. If all rounds are slow, as on a busy machine, none proves anything.
    let forgiven = 0;
    for (let size = 4, quick = 0; quick < 3 && size < 24; size += 1) {
      const start = performance.now();
      const earlier = absences();
      await rename(at("a.txt"), at("a.txt~"));
      await new Promise((resolve) => setTimeout(resolve, editorPause));
      await write("a.txt", "x".repeat(size));
      const isQuick = performance.now() - start < 2 * editorPause;
      await rm(at("a.txt~"));
      await untilSize(at("a.txt"), size);
      if (isQuick) quick += 1;
      else forgiven += absences() - earlier;
    }
    await untilQuiet();

    assert.equal(absences(), forgiven);
  },
);

/** How long an editor may leave a path empty, in milliseconds. */
const editorPause = 70;

export const absenceIsReported: WatcherScenario = watching(
  async ({ at, know, write, untilSize, untilAbsent }) => {
    await write("a.txt", "1");
    await write("x/y/z/b.txt", "1");
    await know("a.txt", "x/y/z/b.txt");

    for (let round = 2; round <= 4; round += 1) {
      await rm(at("a.txt"));
      await rm(at("x"), { recursive: true });
      await untilAbsent(at("a.txt"));
      await untilAbsent(at("x/y/z/b.txt"));
      await write("a.txt", "x".repeat(round));
      await write("x/y/z/b.txt", "x".repeat(round));
      await untilSize(at("a.txt"), round);
      await untilSize(at("x/y/z/b.txt"), round);
      // The folders are new. Files in them are watched again.
      await write("x/y/z/b.txt", "x".repeat(10 * round));
      await untilSize(at("x/y/z/b.txt"), 10 * round);
    }
    // The folder is removed and created again at once.
    await rm(at("x"), { recursive: true });
    await write("x/y/z/b.txt", "x".repeat(50));
    await untilSize(at("x/y/z/b.txt"), 50);
    await write("x/y/z/b.txt", "x".repeat(51));
    await untilSize(at("x/y/z/b.txt"), 51);
  },
);

export const linksAreNotFollowed: WatcherScenario = watching(
  async ({ at, know, write, until, untilSize }) => {
    await write("a.txt", "1");
    await write("other.txt", "333");
    await know("a.txt");

    await rm(at("a.txt"));
    await symlink(at("other.txt"), at("a.txt"));

    await until(at("a.txt"), ({ state }) => state === "other", "no file");
    await rm(at("a.txt"));
    await mkdir(at("a.txt"));
    await rm(at("a.txt"), { recursive: true });
    await write("a.txt", "22");
    await untilSize(at("a.txt"), 2);
  },
);

export const permissionsAreReported: WatcherScenario = watching(
  async ({ at, know, write, until, untilSize }) => {
    await write("a.txt", "1");
    await write("closed/b.txt", "1");
    const [before] = await know("a.txt", "closed/b.txt");

    await chmod(at("a.txt"), 0o000);
    await until(
      at("a.txt"),
      (one) => one.state === "file" && one.changed > (before?.changed ?? 0),
      "changed",
    );
    await chmod(at("a.txt"), 0o644);

    if (!canBecomeNobody()) return;
    await chmod(at(".."), 0o755);
    await chmod(at("closed"), 0o000);
    await write("closed/b.txt", "22");
    process.seteuid?.(nobody);
    try {
      await until(at("closed/b.txt"), ({ state }) => state === "unreadable", "unreadable");
    } finally {
      process.seteuid?.(0);
    }
    await chmod(at("closed"), 0o755);
    await untilSize(at("closed/b.txt"), 2);
  },
);

const nobody = 65_534;

/**
 * Whether the process can act as another user for a while, because root may read everything. Windows has no such
 * users.
 */
function canBecomeNobody(): boolean {
  return isMainThread && process.getuid?.() === 0 && process.seteuid !== undefined;
}

/**
 * Returns how many files change at once. A long run uses 10,000 only in each fifth round, because that takes seconds.
 */
function burstSize(round: number): number {
  if (!testScale.isLong) return 3_000;
  return round % 5 === 0 ? 10_000 : 1_000;
}

export const burstIsComplete: WatcherScenario = watching(
  async ({ at, know, write, reported, untilSize, watcher, round }) => {
    const count = burstSize(round);
    const names = Array.from({ length: count }, (_, index) => `d${index % 20}/f${index}.txt`);
    for (let folder = 0; folder < 20; folder += 1) await mkdir(at(`d${folder}`));
    await inParallel(names, async (name) => await writeFile(at(name), "1"));
    await know(...names);

    await inParallel(names, async (name) => await write(name, "22"));

    for (const name of names) await untilSize(at(name), 2);
    assert.equal(new Set(reported.map(({ path }) => path)).size, count);
    await rm(at("d0"), { recursive: true });
    const gone = await watcher.look(names.map((name) => at(name)));
    assert.equal(gone.filter(({ state }) => state === "absent").length, count / 20);
  },
);

async function inParallel<Item>(
  items: readonly Item[],
  task: (item: Item) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await task(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
