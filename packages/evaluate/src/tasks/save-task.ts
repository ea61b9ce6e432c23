import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Task } from "../model/task.ts";
import { writeInside } from "./workspace-path.ts";

/** Writes a task as a folder that `loadTask` reads. */
export async function saveTask(task: Task, folder: string): Promise<void> {
  const { hidden, workspace, ...rest } = task;
  const { files, ...others } = workspace;
  await mkdir(folder, { recursive: true });
  for (const [part, texts] of Object.entries({ files, hidden })) {
    await mkdir(join(folder, part), { recursive: true });
    for (const [path, text] of Object.entries(texts)) {
      await writeInside(join(folder, part), path, text);
    }
  }
  const json = JSON.stringify({ ...rest, workspace: others }, undefined, 2);
  await writeFile(join(folder, "task.json"), `${json}\n`);
}
