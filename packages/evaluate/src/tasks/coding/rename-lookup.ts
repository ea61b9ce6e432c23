import type { Move, Task } from "../../model/task.ts";
import { seeded } from "../seeded.ts";
import { answer, edit, read, run, taskDraft } from "../task-draft.ts";
import { hiddenTests } from "./hidden-tests.ts";
import { reportTurns } from "./report-turns.ts";
import {
  freightKinds,
  freightModule,
  freightRecords,
  freightSources,
  freightTests,
} from "./sources/freight-sources.ts";

/** A refactoring over twelve files in two halves. The new name was agreed on before the first half. */
export function renameLookup(seed: number): Task {
  const name = "coding/rename-lookup";
  const choices = seeded(seed, name);
  const draft = taskDraft({
    name,
    family: "coding",
    seed,
    title: "Rename a function in twelve files, in two halves with other work between them",
  });
  const named = `${choices.pick(["fetch", "get", "take"])}${capital(choices.word())}`;
  const kinds = choices.shuffle(freightKinds);
  const records = freightRecords(choices, kinds);
  const modules = kinds.map((_, index) => freightModule(kinds, index));
  for (const [path, text] of Object.entries(freightSources(choices.word(), records)))
    draft.file(path, text);
  for (const { path, text } of modules) draft.file(path, text);
  const called = draft.fact({
    id: "new-name",
    pattern: "its new name is ([A-Za-z]+)[.,]",
    value: named,
    source: "its new name is",
    // The first half of the work shows it, too.
    recover: [run('grep -n "export function" src/registry.js'), read("src/registry.js")],
  });
  const report = reportTurns(draft, choices);
  const renames = (from: number, to: number): readonly Move[] =>
    modules
      .slice(from, to)
      .flatMap(({ path, lines }) => [
        read(path),
        ...lines.map((line) => edit(path, line, renamed(line, called))),
      ]);

  draft.prompt(
    `We rename the function \`lookup(kind, id)\` of \`src/registry.js\`: its new name is ${named}, and it takes one object, \`{ kind, id }\`. It is a lot of work, so we do it in two halves. Read \`src/registry.js\` first, and change nothing yet.`,
    read("src/registry.js"),
    answer("I have read the registry."),
  );
  draft.prompt(
    `First half: add the function with the new name to \`src/registry.js\` and let \`lookup\` call it. Then change these modules, so that they use the new one: ${modules
      .slice(0, 6)
      .map(({ path }) => `\`${path}\``)
      .join(", ")}.`,
    edit("src/registry.js", oldLookup, bothLookups.replaceAll("NAME", called)),
    ...renames(0, 6),
    run("node test/run.js"),
    answer("The first half is done."),
  );
  for (const month of [0, 1, 2]) report(month);
  draft.prompt(
    "Second half: find all other modules in `src` that still use `lookup`, change them in the same way, and remove `lookup` from the registry.",
    run("grep -ln lookup src/*.js"),
    ...renames(6, modules.length),
    edit("src/registry.js", bridge.replaceAll("NAME", called), ""),
    run("node test/run.js"),
    answer("All modules use the new function."),
  );

  hiddenTests(draft, "all modules work", freightTests(named, kinds, records));
  for (const path of ["src/registry.js", ...modules.map((module) => module.path)])
    draft.check({
      type: "file",
      name: `${path} has no lookup`,
      path,
      excludes: ["lookup(", "{ lookup"],
    });
  return draft.task();
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A line with the new function instead of the old one. */
function renamed(line: string, called: string): string {
  return line
    .replace("import { lookup }", `import { ${called} }`)
    .replaceAll(/lookup\(("[a-z]+"), ([^)]+)\)/gu, `${called}({ kind: $1, id: $2 })`);
}

const oldLookup = `export function lookup(kind, id) {
  const record = records[kind]?.find((one) => one.id === id);
`;

const bridge = `export function lookup(kind, id) {
  return NAME({ kind, id });
}

`;

const bothLookups = `${bridge}export function NAME({ kind, id }) {
  const record = records[kind]?.find((one) => one.id === id);
`;
