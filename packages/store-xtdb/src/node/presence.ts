import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { DataFolder } from "./data-folder.ts";
import { makeFolder } from "./make-folder.ts";
import { isAlive } from "./processes.ts";

const keepName = "keep";

/** The mark that this process uses a node. */
export interface Presence {
  /** Sets the mark, also if it was set before, so that a restarted node finds it. */
  announce(): Promise<void>;
  withdraw(): Promise<void>;
}

/** Returns the mark of this process for a node. The node itself checks whether the process lives. */
export function presenceAt(data: DataFolder): Presence {
  const file = join(data.clients, `${process.pid}.${randomUUID()}`);
  return {
    async announce() {
      await makeFolder(data.clients);
      await writeFile(file, "");
    },
    async withdraw() {
      await rm(file, { force: true });
    },
  };
}

/** Sets whether the node keeps running when no process uses it. */
export async function setKept(data: DataFolder, kept: boolean): Promise<void> {
  const file = join(data.clients, keepName);
  if (!kept) {
    await rm(file, { force: true });
    return;
  }
  await makeFolder(data.clients);
  await writeFile(file, "");
}

/** Returns the processes that use a node, by process id, and whether the node is kept. */
export async function presentAt(
  data: DataFolder,
): Promise<{ readonly pids: readonly number[]; readonly kept: boolean }> {
  if (!existsSync(data.clients)) return { pids: [], kept: false };
  const names = await readdir(data.clients);
  const pids = new Set(names.map((name) => Number.parseInt(name, 10)).filter(Number.isInteger));
  return {
    pids: [...pids].filter(isAlive).toSorted((a, b) => a - b),
    kept: names.includes(keepName),
  };
}
