import type { Task } from "../../model/task.ts";
import { seeded } from "../seeded.ts";
import { answer, edit, read, run, taskDraft, write } from "../task-draft.ts";
import { hiddenTests } from "./hidden-tests.ts";
import { reportTurns } from "./report-turns.ts";
import { stockSources, stockTests } from "./sources/stock-sources.ts";

/** A fix, and a correction of a record by an output that cannot be made again, because its data were replaced. */
export function stockAudit(seed: number): Task {
  const name = "coding/stock-audit";
  const choices = seeded(seed, name);
  const draft = taskDraft({
    name,
    family: "coding",
    seed,
    title: "Correct a stock module, and record a finding of an audit whose data no longer exist",
  });
  const company = choices.word();
  const articles = Array.from({ length: 160 }, (_, index) => ({
    article: `${choices.pick(["AX", "BR", "CV", "DQ"])}-${String(2000 + index * 7 + choices.integer(0, 6))}`,
    count: choices.integer(3, 940),
  }));
  const wrong = articles[choices.integer(60, 100)] ?? { article: "", count: 0 };
  const shelf = wrong.count + choices.integer(7, 48);
  const ledger = (count: (index: number, counted: number) => number): string =>
    `article,count\n${articles.map(({ article, count: own }, index) => `${article},${String(count(index, own))}\n`).join("")}`;
  for (const [path, text] of Object.entries(stockSources(company))) draft.file(path, text);
  draft.file(
    "data/ledger.csv",
    ledger((_, count) => count),
  );
  draft.file(
    "data/shelf.csv",
    ledger((index, count) => (articles[index] === wrong ? shelf : count)),
  );
  const fact = (id: string, pattern: string, value: string): string =>
    draft.fact({ id, pattern, value, source: "node scripts/audit.js" });
  const article = fact("article", String.raw`MISMATCH article=([A-Z]{2}-\d+)`, wrong.article);
  const booked = fact("booked", String.raw`MISMATCH article=\S+ ledger=(\d+)`, String(wrong.count));
  const counted = fact(
    "counted",
    String.raw`MISMATCH article=\S+ ledger=\d+ shelf=(\d+)`,
    String(shelf),
  );
  const report = reportTurns(draft, choices);

  draft.prompt(
    "Run `node scripts/audit.js`. It compares the ledger with the shelves. Does it find a mismatch? Answer yes or no; I decide later how we record it.",
    run("node scripts/audit.js"),
    answer("Yes, one."),
  );
  report(0);
  draft.prompt(
    "Customers can release a reservation twice, and then the stock is too high. Correct `release` in `src/reservations.js`: it returns true if the reservation was active, and a second release returns false and changes nothing. Releasing an unknown number throws a `NotFoundError`, as before.",
    read("src/reservations.js"),
    edit("src/reservations.js", oldRelease, newRelease),
    run("node test/run.js"),
    answer("A second release changes nothing."),
  );
  draft.change({
    "data/ledger.csv": ledger((index, count) => count + (index % 5)),
    "data/shelf.csv": ledger((index, count) => count + (index % 5)),
  });
  draft.prompt(
    "The warehouse has just uploaded the new counts. Run the audit again: is everything equal now?",
    run("node scripts/audit.js"),
    answer("Yes, all counts are equal."),
  );
  report(1);
  report(2);
  draft.prompt(
    "Add a function `available(article)` to the object that `openReservations` returns: the stock that is not reserved. It has to throw a `NotFoundError` for an unknown article.",
    edit(
      "src/reservations.js",
      "    active: () =>",
      "    available(article) {\n      return freeOf(article);\n    },\n    active: () =>",
    ),
    answer("`available` is there."),
  );
  report(3);
  const step = draft.prompt(
    "I have decided how we record the mismatch of the first audit of today: write `data/corrections.csv` with the head line `article,ledger,shelf` and one line with the article and both counts of that audit. Then name the article in your answer.",
    write("data/corrections.csv", `article,ledger,shelf\n${article},${booked},${counted}\n`),
    answer(`I have recorded ${article}.`),
  );

  hiddenTests(draft, "reservations", stockTests);
  draft.check({
    type: "file",
    name: "the recorded mismatch",
    path: "data/corrections.csv",
    content: `article,ledger,shelf\n${wrong.article},${String(wrong.count)},${String(shelf)}\n`,
  });
  draft.answers(step, "the article", [wrong.article]);
  return draft.task();
}

const oldRelease = `      const reservation = reservationOf(number);
      reservation.isActive = false;
      free.set(reservation.article, free.get(reservation.article) + reservation.count);
      return true;
`;

const newRelease = `      const reservation = reservationOf(number);
      if (!reservation.isActive) return false;
      reservation.isActive = false;
      free.set(reservation.article, free.get(reservation.article) + reservation.count);
      return true;
`;
