import { sha256 } from "@self-context-manager/objects";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { endLeftover } from "../hosts/leftover-processes.ts";
import type { PlannedRun } from "./make-plan.ts";

/**
 * Returns the temporary folder of a run. An agent's prompt contains its name, so the name is the same when a run is repeated.
 * Two evaluations at once have two names, of the same length.
 */
export function runPlace({ key }: PlannedRun, results: string): string {
  return join(tmpdir(), `${beginning}${key}${endOf(results)}`);
}

/**
 * Removes what a killed process left of its runs in a folder of results: the temporary folders, and what the agents have
 * started, such as a server in the background. No other process may do runs in the folder.
 */
export async function clearLeftoverRuns(results: string): Promise<void> {
  const names = (await readdir(tmpdir())).filter(
    (name) => name.startsWith(beginning) && name.endsWith(endOf(results)),
  );
  for (const name of names) {
    const place = join(tmpdir(), name);
    // The home that every host gives its processes.
    endLeftover(join(place, "host", "user"));
    await rm(place, { recursive: true, force: true });
  }
}

const beginning = "scm-evaluate-";

function endOf(results: string): string {
  return `-${sha256(resolve(results)).slice(0, 8)}`;
}
