import type { Task } from "../../model/task.ts";
import { seeded } from "../seeded.ts";
import { answer, edit, read, run, taskDraft } from "../task-draft.ts";
import { designNote } from "./design-note.ts";
import { hiddenTests } from "./hidden-tests.ts";
import { reportTurns } from "./report-turns.ts";
import { invoiceCases, invoiceSources, invoiceTests } from "./sources/invoice-sources.ts";

/** A fix: the tax of an invoice is rounded for each line. The rule and its numbers are in a note that was read earlier. */
export function invoiceRounding(seed: number): Task {
  const name = "coding/invoice-rounding";
  const choices = seeded(seed, name);
  const draft = taskDraft({
    name,
    family: "coding",
    seed,
    title: "Correct the rounding of taxes by a rule that was read six turns before",
  });
  const company = choices.word();
  const values = {
    threshold: choices.integer(1103, 1897),
    fee: choices.integer(211, 489),
    limit: choices.integer(6101, 8999),
    rates: choices.shuffle([75, 125, 175, 225]).slice(0, 2),
  };
  for (const [path, text] of Object.entries(invoiceSources(company, values.rates)))
    draft.file(path, text);
  draft.file(
    "docs/rounding.md",
    designNote(choices, "Rounding of taxes and fees", {
      title: "The rule",
      lines: [
        "1. The net amounts of all lines with the same tax class are summed. The tax of the class is the tax of this sum, and it is rounded once, to whole cents. An exact half is rounded to the even cent.",
        `2. A class with a net sum below ${String(values.threshold)} cents has no tax. Its entry is 0.`,
        `3. An invoice with a net total below ${String(values.limit)} cents has a small-order fee of ${String(values.fee)} cents. The fee has no tax.`,
      ],
    }),
  );
  const recover = [read("docs/rounding.md")];
  const fact = (id: string, pattern: string, value: number): string =>
    draft.fact({ id, pattern, value: String(value), source: "docs/rounding.md", recover });
  const threshold = fact(
    "threshold",
    String.raw`net sum below (\d+) cents has no tax`,
    values.threshold,
  );
  const limit = fact(
    "limit",
    String.raw`net total below (\d+) cents has a small-order`,
    values.limit,
  );
  const fee = fact("fee", String.raw`small-order fee of (\d+) cents`, values.fee);
  const report = reportTurns(draft, choices);

  draft.prompt(
    "Read `docs/rounding.md` and `src/invoice.js` carefully. We change the taxes and the fee later today, by the rule of this note. Do not change anything yet; just say when you know both.",
    read("docs/rounding.md"),
    read("src/invoice.js"),
    answer("I have read the rule and the module."),
  );
  report(0);
  report(1);
  draft.prompt(
    "Run the tests with `node test/run.js`. Do they pass?",
    run("node test/run.js"),
    answer("Yes, all of them pass."),
  );
  report(2);
  draft.prompt(
    "Customers complain about single cents in the taxes. Correct `taxesOf` in `src/invoice.js`, so that it follows all of the rule in the note about rounding that you read at the beginning: sums, rounding and the threshold. Keep its signature. Leave the fee for later.",
    edit("src/invoice.js", oldTaxes, newTaxes.replace("THRESHOLD", threshold)),
    edit(
      "src/invoice.js",
      'import { sumBy } from "./collections.js";',
      'import { groupBy, sumBy } from "./collections.js";',
    ),
    edit("src/invoice.js", "import { roundHalfUp }", "import { roundHalfEven }"),
    run("node test/run.js"),
    answer("`taxesOf` rounds once for each class."),
  );
  report(3);
  draft.prompt(
    "Now implement `feeOf(net)` in `src/invoice.js` by the same note.",
    edit(
      "src/invoice.js",
      "return 0; // No fee is agreed yet.",
      `return net < ${limit} ? ${fee} : 0;`,
    ),
    answer("`feeOf` returns the small-order fee."),
  );
  const step = draft.prompt(
    "For the change log: below which net sum of a class is there no tax, and how much is the small-order fee? Answer with both numbers in cents.",
    answer(`No tax below ${threshold} cents; the fee is ${fee} cents.`),
  );

  hiddenTests(draft, "taxes and fees", invoiceTests(values));
  draft.file("test/invoice.cases.js", invoiceCases(values.rates));
  draft.answers(step, "the numbers of the note", [String(values.threshold), String(values.fee)]);
  return draft.task();
}

const oldTaxes = `  for (const line of lines) {
    const tax = roundHalfUp((netOf(line) * rateOf(line.taxClass)) / 1000);
    taxes.set(line.taxClass, (taxes.get(line.taxClass) ?? 0) + tax);
  }
`;

const newTaxes = `  for (const [taxClass, group] of groupBy(lines, (line) => line.taxClass)) {
    const net = sumBy(group, netOf);
    const exact = (net * rateOf(taxClass)) / 1000;
    taxes.set(taxClass, net < THRESHOLD ? 0 : roundHalfEven(exact));
  }
`;
