import type { Task } from "../../model/task.ts";
import { seeded } from "../seeded.ts";
import { answer, edit, read, run, taskDraft } from "../task-draft.ts";
import { hiddenTests } from "./hidden-tests.ts";
import { expressionSources, expressionTests } from "./sources/expression-sources.ts";

/** A fix of a parser, and a function whose name and order of arguments the user said at the beginning. */
export function expressionPower(seed: number): Task {
  const name = "coding/expression-power";
  const choices = seeded(seed, name);
  const draft = taskDraft({
    name,
    family: "coding",
    seed,
    title: "Correct an operator of a parser, and add a function that was agreed on before",
  });
  const [company, named] = [choices.word(), choices.word()];
  const factor = choices.integer(13, 97);
  for (const [path, text] of Object.entries(expressionSources(company, choices)))
    draft.file(path, text);
  const source = "agreed on a new function";
  const called = draft.fact({
    id: "function-name",
    pattern: "new function called ([a-z]+)[.,]",
    value: named,
    source,
  });
  const times = draft.fact({
    id: "function-factor",
    pattern: String.raw`low value counts (\d+) times`,
    value: String(factor),
    source,
  });

  draft.prompt(
    `For later: we have agreed on a new function called ${named}, with three arguments (low, middle, high). It is a weighted mean in which the low value counts ${String(factor)} times, the middle value 4 times and the high value once. Do not write it yet. First read \`src/parser.js\` and \`src/functions.js\`.`,
    read("src/parser.js"),
    read("src/functions.js"),
    answer("I have read both."),
  );
  draft.prompt(
    "Run `node scripts/samples.js`. It evaluates many formulas of customers. Which operator looks wrong to you?",
    run("node scripts/samples.js"),
    answer("The power operator: 2 ^ 3 ^ 2 has to be 512, not 64."),
  );
  draft.prompt(
    "Right: `^` has to be right-associative, and it binds stronger than a sign before it: `-2 ^ 2` is -4. A sign in the exponent stays possible: `2 ^ -1` is 0.5. Correct `src/parser.js`.",
    edit("src/parser.js", oldPower, newPower),
    run("node test/run.js"),
    answer("The power operator is corrected."),
  );
  draft.prompt(
    "Look at the samples again, and read `src/format.js` and `src/tokens.js`: does the printer need a change for the power operator?",
    run("node scripts/samples.js"),
    read("src/format.js"),
    read("src/tokens.js"),
    answer("No: it prints brackets around every operation."),
  );
  draft.prompt(
    "Good. Now add the function that we agreed on at the beginning to `src/functions.js`, with its arguments in that order. Its weights are as I said.",
    edit(
      "src/functions.js",
      "  // New functions are added above this line.\n",
      `  ${called}: exactly(3, (low, middle, high) => (${times} * low + 4 * middle + high) / (${times} + 5)),\n  // New functions are added above this line.\n`,
    ),
    run("node test/run.js"),
    answer("The function is there."),
  );
  const step = draft.prompt(
    "What is its name, for the release notes? Only the name.",
    answer(called),
  );

  hiddenTests(draft, "operator and function", expressionTests(named, factor));
  draft.answers(step, "the name of the function", [named]);
  return draft.task();
}

const oldPower = `  const power = () => {
    let left = signed();
    while (isNext("^")) {
      take();
      left = { type: "operation", operator: "^", left, right: signed() };
    }
    return left;
  };

  const signed = () => {
    if (!isNext("-")) return primary();
    take();
    return { type: "sign", value: signed() };
  };
`;

const newPower = `  const power = () => {
    const left = primary();
    if (!isNext("^")) return left;
    take();
    return { type: "operation", operator: "^", left, right: signed() };
  };

  const signed = () => {
    if (!isNext("-")) return power();
    take();
    return { type: "sign", value: signed() };
  };
`;
