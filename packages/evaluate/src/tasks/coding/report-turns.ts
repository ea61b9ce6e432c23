import type { Seeded } from "../seeded.ts";
import { answer, run, type TaskDraft } from "../task-draft.ts";

const months = ["2031-01", "2031-02", "2031-03", "2031-04"] as const;

/**
 * Adds records and a script that prints those of one month, and returns a function that adds a turn in which the user
 * looks at a month. Its output has about 6,000 tokens: it fills the window between the turns that need each other.
 */
export function reportTurns(draft: TaskDraft, choices: Seeded): (month: number) => void {
  const places = Array.from({ length: 7 }, () => choices.word());
  const rows = months.flatMap((month) =>
    Array.from({ length: rowsOfMonth }, (_, index) => {
      const day = String(1 + Math.floor((index * 28) / rowsOfMonth)).padStart(2, "0");
      const [amount, state] = [choices.integer(100, 98_000), choices.pick(states)];
      return `${month}-${day},${choices.pick(places)},${String(amount)},${state},${choices.pick(notes)}`;
    }),
  );
  draft.file("data/movements.csv", `${["day,place,amount,state,note", ...rows].join("\n")}\n`);
  draft.file("scripts/report.js", reportSource);
  return (month) => {
    const name = months[month % months.length] ?? months[0];
    draft.prompt(
      `Please run \`node scripts/report.js ${name}\`. I only want to look at the output; there is nothing to change.`,
      run(`node scripts/report.js ${name}`),
      answer(`The report of ${name} is above.`),
    );
  };
}

const rowsOfMonth = 300;

const states = ["open", "booked", "booked", "booked", "disputed"];
const notes = [
  "second delivery",
  "paid by card",
  "checked by hand",
  "no receipt",
  "late",
  "partial",
];

const reportSource = String.raw`import { readFileSync } from "node:fs";
import { groupBy, sumBy } from "../src/collections.js";
import { readRecords } from "../src/csv.js";
import { section, table } from "../src/table.js";

const [month = ""] = process.argv.slice(2);
const records = readRecords(readFileSync("data/movements.csv", "utf8"));
const wanted = records.filter((record) => record.day.startsWith(month));

const columns = [
  { title: "day", value: (row) => row.day },
  { title: "place", value: (row) => row.place },
  { title: "amount", value: (row) => row.amount, align: "right" },
  { title: "state", value: (row) => row.state },
  { title: "note", value: (row) => row.note },
];
console.log(section("Movements of " + (month || "all months"), table(columns, wanted)));

const sums = [...groupBy(wanted, (row) => row.place)].map(([place, rows]) => ({
  place,
  sum: sumBy(rows, (row) => Number(row.amount)),
}));
const sumColumns = [
  { title: "place", value: (row) => row.place },
  { title: "sum", value: (row) => row.sum, align: "right" },
];
console.log(section("Sums by place", table(sumColumns, sums)));
`;
