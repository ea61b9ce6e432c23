import type { Move, Task } from "../../model/task.ts";
import { otherWork, pageTurn, talkTurn } from "../episode-turns.ts";
import { sideFunctions } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/** Conventions that the first session writes down for its successors are followed in the second and in the third one. */
export function handover(seed: number): Task {
  const name = "memory/handover";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "memory",
    seed,
    title: "Conventions that a first session hands over to the next two",
  });
  const conventions: readonly Convention[] = [
    { id: "owner", words: "the constant owner is", value: text.name() },
    { id: "unit", words: "amounts are in the unit", value: text.word() },
    { id: "factor", words: "each amount is multiplied by", value: String(text.unique(3)) },
    { id: "verb", words: "the function is called", value: text.word() },
  ];
  draft.prompt(
    "In this repository we write small modules for exports in `exports/`. First we agree on how they look, later others write them, perhaps in another session.",
    answer("Understood."),
  );
  for (const { id, words, value } of conventions) {
    draft.fact({
      id,
      pattern: `For all exports ${words} (\\w+)\\.`,
      value,
      source: `For all exports ${words}`,
      recover: [run(grep)],
    });
    draft.prompt(
      `${text.remarks(text.pick([0, 25]))} For all exports ${words} ${value}. ${text.remarks(text.pick([10, 40, 90]))}`,
      answer("Agreed."),
    );
    pageTurn(draft, text, "docs", text.pick([5, 8]));
  }
  draft.prompt(
    "Please write these conventions to a Markdown file for whoever continues, at a place where it will be found.",
    write(
      "docs/conventions-of-exports.md",
      `# Exports\n\n${conventions.map(({ id, words }) => `- For all exports ${words} {{${id}}}.`).join("\n")}\n`,
    ),
    answer("The conventions are written down."),
  );

  draft.session();
  const first = exportTurn(draft, text, [run(grep)]);
  otherWork(draft, text, 8);

  draft.session();
  talkTurn(draft, text);
  const second = exportTurn(draft, text, [
    run('grep -rl "For all exports" --include=*.md .'),
    read("docs/conventions-of-exports.md"),
  ]);
  const third = exportTurn(draft, text, []);
  checkExports(draft, [first, second, third], conventions);
  return draft.task();
}

interface Convention {
  readonly id: string;
  readonly words: string;
  readonly value: string;
}

const grep = 'grep -rh "For all exports" --include=*.md .';

/** Asks for a module of exports. Returns its name. */
function exportTurn(draft: TaskDraft, text: SeededText, moves: readonly Move[]): string {
  const name = text.word();
  draft.file(`exports/old/${name}.mjs`, sideFunctions(text, text.integer(6, 14)));
  draft.prompt(
    `Please write \`exports/${name}.mjs\` by the conventions of this repository for exports: it exports the constant \`owner\`, the constant \`unit\`, and the function, which takes an amount and returns it in the unit of the exports. The old file \`exports/old/${name}.mjs\` shows nothing useful.`,
    ...moves,
    write(
      `exports/${name}.mjs`,
      'export const owner = "{{owner}}";\nexport const unit = "{{unit}}";\n\nexport function {{verb}}(amount) {\n  return amount * {{factor}};\n}\n',
    ),
    answer("It is written."),
  );
  return name;
}

function checkExports(
  draft: TaskDraft,
  names: readonly string[],
  conventions: readonly Convention[],
): void {
  const expected = Object.fromEntries(conventions.map(({ id, value }) => [id, value]));
  draft.hide(
    "hidden/exports.test.mjs",
    `import assert from "node:assert/strict";
import { test } from "node:test";

const expected = ${JSON.stringify(expected)};

for (const name of ${JSON.stringify(names)}) {
  test(name, async () => {
    const module = await import(new URL(\`../exports/\${name}.mjs\`, import.meta.url).href);
    assert.equal(module.owner, expected.owner);
    assert.equal(module.unit, expected.unit);
    assert.equal(module[expected.verb](2), 2 * Number(expected.factor));
  });
}
`,
  );
  draft.check({
    type: "command",
    name: "all exports follow the conventions",
    command: ["node", "--test", "hidden/exports.test.mjs"],
  });
}
