import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { CommandCall } from "../command.ts";
import { jsonText } from "../format/json.ts";
import { evaluating, resultsFolder, shownPath } from "./load-evaluate.ts";

/** Prints the comparison of the runs in a folder, and writes it beside them as a page and as JSON. */
export async function printReport(call: CommandCall, given: readonly string[]): Promise<void> {
  const folder = resultsFolder(call, given);
  await evaluating(async (evaluate) => {
    const results = await evaluate.readResults(folder);
    const table = evaluate.evaluationTable(results);
    const json = evaluate.evaluationJson(table);
    const links = await evaluate.pageLinks(folder, results);
    await writeFile(join(folder, "report.html"), evaluate.evaluationPage(table, { links }));
    await writeFile(join(folder, "report.json"), jsonText(json));
    await call.print(call.isSet("json") ? jsonText(json) : evaluate.evaluationText(table));
    call.note(
      `wrote ${shownPath(call, join(folder, "report.html"))} and ${shownPath(call, join(folder, "report.json"))}`,
    );
  });
}
