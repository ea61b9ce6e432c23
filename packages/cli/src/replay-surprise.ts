import type * as replay from "@self-context-manager/replay";
import { resolve } from "node:path";

import { CliError, UsageError } from "./cli-errors.ts";
import type { CommandCall, CommandOptions } from "./command.ts";
import { counted } from "./format/amounts.ts";
import { wholeNumber } from "./whole-number.ts";

/** The options of `scm replay --surprise`. */
export const surpriseOptions: CommandOptions = {
  surprise: {
    help: "measure with a model how surprising the recorded answers are under each view",
  },
  "model-file": { value: "FILE", help: "surprise: a model as a GGUF file, run by node-llama-cpp" },
  llama: { value: "FOLDER", help: "surprise: the folder in which node-llama-cpp is installed" },
  "surprise-url": {
    value: "URL",
    help: "surprise: a server that repeats prompts with log-probabilities: http://127.0.0.1:8000/v1",
  },
  "surprise-model": { value: "NAME", help: "surprise: the model of the server" },
  "surprise-window": {
    value: "TOKENS",
    help: "surprise: the most tokens of a prompt; default: the window of the model",
  },
  "surprise-views": {
    value: "NAMES",
    help: "surprise: the views to compare, with commas; the first decides which calls are sampled",
  },
  "surprise-out": { value: "FILE", help: "surprise: store results in FILE, and continue from it" },
  "surprise-least": { value: "TOKENS", help: "surprise: the shortest plain view; default: 1" },
  "surprise-most": { value: "TOKENS", help: "surprise: the longest plain view" },
  "surprise-left": {
    value: "TOKENS",
    help: "surprise: the fewest tokens that left the first view; default: 500",
  },
  calls: { value: "N", help: "surprise: the number of calls to measure; default: 200" },
  seed: { value: "N", help: "surprise: determines which calls; default: 1" },
};

/** The variable with the key of the server. */
export const surpriseKeyVariable = "SCM_SURPRISE_KEY";

/** Options that only make sense with `--surprise`. */
const others = Object.keys(surpriseOptions).filter((name) => name !== "surprise");

/** Throws `UsageError` if an option of the measure is given without it, or one that the measure ignores with it. */
export function checkSurpriseOptions(call: Pick<CommandCall, "text" | "isSet">): void {
  const isAsked = call.isSet("surprise");
  const alone = isAsked ? undefined : others.find((name) => call.text(name) !== undefined);
  if (alone !== undefined) throw new UsageError(`--${alone} is an option of --surprise; add it`);
  const drawing = ["plot", "html"].find((name) => call.text(name) !== undefined);
  if (isAsked && drawing !== undefined)
    throw new UsageError(
      `--${drawing} draws costs, which --surprise does not measure; leave one out`,
    );
}

/** Measures surprise over files and prints it. An interrupted run prints the calls that it has. */
export async function replaySurprise(
  package_: typeof replay,
  call: CommandCall,
  files: readonly string[],
): Promise<void> {
  const { runSurprise, surpriseText } = package_;
  const options = runOptions(package_, call);
  const ending = new AbortController();
  try {
    await using model = await openModel(package_, call);
    // After the model: node-llama-cpp ends the process at a signal if no listener that came later is left.
    void call.interruption().then(() => ending.abort());
    using progress = call.progress("measuring", "evaluation");
    const report = await runSurprise(files, model, {
      ...options,
      signal: ending.signal,
      onProgress: ({ done, total, evaluated }) =>
        progress.come(total === 0 ? 1 : done / total, evaluated),
      onUnreadable: (file, reason) =>
        call.note(
          `${reason.startsWith(file) ? reason : `${file}: ${reason}`}; the file was skipped`,
        ),
    });
    if (report.measured.calls === 0) throw new CliError(nothingMeasured(report, ending.signal));
    await call.print(
      call.isSet("json")
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : `${surpriseText(report)}\n`,
    );
    if (ending.signal.aborted)
      call.note(
        `ended by the user after ${counted(report.measured.calls, "call")}; the same command with --surprise-out continues`,
      );
  } catch (error) {
    if (error instanceof package_.SurpriseError)
      throw new CliError(error.message, { cause: error });
    throw error;
  }
}

function nothingMeasured(
  { recorded }: Pick<replay.SurpriseReport, "recorded">,
  { aborted }: AbortSignal,
): string {
  if (aborted) return "ended by the user before a call was measured";
  return `none of ${counted(recorded.total, "call")} can be measured: ${recorded.tooLong} are longer than the limit, and in ${recorded.tooLittleLeft} too little left the first view; use a model with a longer window, or a smaller --surprise-left`;
}

function runOptions(
  { isSurpriseView, surpriseViews }: typeof replay,
  call: CommandCall,
): replay.SurpriseOptions {
  const given = call.text("surprise-views");
  const views = given?.split(",").map((name) => {
    if (isSurpriseView(name)) return name;
    throw new UsageError(
      `--surprise-views has ${JSON.stringify(name)}; the views are ${surpriseViews.join(", ")}`,
    );
  });
  const out = call.text("surprise-out");
  const most = call.text("surprise-most");
  return {
    calls: wholeNumber(call, "calls", 200),
    seed: wholeNumber(call, "seed", 1),
    leastLeft: wholeNumber(call, "surprise-left", 500),
    least: wholeNumber(call, "surprise-least", 1),
    ...(most === undefined ? {} : { most: wholeNumber(call, "surprise-most", 1) }),
    ...(views === undefined ? {} : { views }),
    ...(out === undefined ? {} : { resultsPath: resolve(call.folder, out) }),
  };
}

async function openModel(
  { openGgufModel, openServerModel }: typeof replay,
  call: CommandCall,
): Promise<replay.SurpriseModel> {
  const [file, url, model] = ["model-file", "surprise-url", "surprise-model"].map((name) =>
    call.text(name),
  );
  const window =
    call.text("surprise-window") === undefined
      ? {}
      : { window: wholeNumber(call, "surprise-window", 1) };
  if (file !== undefined && url === undefined) {
    const folder = call.text("llama");
    const threads = call.text("threads");
    return await openGgufModel({
      file: resolve(call.folder, file),
      ...window,
      ...(folder === undefined ? {} : { folder: resolve(call.folder, folder) }),
      ...(threads === undefined ? {} : { threads: wholeNumber(call, "threads", 1) }),
    });
  }
  if (file !== undefined || url === undefined || model === undefined)
    throw new UsageError(
      "--surprise needs a model: --model-file with a GGUF file, or --surprise-url with --surprise-model",
    );
  if (!URL.canParse(url))
    throw new UsageError(`--surprise-url is ${JSON.stringify(url)}; it must be a URL`);
  const key = call.environment[surpriseKeyVariable];
  return await openServerModel({ url, model, ...window, ...(key === undefined ? {} : { key }) });
}
