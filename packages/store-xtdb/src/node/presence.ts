import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { DataFolder } from "./data-folder.ts";
import { isAlive } from "./processes.ts";

const keepName = "keep";

/** That this process uses a node. */
export interface Presence {
  /** Says so, again where it was said before: a node that is started anew finds it. */
  announce(): Promise<void>;
  withdraw(): Promise<void>;
}

/** The presence of this process at a node. The node itself looks whether the process lives. */
export function presenceAt(data: DataFolder): Presence {
  const file = join(data.clients, `${process.pid}.${randomUUID()}`);
  return {
    async announce() {
      await mkdir(data.clients, { recursive: true, mode: 0o700 });
      await writeFile(file, "");
    },
    async withdraw() {
      await rm(file, { force: true });
    },
  };
}

/** Says whether the node stays when nobody uses it. */
export async function setKept(data: DataFolder, kept: boolean): Promise<void> {
  const file = join(data.clients, keepName);
  if (!kept) {
    await rm(file, { force: true });
    return;
  }
  await mkdir(data.clients, { recursive: true, mode: 0o700 });
  await writeFile(file, "");
}

/** Who uses a node, as far as processes can be told apart by their numbers. */
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
