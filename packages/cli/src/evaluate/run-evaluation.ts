import { defined } from "@self-context-manager/objects";
import type * as evaluate from "@self-context-manager/evaluate";
import { resolve } from "node:path";
import { Readable } from "node:stream";

import { CliError, UsageError } from "../cli-errors.ts";
import type { CommandCall } from "../command.ts";
import { linesOf } from "../forget/input-lines.ts";
import { counted } from "../format/amounts.ts";
import { wholeNumber } from "../whole-number.ts";
import { evaluating, resultsFolder, shownPath } from "./load-evaluate.ts";
import { chosenTasks } from "./chosen-tasks.ts";
import { namedModel } from "./named-model.ts";
import { printReport } from "./print-report.ts";

type Package = typeof evaluate;

/** Shows a plan, or does its runs. */
export async function runEvaluation(
  call: CommandCall,
  given: readonly string[],
  { onlyPlan }: { readonly onlyPlan: boolean },
): Promise<void> {
  const out = resultsFolder(call, given);
  const isPreregistered = call.isSet("preregister");
  if (isPreregistered && !onlyPlan)
    throw new UsageError(
      "--preregister belongs to plan: it writes the plan before any run; then run does it",
    );
  await evaluating(async (loaded) => {
    const host = await loaded.openHost(hostName(call), {
      ...(call.text("host-path") === undefined
        ? {}
        : { path: resolve(call.folder, call.text("host-path") ?? "") }),
      ...defined({ thinking: call.text("thinking") }),
    });
    const model = await namedModel(call, loaded, host);
    const options = {
      out,
      host,
      model,
      arms: loaded.findArms(loaded.armNames(call.text("arms") ?? "plain,default")),
      tasks: await chosenTasks(call, loaded),
      version: await loaded.ownVersion(),
      ...optionalNumbers(call),
      parallel: wholeNumber(call, "parallel", 1),
    };
    if (onlyPlan && !isPreregistered) {
      await call.print(planText(loaded.planOf(options)));
      return;
    }
    const signal = interruptionOf(call);
    try {
      const done = await loaded.evaluate({
        ...options,
        preregister: isPreregistered,
        signal,
        onPlan: ({ plan, planHash }, left) =>
          call.note(
            `${planText(plan).trimEnd()}\nplan ${planHash.slice(0, 12)}: ${counted(left.length, "run")} to do`,
          ),
        onProgress: (progress) => call.note(progressText(progress)),
        ...(call.isSet("yes")
          ? {}
          : { confirm: async (cost) => await confirmed(call, cost, signal) }),
      });
      await printEnd(call, done, out);
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new CliError(await interruptedText(call, loaded, out), { cause: error });
    }
  });
}

/** Returns a signal that Ctrl-C aborts. */
function interruptionOf(call: CommandCall): AbortSignal {
  const stop = new AbortController();
  const wait = async (): Promise<void> => {
    await call.interruption();
    call.note("\nending the runs that are in progress");
    stop.abort();
    // A question that waits for its answer would wait on.
    if (call.stdin instanceof Readable) call.stdin.destroy();
  };
  void wait();
  return stop.signal;
}

async function interruptedText(call: CommandCall, loaded: Package, out: string): Promise<string> {
  const { plan, records } = await loaded.readResults(out);
  const runs = runsOf(plan);
  if (records.length === runs)
    return `interrupted after the last run; scm evaluate report ${shownPath(call, out)} shows the results`;
  return `interrupted: ${records.length} of ${counted(runs, "run")} ${runs === 1 ? "is" : "are"} done, and those in progress are not kept; the same command continues, and scm evaluate report ${shownPath(call, out)} shows what is done`;
}

function hostName(call: CommandCall): "pi" | "ai-sdk" | "openclaw" {
  const given = call.text("host") ?? "pi";
  if (given === "pi" || given === "ai-sdk" || given === "openclaw") return given;
  throw new UsageError(`--host is ${JSON.stringify(given)}; it must be pi, ai-sdk or openclaw`);
}

function optionalNumbers(
  call: CommandCall,
): Pick<evaluate.EvaluateOptions, "budget" | "margin" | "requestsPerMinute" | "tokensPerMinute"> {
  const margin = positive(call, "margin");
  return defined({
    budget: positive(call, "budget"),
    margin: margin === undefined ? undefined : margin / 100,
    requestsPerMinute: positive(call, "requests-per-minute"),
    tokensPerMinute: positive(call, "tokens-per-minute"),
  });
}

function positive(call: CommandCall, option: string): number | undefined {
  const given = call.text(option);
  if (given === undefined) return undefined;
  const value = Number(given);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`--${option} is ${JSON.stringify(given)}; it must be a number above 0`);
}

function runsOf({ arms, tasks, seeds }: evaluate.Plan): number {
  return arms.length * tasks.length * seeds.length;
}

function planText(plan: evaluate.Plan): string {
  const { model, host, arms, tasks, seeds, margin } = plan;
  return `${counted(runsOf(plan), "run")}: ${counted(arms.length, "arm")} × ${counted(tasks.length, "task")} × ${counted(seeds.length, "seed")}
  model  ${model}
  host   ${host}
  arms   ${arms.map(({ name }) => name).join(", ")}; the first is the baseline
  margin ${Number((margin * 100).toFixed(2))} percentage points
`;
}

function progressText({ done, all, record }: evaluate.RunProgress): string {
  const { task, arm, seed, isSolved, failure, figures, faults } = record;
  const outcome = isSolved ? "solved" : `not solved (${failure?.kind ?? "other"})`;
  const money = figures.dollars === undefined ? "" : `, $${figures.dollars.toFixed(4)}`;
  const harm = faults.length === 0 ? "" : `; no result: ${faults[0] ?? ""}`;
  return `${done} of ${all}  ${task}  ${arm}  seed ${seed}  ${outcome}, ${counted(figures.calls, "call")}${money}${harm}`;
}

async function confirmed(
  call: CommandCall,
  { runs, dollars, minutes }: evaluate.CostEstimate,
  signal: AbortSignal,
): Promise<boolean> {
  const money = dollars === undefined ? "an unknown amount" : `about $${dollars.toFixed(2)}`;
  call.note(
    `What is left, ${counted(runs, "run")}, will cost ${money} and take about ${counted(Math.ceil(minutes), "minute")}, one run after another, if each costs as much as those of the pilot.`,
  );
  if (!call.canAsk) return false;
  call.note("Type yes to go on:");
  await using lines = linesOf(call);
  const said = await lines.next();
  signal.throwIfAborted();
  return ["y", "yes"].includes(said.trim().toLowerCase());
}

async function printEnd(
  call: CommandCall,
  { results, left, stopped }: evaluate.Evaluated,
  folder: string,
): Promise<void> {
  const place = shownPath(call, folder);
  if (stopped === "preregistered") {
    await call.print(
      `wrote the plan ${results.planHash} to ${place}, preregistered at ${results.preregistered ?? ""}; scm evaluate run ${place} with the same options does it\n`,
    );
    return;
  }
  if (stopped === "budget")
    throw new CliError(
      `the budget is spent, and ${counted(left, "run")} ${left === 1 ? "is" : "are"} left; scm evaluate report ${place} shows those that are done, and the same command with a larger --budget continues`,
    );
  if (stopped === "refused") {
    call.note(
      `${counted(left, "run")} ${left === 1 ? "is" : "are"} left; the same command with --yes does the rest, and those of the pilot are not repeated`,
    );
    return;
  }
  await printReport({ ...call }, [folder]);
}
