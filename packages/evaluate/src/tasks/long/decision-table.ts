import type { Move, Task } from "../../model/task.ts";
import { askPage, pageTurn, talkTurn } from "../episode-turns.ts";
import { sideFunctions } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, edit, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/**
 * Twenty modules are written again by the rows of a decision table that was given once. Rows change on the way; a
 * changed row also counts for the modules of its class that are done.
 */
export function decisionTable(seed: number): Task {
  const name = "long-episode/decision-table";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "long-episode",
    seed,
    title: "A refactoring of 20 modules by a decision table whose rows change",
  });
  const classes = text.words(7).map((kind, index): Row => ({
    kind,
    limit: text.unique(4),
    unit: text.word(),
    // The modules with an even place round up.
    rounding: index % 2 === 0 ? "ceil" : "floor",
    change: 1,
  }));
  const modules = Array.from({ length: 20 }, (_, index): Module => {
    const row = classes[index % classes.length] ?? text.pick(classes);
    return oldModule(draft, text, row, index);
  });
  draft.prompt(opening, answer("Understood."));
  tableTurn(draft, text, classes);
  const pages = [pageTurn(draft, text, "docs", 7)];

  for (const [index, module] of modules.entries()) {
    rewriteTurn(draft, text, module);
    talkTurn(draft, text);
    if (index % 3 !== 0) talkTurn(draft, text);
    pages.push(pageTurn(draft, text, "docs", text.pick([7, 11, 27])));
    talkTurn(draft, text);
    const changed = [8, 12, 17].includes(index) ? classes[index % 5] : undefined;
    if (changed !== undefined) changeRow(draft, text, changed, modules.slice(0, index + 1));
  }
  askFirstLimit(draft, modules);
  for (const page of text.shuffle(pages.slice(0, 9)).slice(0, 2)) askPage(draft, page);
  checkModules(draft, modules);
  return draft.task();
}

interface Row {
  readonly kind: string;
  limit: number;
  readonly unit: string;
  readonly rounding: "ceil" | "floor";
  /** The number of the row's newest version. */
  change: number;
}

interface Module {
  readonly name: string;
  readonly row: Row;
  readonly oldLimit: number;
}

const opening =
  "The modules in `src/rules/` are written again today, one by one, when I name them. Each old module has the class of its rule in its first line, and much code that nobody calls. The new module exports exactly three things: `limit` (a number), `unit` (a text) and a function `rounded(value)`. Which values they have follows from the class by a decision table, which I give you next and only once. The numbers in the old modules are wrong.";

function limitFact(draft: TaskDraft, { kind, limit, change }: Row): string {
  return draft.fact({
    id: `limit-${kind}-${String(change)}`,
    pattern: `class ${kind} has the limit (\\d{4}),`,
    value: String(limit),
    source: `class ${kind} has the limit`,
  });
}

function tableTurn(draft: TaskDraft, text: SeededText, rows: readonly Row[]): void {
  const lines = rows.map((row) => {
    const { kind, limit, unit, rounding } = row;
    limitFact(draft, row);
    draft.fact({
      id: `unit-${kind}`,
      pattern: `class ${kind} has the limit \\d{4}, the unit (\\w+) and`,
      value: unit,
      source: `class ${kind} has the limit`,
    });
    draft.fact({
      id: `rounding-${kind}`,
      pattern: `class ${kind} has .* and rounds with Math\\.(\\w+)\\.`,
      value: rounding,
      source: `class ${kind} has the limit`,
    });
    return `- class ${kind} has the limit ${String(limit)}, the unit ${unit} and rounds with Math.${rounding}.`;
  });
  draft.prompt(
    `This is the table.\n\n${lines.join("\n")}\n\n${text.remarks(40)} If a row changes later, I say so.`,
    answer("I have the seven rows."),
  );
}

function oldModule(draft: TaskDraft, text: SeededText, row: Row, index: number): Module {
  const module = { name: text.word(), row, oldLimit: text.unique(4) };
  const size = index % 5 === 1 ? 44 : text.integer(6, 18);
  draft.file(
    `src/rules/${module.name}.mjs`,
    `// ${module.name} is a rule of class ${row.kind}, in the old form.\n\n${sideFunctions(text, size)}\nexport const limit = ${String(module.oldLimit)}; // the old limit of ${module.name}, kept by hand\nexport const unit = "piece";\nexport function rounded(value) {\n  return Math.round(value);\n}\n`,
  );
  return module;
}

function rewriteTurn(draft: TaskDraft, text: SeededText, { name, row }: Module): void {
  const path = `src/rules/${name}.mjs`;
  draft.prompt(
    `${text.remarks(text.pick([0, 0, 12, 45]))} Now \`${path}\`: read it and write it again by our table.`,
    read(path),
    write(
      path,
      `// ${name}: ${row.kind}\nexport const limit = {{limit-${row.kind}-${String(row.change)}}};\nexport const unit = "{{unit-${row.kind}}}";\n\nexport function rounded(value) {\n  return Math.{{rounding-${row.kind}}}(value);\n}\n`,
    ),
    answer("It is written again."),
  );
}

function changeRow(draft: TaskDraft, text: SeededText, row: Row, done: readonly Module[]): void {
  const before = row.limit;
  row.limit = text.unique(4);
  row.change += 1;
  const id = limitFact(draft, row);
  const affected = done.filter((module) => module.row === row);
  const moves = affected.map(({ name }): Move =>
    edit(`src/rules/${name}.mjs`, `limit = ${String(before)};`, `limit = ${id};`),
  );
  draft.prompt(
    `A row of the table changes: class ${row.kind} has the limit ${String(row.limit)}, the rest of the row stays. ${text.remarks(20)} Please correct the modules of this class that are done already, too.`,
    ...moves,
    answer("They are corrected."),
  );
}

function askFirstLimit(draft: TaskDraft, modules: readonly Module[]): void {
  for (const { name, oldLimit } of [modules[1], modules[4]].flatMap((one) => one ?? [])) {
    const id = draft.fact({
      id: `old-${name}`,
      pattern: `limit = (\\d{4}); // the old limit of ${name}, kept`,
      value: String(oldLimit),
      source: `src/rules/${name}.mjs`,
      recover: [run(`git show HEAD:src/rules/${name}.mjs`)],
    });
    const step = draft.prompt(
      `Which limit did \`${name}\` have in its old form, before you wrote it again? The number alone.`,
      answer(id),
    );
    draft.answers(step, `the old limit of ${name}`, [String(oldLimit)]);
  }
}

function checkModules(draft: TaskDraft, modules: readonly Module[]): void {
  const expected = modules.map(({ name, row: { limit, unit, rounding } }) => ({
    name,
    limit,
    unit,
    rounded: rounding === "ceil" ? 5 : 4,
  }));
  draft.hide(
    "hidden/rules.test.mjs",
    `import assert from "node:assert/strict";
import { test } from "node:test";

const expected = ${JSON.stringify(expected, undefined, 2)};

for (const { name, limit, unit, rounded } of expected) {
  test(name, async () => {
    const rule = await import(new URL(\`../src/rules/\${name}.mjs\`, import.meta.url).href);
    assert.deepEqual(Object.keys(rule).toSorted(), ["limit", "rounded", "unit"]);
    assert.equal(rule.limit, limit);
    assert.equal(rule.unit, unit);
    assert.equal(rule.rounded(4.5), rounded);
  });
}
`,
  );
  draft.check({
    type: "command",
    name: "all modules follow the newest rows of the table",
    command: ["node", "--test", "hidden/rules.test.mjs"],
  });
}
