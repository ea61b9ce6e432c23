import type { Sighting } from "@self-context-manager/core";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";

import { isFresh } from "../src/look-at.ts";
import { watchFiles } from "../src/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

function seenAt(at: number, changed: number): Sighting {
  return { state: "file", path: "/a", at, node: "1:1", size: 1, modified: changed, changed };
}

describe("a sighting", () => {
  it("is fresh a moment after its file changed, or while it changes", () => {
    expect(isFresh(seenAt(1_000_050, 1_000_000.5))).toBe(true);
    expect(isFresh(seenAt(1_000_000, 1_000_020.5))).toBe(true);
  });

  it("is not fresh later, nor where the clocks differ", () => {
    expect(isFresh(seenAt(1_001_000, 1_000_000))).toBe(false);
    expect(isFresh(seenAt(1_000_000, 1_060_000))).toBe(false);
    expect(isFresh({ state: "absent", path: "/a", at: 0 })).toBe(false);
    expect(isFresh(undefined)).toBe(false);
  });
});

/** How often a file is told whose size and times stay, while an event has the watcher look at it again. */
async function timesTold(age: number): Promise<number> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.txt");
  const marker = join(folder.path, "marker");
  await writeFile(path, "text");
  const at = (await stat(path)).ctimeMs + age;
  await using watcher = watchFiles({ roots: [folder.path], clock: { now: () => at } });
  const told: string[] = [];
  watcher.listen((sightings) => told.push(...sightings.map((one) => one.path)));
  await watcher.add([{ path }, { path: marker, seen: "absent" }]);
  await watcher.ready();

  // Where cases are told apart, this is an event for a file that nothing happened to.
  await writeFile(join(folder.path, "A.TXT"), "text");
  await new Promise((resolve) => setTimeout(resolve, 50));
  await writeFile(marker, "text");
  await expect.poll(() => told, { timeout: 10_000 }).toContain(marker);

  return told.filter((one) => one === path).length;
}

test.runIf(process.platform === "linux")(
  "after an event a file is told again that was fresh when it was told",
  async () => {
    expect(await timesTold(10)).toBeGreaterThan(1);
    expect(await timesTold(1_000)).toBe(1);
  },
);
