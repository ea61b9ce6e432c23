// Small modules of JavaScript that several of the made repositories have. None of them uses a template literal, so they
// can be written inside one.

export const moneySource: string = String.raw`import { UsageError } from "./errors.js";

// Amounts are whole cents. A number with a fraction is never an amount.

export function cents(text) {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (match === null) throw new UsageError("not an amount: " + text);
  const [, sign, whole, part = ""] = match;
  const value = Number(whole) * 100 + Number(part.padEnd(2, "0"));
  return sign === "-" ? -value : value;
}

export function formatCents(amount) {
  if (!Number.isInteger(amount)) throw new UsageError("not whole cents: " + amount);
  const sign = amount < 0 ? "-" : "";
  const digits = String(Math.abs(amount)).padStart(3, "0");
  return sign + digits.slice(0, -2) + "." + digits.slice(-2);
}

export function roundHalfUp(value) {
  return Math.sign(value) * Math.round(Math.abs(value));
}

export function roundHalfEven(value) {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (Math.abs(rest - 0.5) > 1e-9) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

export function share(amount, parts) {
  const least = Math.trunc(amount / parts);
  const rest = Math.abs(amount - least * parts);
  const step = Math.sign(amount);
  return Array.from({ length: parts }, (_, index) => (index < rest ? least + step : least));
}
`;

export const errorsSource: string = String.raw`// Errors that a caller can act on. Anything else is a mistake in this program.

export class UsageError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = "UsageError";
  }
}

export class NotFoundError extends UsageError {
  constructor(kind, id) {
    super("no " + kind + " " + id);
    this.name = "NotFoundError";
    this.kind = kind;
    this.id = id;
  }
}

export class ConflictError extends UsageError {
  constructor(message, found) {
    super(message);
    this.name = "ConflictError";
    this.found = found;
  }
}

export function isUsageError(error) {
  return error instanceof UsageError;
}

export function describe(error) {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : " (because of " + describe(error.cause) + ")";
  return error.name + ": " + error.message + cause;
}
`;

export const collectionsSource: string = String.raw`// Functions on lists that are used all over.

export function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export function sumBy(items, valueOf) {
  return items.reduce((sum, item) => sum + valueOf(item), 0);
}

export function sortBy(items, ...keys) {
  return [...items].sort((one, other) => {
    for (const key of keys) {
      const [a, b] = [key(one), key(other)];
      if (a < b) return -1;
      if (a > b) return 1;
    }
    return 0;
  });
}

export function unique(items) {
  return [...new Set(items)];
}

export function chunk(items, size) {
  const chunks = [];
  for (let start = 0; start < items.length; start += size) {
    chunks.push(items.slice(start, start + size));
  }
  return chunks;
}

export function countBy(items, keyOf) {
  return new Map([...groupBy(items, keyOf)].map(([key, group]) => [key, group.length]));
}

export function partition(items, isWanted) {
  const [yes, no] = [[], []];
  for (const item of items) (isWanted(item) ? yes : no).push(item);
  return [yes, no];
}
`;

export const tableSource: string = String.raw`// Tables of text for terminals: columns are as wide as their widest cell.

export function table(columns, rows) {
  const head = columns.map((column) => column.title);
  const cells = rows.map((row) => columns.map((column) => String(column.value(row))));
  const widths = head.map((title, index) =>
    Math.max(title.length, ...cells.map((line) => line[index].length)),
  );
  const lines = [head, widths.map((width) => "-".repeat(width)), ...cells];
  return lines.map((line) => formatLine(line, columns, widths)).join("\n");
}

function formatLine(line, columns, widths) {
  return line
    .map((cell, index) =>
      columns[index].align === "right" ? cell.padStart(widths[index]) : cell.padEnd(widths[index]),
    )
    .join("  ")
    .trimEnd();
}

export function section(title, body) {
  return [title, "=".repeat(title.length), "", body, ""].join("\n");
}

export function bullet(items) {
  return items.map((item) => "- " + item).join("\n");
}
`;

export const csvSource: string = String.raw`import { UsageError } from "./errors.js";

// CSV as spreadsheets write it: fields with a comma, a quote or a line end are in quotes, and a
// quote in them is doubled.

export function parseCsv(text) {
  const rows = [];
  let row = [];
  let field = "";
  let isQuoted = false;
  let index = 0;
  while (index < text.length) {
    const character = text[index];
    if (isQuoted) {
      if (character === '"' && text[index + 1] === '"') {
        field += '"';
        index += 1;
      } else if (character === '"') isQuoted = false;
      else field += character;
    } else if (character === '"' && field === "") isQuoted = true;
    else if (character === ",") {
      row.push(field);
      field = "";
    } else if (character === "\n") {
      rows.push([...row, field]);
      row = [];
      field = "";
    } else if (character !== "\r") field += character;
    index += 1;
  }
  if (isQuoted) throw new UsageError("a quoted field has no end");
  if (field !== "" || row.length > 0) rows.push([...row, field]);
  return rows;
}

export function readRecords(text) {
  const [head, ...rows] = parseCsv(text);
  if (head === undefined) throw new UsageError("the text has no head line");
  return rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index] ?? ""])));
}

export function formatCsv(head, records) {
  const lines = [head, ...records.map((record) => head.map((name) => String(record[name] ?? "")))];
  return lines.map((line) => line.map(quote).join(",") + "\n").join("");
}

function quote(field) {
  return /[",\n\r]/.test(field) ? '"' + field.replaceAll('"', '""') + '"' : field;
}
`;

export const daysSource: string = String.raw`import { UsageError } from "./errors.js";

// Days are texts such as 2031-04-09. They compare as texts, and have no time zone.

const millisecondsOfDay = 24 * 60 * 60 * 1000;

export function parseDay(text) {
  const time = Date.parse(text + "T00:00:00Z");
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time);
  if (!isDay || new Date(time).toISOString().slice(0, 10) !== text) {
    throw new UsageError("not a day: " + text);
  }
  return time;
}

export function addDays(day, count) {
  return new Date(parseDay(day) + count * millisecondsOfDay).toISOString().slice(0, 10);
}

export function daysBetween(from, to) {
  return Math.round((parseDay(to) - parseDay(from)) / millisecondsOfDay);
}

export function weekday(day) {
  return new Date(parseDay(day)).getUTCDay();
}

export function isWeekend(day) {
  const number = weekday(day);
  return number === 0 || number === 6;
}

export function nextWorkday(day) {
  let next = addDays(day, 1);
  while (isWeekend(next)) next = addDays(next, 1);
  return next;
}

export function monthOf(day) {
  return day.slice(0, 7);
}

export function lastDayOf(month) {
  const [year, number] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}
`;

export const journalSource: string = String.raw`// A journal in memory. Entries have a number instead of a time, so that two runs write the same.

const levels = ["debug", "info", "warning", "error"];

export function openJournal(options = {}) {
  const least = levels.indexOf(options.level ?? "info");
  const entries = [];
  const add = (level) => (message, details = {}) => {
    if (levels.indexOf(level) < least) return;
    entries.push({ number: entries.length + 1, level, message, details });
  };
  return {
    debug: add("debug"),
    info: add("info"),
    warning: add("warning"),
    error: add("error"),
    entries: () => [...entries],
    last: (level) => entries.findLast((entry) => level === undefined || entry.level === level),
    clear: () => void (entries.length = 0),
  };
}

export function formatEntry({ number, level, message, details }) {
  const parts = Object.entries(details).map(([name, value]) => name + "=" + JSON.stringify(value));
  return ["#" + number, level.padEnd(7), message, ...parts].join(" ");
}

export function formatJournal(journal) {
  return journal.entries().map(formatEntry).join("\n");
}

export function countLevels(journal) {
  const counts = Object.fromEntries(levels.map((level) => [level, 0]));
  for (const { level } of journal.entries()) counts[level] += 1;
  return counts;
}
`;

export const validateSource: string = String.raw`import { UsageError } from "./errors.js";

// Checks of records that come from outside. Every fault of a record is reported, not only the first.

export function text(options = {}) {
  const { least = 1, most = 200, pattern } = options;
  return (value) => {
    if (typeof value !== "string") return "is not a text";
    if (value.length < least) return "has fewer than " + least + " characters";
    if (value.length > most) return "has more than " + most + " characters";
    if (pattern !== undefined && !pattern.test(value)) return "does not match " + pattern;
    return undefined;
  };
}

export function whole(options = {}) {
  const { least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER } = options;
  return (value) => {
    if (!Number.isSafeInteger(value)) return "is not a whole number";
    if (value < least) return "is below " + least;
    if (value > most) return "is above " + most;
    return undefined;
  };
}

export function oneOf(...values) {
  return (value) => (values.includes(value) ? undefined : "is not one of " + values.join(", "));
}

export function optional(check) {
  return (value) => (value === undefined ? undefined : check(value));
}

export function faultsOf(record, shape) {
  const known = Object.entries(shape).flatMap(([name, check]) => {
    const fault = check(record[name]);
    return fault === undefined ? [] : [name + " " + fault];
  });
  const other = Object.keys(record).filter((name) => !(name in shape));
  return [...known, ...other.map((name) => name + " is not known")];
}

export function requireValid(record, shape, name) {
  const faults = faultsOf(record, shape);
  if (faults.length > 0) throw new UsageError(name + ": " + faults.join("; "));
  return record;
}
`;

export const heapSource: string = String.raw`// A heap with the least item first. Items of equal order keep the order in which they were added.

export function openHeap(isBefore) {
  const items = [];
  let added = 0;
  const before = (one, other) => {
    if (isBefore(one.item, other.item)) return true;
    return !isBefore(other.item, one.item) && one.number < other.number;
  };
  const swap = (a, b) => {
    [items[a], items[b]] = [items[b], items[a]];
  };
  const up = (start) => {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(items[index], items[parent])) return;
      swap(index, parent);
      index = parent;
    }
  };
  const down = () => {
    let index = 0;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = index;
      if (left < items.length && before(items[left], items[least])) least = left;
      if (right < items.length && before(items[right], items[least])) least = right;
      if (least === index) return;
      swap(index, least);
      index = least;
    }
  };
  return {
    size: () => items.length,
    peek: () => items[0]?.item,
    add(item) {
      added += 1;
      items.push({ item, number: added });
      up(items.length - 1);
    },
    take() {
      const first = items[0];
      const last = items.pop();
      if (items.length > 0 && last !== undefined) {
        items[0] = last;
        down();
      }
      return first?.item;
    },
  };
}
`;

export const runnerSource: string = String.raw`import { readdirSync } from "node:fs";

// Runs the cases of all files named *.cases.js. Its output has no times, so two runs can be compared.

let failed = 0;
let passed = 0;
for (const name of readdirSync(import.meta.dirname).sort()) {
  if (!name.endsWith(".cases.js")) continue;
  const { cases } = await import("./" + name);
  for (const [title, run] of Object.entries(cases)) {
    try {
      await run();
      passed += 1;
      console.log("ok      " + name.replace(".cases.js", "") + ": " + title);
    } catch (error) {
      failed += 1;
      console.log("FAILED  " + name.replace(".cases.js", "") + ": " + title);
      console.log("        " + String(error.message).split("\n").join("\n        "));
    }
  }
}
console.log(passed + " passed, " + failed + " failed");
process.exitCode = failed > 0 ? 1 : 0;
`;

/** The `package.json` of a made repository. */
export function packageSource(name: string, description: string): string {
  const json = {
    name,
    version: "0.4.0",
    private: true,
    description,
    type: "module",
    scripts: { test: "node test/run.js" },
    engines: { node: ">=22" },
  };
  return `${JSON.stringify(json, undefined, 2)}\n`;
}
