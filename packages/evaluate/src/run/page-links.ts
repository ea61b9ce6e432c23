import { access } from "node:fs/promises";
import { join, relative } from "node:path";

import type { Results } from "../model/plan.ts";
import type { RunRecord } from "../model/run-record.ts";
import { plannedRuns } from "./make-plan.ts";
import { runFolder } from "./results-folder.ts";

/**
 * Returns what leads from a report in the folder of the results to a run: the inspector's page of its first session, or
 * the file with its figures if the run has none.
 */
export async function pageLinks(
  folder: string,
  { plan, records }: Results,
): Promise<(record: RunRecord) => string | undefined> {
  const folders = new Map(plannedRuns(plan).map((run) => [run.key, runFolder(folder, run)]));
  const links = new Map<string, string>();
  for (const { key } of records) {
    const own = folders.get(key);
    if (own === undefined) continue;
    const page = join(own, "page-1.html");
    const shown = await access(page).then(
      () => page,
      () => join(own, "run.json"),
    );
    links.set(key, relative(folder, shown).split("\\").join("/"));
  }
  return ({ key }) => links.get(key);
}
