import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { changeStore } from "../stores/damage.ts";

/** A copy of the recorded store, in which one letter of a tool's output was changed. */
export interface DamagedCopy {
  readonly storePath: string;
  /** The first call whose view shows the changed output. */
  readonly call: number;
}

/** The output of the first call, a list of all files, is in view from the second call until the first epoch ends. */
const damagedCall = 2;

/** Copies a closed store into its own folder, and changes the copy. */
export async function damagedCopy(storePath: string): Promise<DamagedCopy> {
  const copy = join(dirname(storePath), "damaged.sqlite");
  await copyFile(storePath, copy);
  const places = await changeStore(copy, { text: "./src/taxes:", becomes: "./src/taxis:" });
  if (places !== 1) throw new Error(`${places} versions have the text, expected one`);
  return { storePath: copy, call: damagedCall };
}
