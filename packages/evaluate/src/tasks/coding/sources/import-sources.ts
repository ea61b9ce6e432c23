import type { TaskFiles } from "../../../model/task.ts";
import {
  collectionsSource,
  csvSource,
  daysSource,
  errorsSource,
  journalSource,
  moneySource,
  packageSource,
  runnerSource,
  tableSource,
} from "./plain-sources.ts";

/** A repository that imports payments. Its parser drops doubled quotes, which is wrong. */
export function importSources(company: string): TaskFiles {
  return {
    "package.json": packageSource(`${company}-payments`, "Imports payments from CSV."),
    "README.md": `# ${company} payments\n\n\`src/csv.js\` parses, \`src/import.js\` checks and converts, and \`src/match.js\` finds the invoices. \`node scripts/import.js\` shows what becomes of each row of \`data/payments.csv\`. Tests: \`node test/run.js\`.\n`,
    "src/collections.js": collectionsSource,
    "src/csv.js": csvSource.replace(correctQuote, brokenQuote),
    "src/days.js": daysSource,
    "src/errors.js": errorsSource,
    "src/import.js": importSource,
    "src/journal.js": journalSource,
    "src/match.js": matchSource,
    "src/money.js": moneySource,
    "src/table.js": tableSource,
    "scripts/import.js": importScript,
    "test/run.js": runnerSource,
    "test/import.cases.js": casesSource,
  };
}

const correctQuote = `      if (character === '"' && text[index + 1] === '"') {
        field += '"';
        index += 1;
      } else if (character === '"') isQuoted = false;
`;

const brokenQuote = `      if (character === '"') isQuoted = false;
`;

const importSource = String.raw`import { readRecords } from "./csv.js";
import { parseDay } from "./days.js";
import { isUsageError } from "./errors.js";
import { cents } from "./money.js";

/**
 * Reads payments from CSV. A row that cannot be read is rejected with its number and its reason; the
 * others are imported. The head line is row 1.
 */
export function importPayments(text) {
  const accepted = [];
  const rejected = [];
  for (const [index, record] of readRecords(text).entries()) {
    const row = index + 2;
    const fault = faultOf(record);
    if (fault === undefined) accepted.push({ row, ...paymentOf(record) });
    else rejected.push({ row, reference: record.reference, reason: fault });
  }
  return { accepted, rejected };
}

function paymentOf({ reference, day, amount, note }) {
  return { reference, day, amount: cents(amount), note };
}

function faultOf(record) {
  if (!/^[A-Z]{2}\d+$/.test(record.reference)) return "not a reference: " + record.reference;
  try {
    cents(record.amount);
    parseDay(record.day);
    return undefined;
  } catch (error) {
    if (isUsageError(error)) return error.message;
    throw error;
  }
}
`;

const matchSource = String.raw`import { groupBy, sumBy } from "./collections.js";
import { daysBetween } from "./days.js";

/** Finds the invoice of each payment by its reference. */
export function matchPayments(payments, invoices) {
  const byReference = groupBy(payments, (payment) => payment.reference);
  return invoices.map((invoice) => {
    const own = byReference.get(invoice.reference) ?? [];
    const paid = sumBy(own, (payment) => payment.amount);
    return { reference: invoice.reference, paid, open: invoice.amount - paid, days: lateness(own, invoice) };
  });
}

/** Days from the day of an invoice to its last payment. */
function lateness(payments, invoice) {
  const last = payments.map((payment) => payment.day).sort().at(-1);
  return last === undefined ? undefined : daysBetween(invoice.day, last);
}

export function openAmount(matches) {
  return sumBy(matches, (match) => Math.max(0, match.open));
}
`;

const importScript = String.raw`import { readFileSync } from "node:fs";
import { importPayments } from "../src/import.js";
import { formatCents } from "../src/money.js";

const { accepted, rejected } = importPayments(readFileSync("data/payments.csv", "utf8"));
const lines = [
  ...accepted.map((one) => [one.row, "accepted " + one.reference + " " + one.day + " " + formatCents(one.amount) + " " + one.note]),
  ...rejected.map((one) => [one.row, "REJECTED " + one.reference + ": " + one.reason]),
];
lines.sort(([one], [other]) => one - other);
for (const [row, text] of lines) console.log("row " + String(row).padEnd(4) + " " + text);
console.log(accepted.length + " accepted, " + rejected.length + " rejected");
`;

const casesSource = String.raw`import assert from "node:assert/strict";
import { parseCsv } from "../src/csv.js";
import { importPayments } from "../src/import.js";
import { matchPayments, openAmount } from "../src/match.js";

const head = "reference,day,amount,note\n";

export const cases = {
  "a quoted field can have a comma": () => assert.deepEqual(parseCsv('a,"b,c"\n'), [["a", "b,c"]]),
  "a payment is read": () => {
    const { accepted } = importPayments(head + "RF1,2031-05-01,12.50,paid\n");
    assert.deepEqual(accepted, [{ row: 2, reference: "RF1", day: "2031-05-01", amount: 1250, note: "paid" }]);
  },
  "a wrong row is rejected with its number": () => {
    const { rejected } = importPayments(head + "RF1,2031-05-01,1.00,\nRF2,2031-02-30,1.00,\n");
    assert.deepEqual(rejected, [{ row: 3, reference: "RF2", reason: "not a day: 2031-02-30" }]);
  },
  "payments are matched": () => {
    const payments = [{ reference: "RF1", day: "2031-05-03", amount: 300 }];
    const [match] = matchPayments(payments, [{ reference: "RF1", day: "2031-05-01", amount: 500 }]);
    assert.deepEqual(match, { reference: "RF1", paid: 300, open: 200, days: 2 });
    assert.equal(openAmount([match]), 200);
  },
};
`;

export const importTests: string = String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCsv } from "../src/csv.js";
import { importPayments } from "../src/import.js";

test("a doubled quote in a quoted field is one quote", () => {
  assert.deepEqual(parseCsv('a,"two ""boxes""",b\n'), [["a", 'two "boxes"', "b"]]);
  assert.deepEqual(parseCsv('"""a""",""\n"x\ny",""\n'), [['"a"', ""], ["x\ny", ""]]);
  assert.deepEqual(parseCsv('a"b,c\n'), [['a"b', "c"]]);
});

test("comments are skipped and counted", () => {
  const text = "reference,day,amount,note\n# first\nRF1,2031-05-01,1.00,\n#,,,\nRF2,2031-05-01,x,\n";
  const { accepted, rejected, skipped } = importPayments(text);
  assert.equal(skipped, 2);
  assert.deepEqual(accepted.map(({ row }) => row), [3]);
  assert.deepEqual(rejected, [{ row: 5, reference: "RF2", reason: "not an amount: x" }]);
});
`;
