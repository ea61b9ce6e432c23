import type { Task } from "../../model/task.ts";
import { askPage, pageTurn, talkTurn, type ShownPage } from "../episode-turns.ts";
import { sideFunctions } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/**
 * Twenty-two modules are ported one after the other, by conventions that the user has decided long before. Two of the
 * conventions change on the way, and one of these changes is taken back.
 */
export function portConventions(seed: number): Task {
  const name = "long-episode/port-conventions";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "long-episode",
    seed,
    title: "A migration of 22 modules by conventions that were decided at its beginning",
  });
  const [verb, mark, laterMark, keeper, laterKeeper] = [
    text.word(),
    text.word(),
    text.word(),
    text.name(),
    text.name(),
  ];
  const state: Conventions = { verb, mark: "mark-1", keeper: "keeper-1" };
  const modules = Array.from({ length: 22 }, (_, index) => legacyModule(draft, text, index));
  const expected: Expected[] = [];
  const pages: ShownPage[] = [];
  const port = (from: number, to: number, values: { mark: string; keeper: string }): void => {
    for (const module of modules.slice(from, to)) {
      portTurn(draft, text, module, state);
      expected.push({ ...module, verb, ...values });
      for (let turn = text.integer(2, 3); turn > 0; turn -= 1) talkTurn(draft, text);
      pages.push(pageTurn(draft, text, "docs", text.pick([4, 6, 6, 8, 22])));
    }
  };

  const conventions = decide(draft, text, { verb, mark, keeper });
  draft.prompt(opening, answer("Understood. I wait for the conventions."));
  for (const convention of conventions) {
    draft.prompt(convention, answer("Agreed."));
    talkTurn(draft, text);
    pageTurn(draft, text, "docs", text.pick([5, 9]));
  }
  port(0, 8, { mark, keeper });
  state.keeper = "keeper-2";
  draft.fact(keeperFact("keeper-2", laterKeeper));
  draft.prompt(
    `${text.remarks(20)} A change: from now on the modules are kept by team ${laterKeeper}. Those that are ported stay as they are.`,
    answer("Understood, from the next module on."),
  );
  port(8, 12, { mark, keeper: laterKeeper });
  state.keeper = "keeper-3";
  draft.fact(keeperFact("keeper-3", keeper));
  draft.prompt(
    `No, that was a mistake of the office. For all further ones the modules are kept by team ${keeper}. That is the first team again. ${text.remarks(15)}`,
    answer("All right, back to the first team."),
  );
  port(12, 16, { mark, keeper });
  state.mark = "mark-2";
  draft.fact(markFact("mark-2", laterMark));
  draft.prompt(
    `${text.remarks(60)} From the next module on, all error messages begin with the word ${laterMark}. Please leave the older ones alone.`,
    answer("Understood."),
  );
  port(16, 22, { mark: laterMark, keeper });
  askLate(draft, text, modules);
  for (const page of text.shuffle(pages.slice(0, 10)).slice(0, 2)) askPage(draft, page);
  checkModules(draft, expected);
  return draft.task();
}

interface Conventions {
  readonly verb: string;
  /** The ids of the facts that count. */
  mark: string;
  keeper: string;
}

interface Module {
  readonly name: string;
  readonly rate: number;
  readonly least: number;
  readonly author: string;
}

interface Expected extends Module {
  readonly verb: string;
  readonly mark: string;
  readonly keeper: string;
}

const opening =
  "We move the modules of `legacy/` to `ported/`, one after the other, over the whole day. First I give you the conventions, then I name one module at a time. Do not begin before I name one. Each ported module exports one function that takes an amount, throws a `RangeError` if it is below the module's least amount, and otherwise returns the amount times the module's rate. Everything else in the old modules is dead code and stays behind.";

const keeperFact = (id: string, value: string) => ({
  id,
  pattern: String.raw`modules are kept by team (\w+)\.`,
  value,
  source: "modules are kept by team",
});

const markFact = (id: string, value: string) => ({
  id,
  pattern: String.raw`error messages begin with the word (\w+)\.`,
  value,
  source: "error messages begin with the word",
});

function decide(
  draft: TaskDraft,
  text: SeededText,
  { verb, mark, keeper }: { readonly verb: string; readonly mark: string; readonly keeper: string },
): readonly string[] {
  draft.fact(keeperFact("keeper-1", keeper));
  draft.fact(markFact("mark-1", mark));
  draft.fact({
    id: "verb",
    pattern: String.raw`exported functions begin with the verb (\w+), directly`,
    value: verb,
    source: "exported functions begin with the verb",
  });
  return [
    `Convention one. The names of exported functions begin with the verb ${verb}, directly followed by the name of the module with a capital letter: for a module \`sample\` that is \`${verb}Sample\`. ${text.remarks(30)}`,
    `Convention two: all error messages begin with the word ${mark}. A colon and a space follow, and then whatever is useful. ${text.remarks(10)}`,
    `Convention three. ${text.remarks(50)} The modules are kept by team ${keeper}. The first line of each ported file is exactly \`// kept by ${keeper}\`, with nothing before it.`,
  ];
}

function legacyModule(draft: TaskDraft, text: SeededText, index: number): Module {
  const module = {
    name: text.word(),
    rate: text.unique(4),
    least: text.unique(3),
    author: text.name(),
  };
  const size = index % 7 === 3 ? 42 : text.integer(8, 20);
  const half = Math.floor(size / 2);
  draft.file(
    `legacy/${module.name}.mjs`,
    `// Module ${module.name}. It was first written by ${module.author} in the old office.\n\n${sideFunctions(text, half)}\nconst rate = ${String(module.rate)}; // of ${module.name}\nconst least = ${String(module.least)}; // of ${module.name}\n\n${sideFunctions(text, size - half)}\nexport function compute(amount) {\n  if (amount < least) throw new Error("too small");\n  return amount * rate;\n}\n`,
  );
  return module;
}

function portTurn(
  draft: TaskDraft,
  text: SeededText,
  { name, rate, least }: Module,
  { mark, keeper }: Conventions,
): void {
  const path = `legacy/${name}.mjs`;
  const recover = [read(path)];
  const rateId = draft.fact({
    id: `rate-${name}`,
    pattern: `const rate = (\\d{4}); // of ${name}`,
    value: String(rate),
    source: path,
    recover,
  });
  const leastId = draft.fact({
    id: `least-${name}`,
    pattern: `const least = (\\d{3}); // of ${name}`,
    value: String(least),
    source: path,
    recover,
  });
  const capital = name.charAt(0).toUpperCase() + name.slice(1);
  draft.prompt(
    `${text.remarks(text.pick([0, 0, 15, 60]))} Port \`${path}\` to \`ported/${name}.mjs\` now, by our conventions.`,
    read(path),
    write(
      `ported/${name}.mjs`,
      `// kept by {{${keeper}}}\nconst rate = ${rateId};\nconst least = ${leastId};\n\n/** The amount times the rate. */\nexport function {{verb}}${capital}(amount) {\n  if (amount < least) throw new RangeError("{{${mark}}}: the least amount is " + least);\n  return amount * rate;\n}\n`,
    ),
    answer(`\`ported/${name}.mjs\` is written.`),
  );
}

function askLate(draft: TaskDraft, text: SeededText, modules: readonly Module[]): void {
  draft.change(
    Object.fromEntries(modules.map(({ name }) => [`legacy/${name}.mjs`, null] as const)),
  );
  draft.prompt(
    "I have deleted the old folder. Two questions for the farewell letter follow.",
    answer("All right."),
  );
  for (const { name, author } of text.shuffle(modules.slice(0, 12)).slice(0, 2)) {
    const id = draft.fact({
      id: `author-${name}`,
      pattern: `Module ${name}\\. It was first written by (\\w+) in`,
      value: author,
      source: `legacy/${name}.mjs`,
      recover: [run(`git show HEAD:legacy/${name}.mjs`)],
    });
    const step = draft.prompt(
      `By whom was the old module \`${name}\` first written? The name alone.`,
      answer(id),
    );
    draft.answers(step, `the author of ${name}`, [author]);
  }
}

function checkModules(draft: TaskDraft, expected: readonly Expected[]): void {
  draft.hide(
    "hidden/ported.test.mjs",
    `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const expected = ${JSON.stringify(expected, undefined, 2)};

for (const { name, rate, least, verb, mark, keeper } of expected) {
  test(name, async () => {
    const url = new URL(\`../ported/\${name}.mjs\`, import.meta.url);
    assert.equal(readFileSync(url, "utf8").split("\\n")[0].trim(), \`// kept by \${keeper}\`);
    const module = await import(url.href);
    const compute = module[verb + name[0].toUpperCase() + name.slice(1)];
    assert.equal(compute(least), least * rate);
    assert.throws(() => compute(least - 1), (error) =>
      error instanceof RangeError && error.message.startsWith(mark + ": "));
  });
}
`,
  );
  draft.check({
    type: "command",
    name: "all ported modules follow the conventions",
    command: ["node", "--test", "hidden/ported.test.mjs"],
  });
}
