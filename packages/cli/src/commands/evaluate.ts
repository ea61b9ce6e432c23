import { UsageError } from "../cli-errors.ts";
import { type Command, type CommandCall, jsonOption } from "../command.ts";
import { taskOptions } from "../evaluate/chosen-tasks.ts";
import { listChoices } from "../evaluate/list-choices.ts";
import { printReport } from "../evaluate/print-report.ts";
import { runEvaluation } from "../evaluate/run-evaluation.ts";
import { verifyFolder } from "../evaluate/verify-folder.ts";

const actions: Readonly<
  Record<string, (call: CommandCall, given: readonly string[]) => Promise<void>>
> = {
  list: listChoices,
  plan: async (call, given) => await runEvaluation(call, given, { onlyPlan: true }),
  run: async (call, given) => await runEvaluation(call, given, { onlyPlan: false }),
  report: printReport,
  verify: verifyFolder,
};

export const evaluateCommand: Command = {
  name: "evaluate",
  summary: "run tasks with a model, with and without managed context, and compare the results",
  arguments: "ACTION [FOLDER]",
  argumentCount: { least: 1, most: 2 },
  usesStore: false,
  options: {
    model: {
      value: "MODEL",
      help: "PROVIDER/ID as Pi names it, or forgetful or scripted: models for tests, without a key",
    },
    url: {
      value: "URL",
      help: "base URL of a server of the model, such as llama.cpp, Ollama or vLLM",
    },
    api: {
      value: "API",
      help: "with --url: openai-completions (default) or anthropic-messages",
    },
    "key-variable": {
      value: "NAME",
      help: "the environment variable with the key; default: the one that Pi reads",
    },
    prices: {
      value: "LIST",
      help: "dollars per million tokens: input,output,cache read,cache write",
    },
    window: { value: "N", help: "tokens of the model's context window; default: as Pi has it" },
    thinking: { value: "LEVEL", help: "off, minimal, low, medium or high; default: the host's" },
    host: { value: "HOST", help: "pi (default), ai-sdk or openclaw" },
    "host-path": {
      value: "PATH",
      help: "the host's program or package folder; default: the installed one",
    },
    arms: { value: "LIST", help: "arms, the baseline first; default: plain,default" },
    ...taskOptions,
    budget: { value: "USD", help: "stop before more than this is spent, over all sittings" },
    margin: {
      value: "POINTS",
      help: "an arm may solve this many percentage points less and is still no worse; default: 5",
    },
    parallel: { value: "N", help: "runs at once; default: 1" },
    "requests-per-minute": { value: "N", help: "wait rather than send more requests" },
    "tokens-per-minute": { value: "N", help: "wait rather than send more input tokens" },
    preregister: { help: "with plan: write the plan with its hash and the time, before any run" },
    yes: { help: "do all runs after the pilot without a question" },
    ...jsonOption,
  },
  notes: `The actions:
  list            list the arms and the tasks
  plan [FOLDER]   show what would be run, and with --preregister write it
  run [FOLDER]    run the plan, or what is left of it: first a pilot, then the rest
  report [FOLDER] compare the runs that are done; also writes report.html and report.json
  verify [FOLDER] check that results are as their runs say: hashes, checks, figures and views
FOLDER has the results; default: evaluation. Ctrl-C ends a run; the same command continues it.
No run is done twice. Without --yes, and without a terminal to ask at, only the pilot is run.
docs/guide/evaluate.md leads from a key to a table in ten minutes.`,
  async run(call) {
    const [name = "", ...others] = call.arguments;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined)
      throw new UsageError(
        `there is no action ${JSON.stringify(name)}; the actions are ${Object.keys(actions).join(", ")}`,
      );
    await action(call, others);
  },
};
