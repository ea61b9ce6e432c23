import type { TaskStep } from "../model/task.ts";
import { removeInside, writeInside } from "./workspace-path.ts";

/** Does what another program does between two prompts: writes and deletes files of a workspace. */
export async function applyChange(
  step: Extract<TaskStep, { readonly type: "change" }>,
  folder: string,
): Promise<void> {
  for (const [path, text] of Object.entries(step.files)) {
    await (text === null ? removeInside(folder, path) : writeInside(folder, path, text));
  }
}
