import { UsageError } from "../cli-errors.ts";
import type { CommandCall } from "../command.ts";
import { jsonText } from "../format/json.ts";
import { right, table } from "../format/table.ts";
import { evaluating } from "./load-evaluate.ts";

/** Prints the arms and the own tasks. */
export async function listChoices(call: CommandCall, given: readonly string[]): Promise<void> {
  if (given.length > 0) throw new UsageError("list takes no FOLDER");
  await evaluating(async ({ namedArms, armForms, ownTasks }) => {
    const tasks = ownTasks(1).map(({ name, title, steps }) => ({
      name,
      title,
      prompts: steps.filter(({ type }) => type === "prompt").length,
    }));
    if (call.isSet("json")) {
      await call.print(jsonText({ arms: namedArms, tasks }));
      return;
    }
    const arms = table(
      ["ARM", "WHAT IT IS"],
      [...namedArms.map(({ name, title }) => [name, title]), ...Object.entries(armForms)],
    );
    const listed = table(
      ["TASK", right("PROMPTS"), "WHAT IS ASKED"],
      tasks.map(({ name, title, prompts }) => [name, String(prompts), title]),
    );
    await call.print(`${arms}\n${listed}`);
  });
}
