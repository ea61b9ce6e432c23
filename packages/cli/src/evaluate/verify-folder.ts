import { CliError } from "../cli-errors.ts";
import type { CommandCall } from "../command.ts";
import { counted } from "../format/amounts.ts";
import { jsonText } from "../format/json.ts";
import { visible } from "../format/terminal-text.ts";
import { evaluating, resultsFolder } from "./load-evaluate.ts";

/** Checks the results in a folder, and fails if something in them is not as its runs say. */
export async function verifyFolder(call: CommandCall, given: readonly string[]): Promise<void> {
  const folder = resultsFolder(call, given);
  await evaluating(async ({ verifyResults }) => {
    using progress = call.progress("verifying", "run");
    const { runs, problems } = await verifyResults(folder, {
      onProgress: (done, all) => progress.come(done / Math.max(1, all), done),
    });
    progress[Symbol.dispose]();
    if (call.isSet("json")) await call.print(jsonText({ runs, problems }));
    else
      await call.print(
        problems.length === 0
          ? runs === 0
            ? "no run of the plan is done yet, so there is nothing to check\n"
            : `${counted(runs, "run")}: the keys, hashes, checks, figures and views are as they should be\n`
          : problems.map(({ run, text }) => `${visible(run)}: ${visible(text)}\n`).join(""),
      );
    if (problems.length > 0)
      throw new CliError(
        `${counted(problems.length, "problem")} in ${counted(runs, "run")}; such results should not be used`,
      );
  });
}
