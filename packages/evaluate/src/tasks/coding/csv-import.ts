import type { Task } from "../../model/task.ts";
import { seeded } from "../seeded.ts";
import { answer, edit, read, run, taskDraft, write } from "../task-draft.ts";
import { hiddenTests } from "./hidden-tests.ts";
import { reportTurns } from "./report-turns.ts";
import { importSources, importTests } from "./sources/import-sources.ts";

/** A fix of a parser, and a list of rows that a long output showed. The output can be made again. */
export function csvImport(seed: number): Task {
  const name = "coding/csv-import";
  const choices = seeded(seed, name);
  const draft = taskDraft({
    name,
    family: "coding",
    seed,
    title: "Correct a CSV parser, and list a row that the import had rejected early",
  });
  const company = choices.word();
  const count = 170;
  const [badAmount, badDay] = choices.shuffle(Array.from({ length: 60 }, (_, index) => 55 + index));
  const references = Array.from(
    { length: count },
    (_, index) =>
      `${choices.pick(["RF", "QT", "LM"])}${String(choices.integer(100, 999) * 1000 + index)}`,
  );
  const rows = references.map((reference, index) => {
    const amount = `${String(choices.integer(1, 900))}.${String(choices.integer(10, 99))}`;
    const day = `2031-05-${String(1 + (index % 28)).padStart(2, "0")}`;
    return [
      reference,
      index === badDay ? "2031-02-30" : day,
      index === badAmount ? `${amount.replace(".", ",")} EUR` : amount,
      choices.pick(["paid", "by post", `two "boxes"`, "see note, page 2", "none"]),
    ];
  });
  for (const [path, text] of Object.entries(importSources(company))) draft.file(path, text);
  draft.file(
    "data/payments.csv",
    `reference,day,amount,note\n${rows.map((row) => `${row.map(quoted).join(",")}\n`).join("")}`,
  );
  const command = "node scripts/import.js";
  const fact = (id: string, pattern: string, value: string): string =>
    draft.fact({ id, pattern, value, source: command, recover: [run(command)] });
  const row = fact(
    "row",
    String.raw`row (\d+) +REJECTED \S+: not an amount`,
    String((badAmount ?? 0) + 2),
  );
  const reference = fact(
    "reference",
    String.raw`row \d+ +REJECTED (\S+): not an amount`,
    references[badAmount ?? 0] ?? "",
  );
  const report = reportTurns(draft, choices);

  draft.prompt(
    `Run \`${command}\`. Some rows are rejected; for which reasons? A short answer is enough.`,
    run(command),
    answer("One has no amount, and one has no day."),
  );
  report(0);
  report(1);
  draft.prompt(
    'The notes of the customers lose their quotes: `two ""boxes""` inside a quoted field has to become `two "boxes"`. Correct `src/csv.js`. A field that is quoted and empty has to stay empty, too.',
    read("src/csv.js"),
    edit("src/csv.js", oldQuote, newQuote),
    run("node test/run.js"),
    answer("Doubled quotes are kept as one."),
  );
  report(2);
  draft.prompt(
    "Let the import skip rows that begin with `#`, before they are checked, and count them: the result of `importPayments` in `src/import.js` gets a number `skipped`. The numbers of the other rows stay as they are.",
    read("src/import.js"),
    edit(
      "src/import.js",
      "  const rejected = [];\n",
      "  const rejected = [];\n  let skipped = 0;\n",
    ),
    edit("src/import.js", oldLoop, newLoop),
    edit(
      "src/import.js",
      "return { accepted, rejected };",
      "return { accepted, rejected, skipped };",
    ),
    run("node test/run.js"),
    answer("Comments are skipped and counted."),
  );
  report(3);
  const step = draft.prompt(
    "Write `docs/known-rows.md` with one line for the row whose amount was rejected when you ran the import today, in the form `row N: REFERENCE`. Say the reference in your answer, too.",
    write("docs/known-rows.md", `row ${row}: ${reference}\n`),
    answer(`It is ${reference}.`),
  );

  hiddenTests(draft, "parser and import", importTests);
  draft.check({
    type: "file",
    name: "the list of rows",
    path: "docs/known-rows.md",
    content: `row ${String((badAmount ?? 0) + 2)}: ${references[badAmount ?? 0] ?? ""}\n`,
  });
  draft.answers(step, "the reference", [references[badAmount ?? 0] ?? ""]);
  return draft.task();
}

const oldQuote = `      if (character === '"') isQuoted = false;
      else field += character;
`;

const newQuote = `      if (character === '"' && text[index + 1] === '"') {
        field += '"';
        index += 1;
      } else if (character === '"') isQuoted = false;
      else field += character;
`;

const oldLoop = `    const fault = faultOf(record);
`;

const newLoop = `    if (record.reference.startsWith("#")) {
      skipped += 1;
      continue;
    }
    const fault = faultOf(record);
`;

function quoted(field: string): string {
  return /[",]/u.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
