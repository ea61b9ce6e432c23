import type { TaskFiles } from "../../../model/task.ts";
import {
  collectionsSource,
  csvSource,
  daysSource,
  errorsSource,
  moneySource,
  packageSource,
  runnerSource,
  tableSource,
} from "./plain-sources.ts";

/** A repository that computes and prints invoices. The tax is wrong: it is rounded for each line. */
export function invoiceSources(company: string, rates: readonly number[]): TaskFiles {
  return {
    "package.json": packageSource(`${company}-invoices`, "Invoices from orders."),
    "README.md": `# ${company} invoices\n\nOrders are read from CSV (\`src/orders.js\`), computed (\`src/invoice.js\`) and printed (\`src/render.js\`). All amounts are whole cents. The rules of rounding are in \`docs/rounding.md\`. Tests: \`node test/run.js\`.\n`,
    "src/money.js": moneySource,
    "src/errors.js": errorsSource,
    "src/collections.js": collectionsSource,
    "src/table.js": tableSource,
    "src/csv.js": csvSource,
    "src/days.js": daysSource,
    "src/rates.js": ratesSource(rates),
    "src/orders.js": ordersSource,
    "src/invoice.js": invoiceSource,
    "src/render.js": renderSource,
    "src/due.js": dueSource,
    "test/run.js": runnerSource,
  };
}

const ratesSource = ([standard = 0, reduced = 0]: readonly number[]): string =>
  `import { NotFoundError } from "./errors.js";

// Rates are parts of a thousand: 190 is 19 %.

const rates = { standard: ${String(standard)}, reduced: ${String(reduced)}, none: 0 };

export function rateOf(taxClass) {
  const rate = rates[taxClass];
  if (rate === undefined) throw new NotFoundError("tax class", taxClass);
  return rate;
}

export function taxClasses() {
  return Object.keys(rates);
}

export function describeRate(taxClass) {
  return taxClass + " (" + (rateOf(taxClass) / 10).toFixed(1) + " %)";
}
`;

const ordersSource = String.raw`import { readRecords } from "./csv.js";
import { UsageError } from "./errors.js";
import { cents, roundHalfUp } from "./money.js";

// A line has a quantity, a price of one unit in cents, a discount in parts of a thousand, and a class.

export function readOrder(text) {
  return readRecords(text).map((record, index) => lineOf(record, index + 2));
}

function lineOf(record, number) {
  const quantity = Number(record.quantity);
  if (!Number.isSafeInteger(quantity) || quantity === 0) {
    throw new UsageError("line " + number + ": the quantity is " + record.quantity);
  }
  const discount = record.discount === "" ? 0 : Number(record.discount);
  if (!(discount >= 0 && discount <= 1000)) {
    throw new UsageError("line " + number + ": the discount is " + record.discount);
  }
  return {
    article: record.article,
    quantity,
    unit: cents(record.unit),
    discount,
    taxClass: record.class || "standard",
  };
}

/** The net amount of a line. The discount is rounded here, since it is shown for each line. */
export function netOf({ quantity, unit, discount = 0 }) {
  const full = quantity * unit;
  return full - roundHalfUp((full * discount) / 1000);
}
`;

const invoiceSource = String.raw`import { sumBy } from "./collections.js";
import { roundHalfUp } from "./money.js";
import { netOf } from "./orders.js";
import { rateOf } from "./rates.js";

/** Computes an invoice. All amounts are cents. */
export function computeInvoice(lines) {
  const net = sumBy(lines, netOf);
  const taxes = taxesOf(lines);
  const tax = sumBy([...taxes.values()], (amount) => amount);
  const fee = feeOf(net);
  return { net, taxes, tax, fee, total: net + tax + fee };
}

/** The tax of each class, as a map from its name to cents. */
export function taxesOf(lines) {
  const taxes = new Map();
  for (const line of lines) {
    const tax = roundHalfUp((netOf(line) * rateOf(line.taxClass)) / 1000);
    taxes.set(line.taxClass, (taxes.get(line.taxClass) ?? 0) + tax);
  }
  return taxes;
}

/** The fee of an invoice with this net total. */
export function feeOf(net) {
  return 0; // No fee is agreed yet.
}
`;

const renderSource = String.raw`import { formatCents } from "./money.js";
import { netOf } from "./orders.js";
import { describeRate } from "./rates.js";
import { section, table } from "./table.js";

const columns = [
  { title: "article", value: (line) => line.article },
  { title: "quantity", value: (line) => line.quantity, align: "right" },
  { title: "unit", value: (line) => formatCents(line.unit), align: "right" },
  { title: "net", value: (line) => formatCents(netOf(line)), align: "right" },
];

export function renderInvoice(number, lines, invoice) {
  const sums = [
    ["net", invoice.net],
    ...[...invoice.taxes].map(([taxClass, amount]) => [describeRate(taxClass), amount]),
    ...(invoice.fee === 0 ? [] : [["small order", invoice.fee]]),
    ["total", invoice.total],
  ];
  const body = table(columns, lines);
  const below = sums.map(([name, amount]) => name.padEnd(20) + formatCents(amount).padStart(12));
  return section("Invoice " + number, body + "\n\n" + below.join("\n"));
}
`;

const dueSource = String.raw`import { addDays, isWeekend, nextWorkday } from "./days.js";
import { UsageError } from "./errors.js";

const terms = { now: 0, short: 10, usual: 30, long: 60 };

/** The day on which an invoice is due: never a Saturday or a Sunday. */
export function dueDay(day, term) {
  const days = terms[term];
  if (days === undefined) throw new UsageError("no term " + term);
  const due = addDays(day, days);
  return isWeekend(due) ? nextWorkday(due) : due;
}

export function isOverdue(invoice, today) {
  return !invoice.isPaid && dueDay(invoice.day, invoice.term) < today;
}
`;

/** The tests of the repository: they pass before and after the correction. */
export function invoiceCases([standard = 0]: readonly number[]): string {
  return `import assert from "node:assert/strict";
import { dueDay } from "../src/due.js";
import { computeInvoice } from "../src/invoice.js";
import { readOrder } from "../src/orders.js";

const head = "article,quantity,unit,discount,class\\n";

export const cases = {
  "an order is read": () => {
    const [line] = readOrder(head + "a-1,3,12.50,100,\\n");
    assert.deepEqual(line, { article: "a-1", quantity: 3, unit: 1250, discount: 100, taxClass: "standard" });
  },
  "a large order has its tax": () => {
    const { net, tax } = computeInvoice(readOrder(head + "a-1,100,100.00,,standard\\n"));
    assert.deepEqual([net, tax], [1000000, ${String(standard * 1000)}]);
  },
  "a day of payment is a workday": () => {
    assert.equal(dueDay("2031-04-04", "now"), "2031-04-04");
    assert.equal(dueDay("2031-04-05", "now"), "2031-04-07");
  },
};
`;
}

export function invoiceTests(values: {
  readonly threshold: number;
  readonly fee: number;
  readonly limit: number;
}): string {
  const { threshold, fee, limit } = values;
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { computeInvoice, feeOf, taxesOf } from "../src/invoice.js";
import { rateOf } from "../src/rates.js";

const line = (unit, taxClass, quantity = 1) => ({ article: "x", quantity, unit, discount: 0, taxClass });
const even = (value) => {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
};

test("the tax of a class is rounded once, half to even", () => {
  for (const taxClass of ["standard", "reduced", "none"]) {
    for (let unit = ${String(threshold)}; unit < ${String(threshold + 400)}; unit += 1) {
      const tax = even((unit * 3 * rateOf(taxClass)) / 1000);
      assert.equal(taxesOf([line(unit, taxClass), line(unit, taxClass, 2)]).get(taxClass), tax);
      assert.equal(taxesOf([line(unit, taxClass)]).get(taxClass), even((unit * rateOf(taxClass)) / 1000));
    }
  }
});

test("a class below the threshold has no tax", () => {
  const below = taxesOf([line(${String(threshold - 1)}, "standard"), line(${String(threshold)}, "reduced")]);
  assert.equal(below.get("standard"), 0);
  assert.notEqual(below.get("reduced"), 0);
});

test("a small order has the fee", () => {
  assert.deepEqual([${String(limit - 1)}, ${String(limit)}].map(feeOf), [${String(fee)}, 0]);
  assert.equal(computeInvoice([line(500, "none")]).total, ${String(500 + fee)});
});
`;
}
