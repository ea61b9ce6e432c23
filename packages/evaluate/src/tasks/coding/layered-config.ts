import type { Task } from "../../model/task.ts";
import { seeded } from "../seeded.ts";
import { answer, edit, read, run, taskDraft, write } from "../task-draft.ts";
import { hiddenTests } from "./hidden-tests.ts";
import { reportTurns } from "./report-turns.ts";
import { configSources, configTests } from "./sources/config-sources.ts";

/** A fix and a feature by decisions that only the user has said, at the beginning. */
export function layeredConfig(seed: number): Task {
  const name = "coding/layered-config";
  const choices = seeded(seed, name);
  const draft = taskDraft({
    name,
    family: "coding",
    seed,
    title: "Read settings from variables by decisions that the user said at the beginning",
  });
  const company = choices.word();
  const values = {
    prefix: choices.word().toUpperCase(),
    list: choices.word(),
    depth: choices.integer(4, 9),
  };
  for (const [path, text] of Object.entries(configSources(company))) draft.file(path, text);
  const source = "decisions about the variables";
  const fact = (id: string, pattern: string, value: string): string =>
    draft.fact({ id, pattern, value, source });
  const prefix = fact("prefix", "begin with the prefix ([A-Z]+)_", values.prefix);
  const list = fact("list", "setting named ([a-z]+) is a list", values.list);
  const depth = fact("depth", String.raw`have at most (\d+) levels`, String(values.depth));
  const report = reportTurns(draft, choices);

  draft.prompt(
    `Today we get settings from environment variables. These are the decisions about the variables, from our meeting; they are written nowhere else. The names of all our variables begin with the prefix ${values.prefix}_ and two underscores are a level, so ${values.prefix}_SERVER__PORT is server.port. The setting named ${values.list} is a list at any level: its value is split at commas. And variables have at most ${String(values.depth)} levels; one with more is an error. I say later when to begin. Read \`src/merge.js\` and \`src/settings.js\` for now.`,
    read("src/merge.js"),
    read("src/settings.js"),
    answer("I have read both, and I wait."),
  );
  report(0);
  report(1);
  draft.prompt(
    "First a mistake in `src/merge.js`: two lists are merged item by item. A list of a later layer has to replace the earlier one. The inputs must not be changed.",
    edit("src/merge.js", oldMerge, newMerge),
    run("node test/run.js"),
    answer("A later list replaces the earlier one."),
  );
  report(2);
  draft.prompt(
    "Does `src/paths.js` have a function that sets a value at a path? Answer with its name.",
    read("src/paths.js"),
    answer("Yes: setAt."),
  );
  report(3);
  draft.prompt(
    "Now the variables. Write `fromEnvironment(environment)` in `src/environment.js`: it returns the settings of all variables with our prefix, as an object; others are ignored. Names become lower case. Follow the decisions from the beginning: the prefix, the list, and the most levels (a `UsageError` if there are more). Values of all settings besides the list are read as today with `readValue` of `src/values.js`; the items of the list stay texts, without spaces around them.",
    read("src/values.js"),
    write(
      "src/environment.js",
      environment.replace("PREFIX", prefix).replace("LIST", list).replace("DEPTH", depth),
    ),
    run("node test/run.js"),
    answer("`fromEnvironment` reads the variables."),
  );
  const step = draft.prompt(
    "With which variable would a customer set server.port? Only its name.",
    answer(`${prefix}_SERVER__PORT`),
  );

  hiddenTests(draft, "settings", configTests(values));
  draft.answers(step, "the name of a variable", [`${values.prefix}_SERVER__PORT`]);
  return draft.task();
}

const oldMerge = `  if (Array.isArray(base) && Array.isArray(over)) {
    const length = Math.max(base.length, over.length);
    return Array.from({ length }, (_, index) =>
      index < over.length ? mergeValues(base[index], over[index]) : base[index],
    );
  }
`;

const newMerge = `  if (Array.isArray(over)) return structuredClone(over);
`;

const environment = `import { UsageError } from "./errors.js";
import { setAt } from "./paths.js";
import { readValue } from "./values.js";

const prefix = "PREFIX_";
const listName = "LIST";
const mostLevels = DEPTH;

/** The settings of all variables with the prefix. */
export function fromEnvironment(environment) {
  let settings = {};
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(prefix)) continue;
    const path = name.slice(prefix.length).toLowerCase().split("__");
    if (path.length > mostLevels) {
      throw new UsageError(name + " has more than " + mostLevels + " levels");
    }
    settings = setAt(settings, path, path.at(-1) === listName ? items(value) : readValue(value));
  }
  return settings;
}

function items(value) {
  return value.split(",").map((item) => item.trim());
}
`;
