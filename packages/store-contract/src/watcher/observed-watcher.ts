import type { FileSighting, KnownFile, Sighting, Watcher } from "@self-context-manager/objects";
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import {
  emptyFolder,
  type OpenWatcher,
  type WatcherScenario,
  type WatcherScenarioOptions,
} from "./watcher-place.ts";

/** A watcher over a separate folder, with everything that it has reported. */
export interface ObservedWatcher {
  readonly watcher: Watcher;
  readonly folder: string;
  /** The round of a long run, from 0. */
  readonly round: number;
  /** All reported sightings, in order. */
  readonly reported: readonly Sighting[];
  /** Returns the path of a name in the folder. */
  readonly at: (...names: readonly string[]) => string;
  /** Writes a file and creates its folders. Returns its path. */
  readonly write: (name: string, text: string) => Promise<string>;
  /** Adds files in their current state to the watcher. Waits until they are watched. */
  readonly know: (...names: readonly string[]) => Promise<readonly FileSighting[]>;
  /** Waits until the last report of a path meets a condition. */
  readonly until: (
    path: string,
    isSo: (last: Sighting) => boolean,
    what: string,
  ) => Promise<Sighting>;
  readonly untilAbsent: (path: string) => Promise<void>;
  readonly untilSize: (path: string, size: number) => Promise<FileSighting>;
  /** Waits until a change and an absence that happen after all others have been reported. */
  readonly untilQuiet: () => Promise<void>;
}

const usualDeadline = 20_000;

/** Runs a scenario with a watcher on a new folder, which is its root. */
export async function observe(
  openWatcher: OpenWatcher,
  { deadline = usualDeadline, round = 0 }: WatcherScenarioOptions,
  scenario: (observed: ObservedWatcher) => Promise<void>,
  options: { readonly maxWatches?: number } = {},
): Promise<void> {
  await using place = await emptyFolder();
  const folder = join(place.path, "root");
  await mkdir(folder);
  await using watcher = openWatcher({ roots: [folder], ...options });
  const reported: Sighting[] = [];
  const last = new Map<string, Sighting>();
  const waiting = new Set<() => void>();
  watcher.listen((sightings) => {
    for (const sighting of sightings) {
      reported.push(sighting);
      last.set(sighting.path, sighting);
    }
    for (const look of waiting) look();
  });

  const at = (...names: readonly string[]): string => join(folder, ...names);

  async function until(
    path: string,
    isSo: (sighting: Sighting) => boolean,
    what: string,
  ): Promise<Sighting> {
    return await new Promise((resolve, reject) => {
      const look = (): void => {
        const sighting = last.get(path);
        if (sighting === undefined || !isSo(sighting)) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve(sighting);
      };
      const timer = setTimeout(() => {
        waiting.delete(look);
        const seen = JSON.stringify(last.get(path) ?? "nothing");
        reject(
          new assert.AssertionError({
            message: `${path} was not reported as ${what}; the last report is ${seen}`,
          }),
        );
      }, deadline);
      waiting.add(look);
      look();
    });
  }

  async function write(name: string, text: string): Promise<string> {
    const path = at(name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  async function know(...names: readonly string[]): Promise<readonly FileSighting[]> {
    const sightings = await watcher.look(names.map((name) => at(name)));
    await watcher.add(sightings.map(asKnown));
    await watcher.ready();
    return sightings.filter((sighting) => sighting.state === "file");
  }

  async function untilAbsent(path: string): Promise<void> {
    await until(path, ({ state }) => state === "absent", "absent");
  }

  async function untilSize(path: string, size: number): Promise<FileSighting> {
    const isSo = (one: Sighting): boolean => one.state === "file" && one.size === size;
    return (await until(path, isSo, `a file of ${size} bytes`)) as FileSighting;
  }

  let markers = 0;
  async function untilQuiet(): Promise<void> {
    markers += 1;
    const changed = `marker-${markers}-changed`;
    const removed = `marker-${markers}-removed`;
    await write(changed, "1");
    await write(removed, "1");
    await know(changed, removed);
    await write(changed, "22");
    await rm(at(removed));
    await untilSize(at(changed), 2);
    await untilAbsent(at(removed));
    watcher.remove([at(changed), at(removed)]);
  }

  await scenario({
    round,
    watcher,
    folder,
    reported,
    at,
    write,
    know,
    until,
    untilAbsent,
    untilSize,
    untilQuiet,
  });
}

/** Returns the data that a session keeps of a file that it read when the sighting was made. */
export function asKnown(sighting: Sighting): KnownFile {
  const { path } = sighting;
  if (sighting.state !== "file") return { path, seen: "absent" };
  return {
    path,
    seen: { size: sighting.size, modified: sighting.modified, node: sighting.node },
  };
}

/** Returns a scenario that runs with one watcher on one folder. */
export function watching(
  scenario: (observed: ObservedWatcher) => Promise<void>,
  options: { readonly maxWatches?: number } = {},
): WatcherScenario {
  return async (openWatcher, scenarioOptions = {}) =>
    await observe(openWatcher, scenarioOptions, scenario, options);
}
