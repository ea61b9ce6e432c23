import type { TaskFiles } from "../../../model/task.ts";
import {
  collectionsSource,
  csvSource,
  errorsSource,
  packageSource,
  runnerSource,
  tableSource,
  validateSource,
} from "./plain-sources.ts";

/** A repository with stock and reservations. A reservation can be released twice, which is wrong. */
export function stockSources(company: string): TaskFiles {
  return {
    "package.json": packageSource(`${company}-stock`, "Stock and reservations."),
    "README.md": `# ${company} stock\n\n\`src/ledger.js\` reads the counts, \`src/reservations.js\` reserves articles, and \`scripts/audit.js\` compares the ledger with the shelves. Tests: \`node test/run.js\`.\n`,
    "src/collections.js": collectionsSource,
    "src/csv.js": csvSource,
    "src/errors.js": errorsSource,
    "src/table.js": tableSource,
    "src/validate.js": validateSource,
    "src/ledger.js": ledgerSource,
    "src/reservations.js": reservationsSource,
    "src/audit.js": auditSource,
    "scripts/audit.js": auditScript,
    "test/run.js": runnerSource,
    "test/stock.cases.js": casesSource,
  };
}

const ledgerSource = String.raw`import { readRecords } from "./csv.js";
import { ConflictError } from "./errors.js";
import { requireValid, text, whole } from "./validate.js";

const shape = {
  article: text({ pattern: /^[A-Z]{2}-\d+$/ }),
  count: whole({ least: 0 }),
};

/** Reads counts from CSV, as a map from article to count. */
export function readCounts(csv) {
  const counts = new Map();
  for (const record of readRecords(csv)) {
    const entry = { article: record.article, count: Number(record.count) };
    requireValid(entry, shape, "count");
    if (counts.has(entry.article)) throw new ConflictError("an article twice", entry.article);
    counts.set(entry.article, entry.count);
  }
  return counts;
}

export function totalOf(counts) {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

export function withDeliveries(counts, deliveries) {
  const sums = new Map(counts);
  for (const { article, count } of deliveries) sums.set(article, (sums.get(article) ?? 0) + count);
  return sums;
}
`;

const reservationsSource = String.raw`import { ConflictError, NotFoundError } from "./errors.js";

/** Reservations on counts. A reservation has a number, and takes its count from the free stock. */
export function openReservations(counts) {
  const free = new Map(counts);
  const reservations = [];

  const freeOf = (article) => {
    const count = free.get(article);
    if (count === undefined) throw new NotFoundError("article", article);
    return count;
  };
  const reservationOf = (number) => {
    const found = reservations[number - 1];
    if (found === undefined) throw new NotFoundError("reservation", number);
    return found;
  };

  return {
    /** Returns the number of the reservation. */
    reserve(article, count, customer) {
      const before = freeOf(article);
      if (before < count) throw new ConflictError("only " + before + " are free", before);
      free.set(article, before - count);
      reservations.push({ article, count, customer, isActive: true });
      return reservations.length;
    },
    release(number) {
      const reservation = reservationOf(number);
      reservation.isActive = false;
      free.set(reservation.article, free.get(reservation.article) + reservation.count);
      return true;
    },
    active: () => reservations.filter((reservation) => reservation.isActive).length,
    ofCustomer: (customer) =>
      reservations.flatMap((reservation, index) =>
        reservation.customer === customer && reservation.isActive ? [index + 1] : [],
      ),
  };
}
`;

const auditSource = String.raw`import { sortBy, unique } from "./collections.js";

/** Compares two maps of counts. An article that only one of them has counts as 0 in the other. */
export function compareCounts(ledger, shelf) {
  const articles = unique([...ledger.keys(), ...shelf.keys()]);
  const rows = articles.map((article) => {
    const [booked, counted] = [ledger.get(article) ?? 0, shelf.get(article) ?? 0];
    return { article, booked, counted, isEqual: booked === counted };
  });
  return sortBy(rows, (row) => row.article);
}

export function formatRow({ article, booked, counted, isEqual }) {
  return isEqual
    ? "equal    article=" + article + " count=" + booked
    : "MISMATCH article=" + article + " ledger=" + booked + " shelf=" + counted;
}
`;

const auditScript = String.raw`import { readFileSync } from "node:fs";
import { compareCounts, formatRow } from "../src/audit.js";
import { readCounts, totalOf } from "../src/ledger.js";

const ledger = readCounts(readFileSync("data/ledger.csv", "utf8"));
const shelf = readCounts(readFileSync("data/shelf.csv", "utf8"));
const rows = compareCounts(ledger, shelf);
for (const row of rows) console.log(formatRow(row));
console.log("");
console.log("articles: " + rows.length);
console.log("ledger:   " + totalOf(ledger));
console.log("shelf:    " + totalOf(shelf));
`;

const casesSource = String.raw`import assert from "node:assert/strict";
import { compareCounts } from "../src/audit.js";
import { readCounts, totalOf } from "../src/ledger.js";
import { openReservations } from "../src/reservations.js";

const counts = readCounts("article,count\nAX-1,10\nBR-2,4\n");

export const cases = {
  "counts are read": () => assert.equal(totalOf(counts), 14),
  "an article is counted once": () =>
    assert.throws(() => readCounts("article,count\nAX-1,1\nAX-1,2\n"), /an article twice/),
  "a reservation takes free stock": () => {
    const reservations = openReservations(counts);
    reservations.reserve("AX-1", 7, "one");
    assert.throws(() => reservations.reserve("AX-1", 4, "two"), /only 3 are free/);
    assert.deepEqual(reservations.ofCustomer("one"), [1]);
  },
  "a mismatch is found": () => {
    const rows = compareCounts(counts, new Map([["AX-1", 10]]));
    assert.deepEqual(rows.map((row) => row.isEqual), [true, false]);
  },
};
`;

export const stockTests: string = String.raw`import assert from "node:assert/strict";
import { test } from "node:test";
import { openReservations } from "../src/reservations.js";

test("a second release changes nothing", () => {
  const reservations = openReservations(new Map([["AX-1", 10]]));
  const first = reservations.reserve("AX-1", 6, "one");
  reservations.reserve("AX-1", 4, "two");
  assert.equal(reservations.release(first), true);
  assert.equal(reservations.release(first), false);
  assert.equal(reservations.available("AX-1"), 6);
  assert.equal(reservations.active(), 1);
  assert.throws(() => reservations.release(9), /no reservation 9/);
});

test("the available stock is that without reservations", () => {
  const reservations = openReservations(new Map([["AX-1", 10]]));
  assert.equal(reservations.available("AX-1"), 10);
  reservations.reserve("AX-1", 3, "one");
  assert.equal(reservations.available("AX-1"), 7);
  assert.throws(() => reservations.available("ZZ-9"), /no article ZZ-9/);
});
`;
