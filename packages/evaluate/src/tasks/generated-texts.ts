import type { SeededText } from "./seeded-text.ts";

/** Puts lines at about these places of a text, as fractions of its lines: a view that shows head and tail cuts them. */
export function withLines(
  text: string,
  inserted: readonly { readonly at: number; readonly line: string }[],
): string {
  const lines = text.split("\n");
  const placed = inserted.toSorted((one, other) => other.at - one.at);
  for (const { at, line } of placed) lines.splice(Math.floor(lines.length * at), 0, line);
  return lines.join("\n");
}

/** The log of a test run with this many passed tests. A line has about 65 characters. */
export function testLog(text: SeededText, tests: number): string {
  const files = ["rows", "parser", "totals", "locks", "export", "import", "calendar", "limits"];
  const claims = [
    "keeps the order of empty rows",
    "refuses a date before the first day",
    "gives the same total in both directions",
    "closes the file after an error",
    "reads a line that has no end",
    "waits for the lock of another process",
    "ignores a comment behind the last value",
    "writes the header once",
  ];
  const lines: string[] = [];
  for (let test = 1; test <= tests; test += 1)
    lines.push(
      `ok ${String(test)} - ${text.pick(files)}/${text.pick(files)} ${text.pick(claims)} (${String(text.integer(1, 480))} ms)`,
    );
  return `${lines.join("\n")}\n`;
}

/** A table of measured values with this many rows. A row has about 70 characters. */
export function measuredTable(text: SeededText, rows: number): string {
  const places = ["inlet", "outlet", "bypass", "tank", "filter", "return", "header", "spare"];
  const lines = ["time      place    flow l/min  temp C   vibration  state"];
  let second = text.integer(3600, 30_000);
  for (let row = 0; row < rows; row += 1) {
    second += text.integer(3, 50);
    const clock = new Date(second * 1000).toISOString().slice(11, 19);
    const temperature = `${String(text.integer(18, 79))}.${String(text.integer(0, 9))}`;
    lines.push(
      `${clock}  ${text.pick(places).padEnd(8)} ${String(text.integer(100, 990)).padEnd(11)} ${temperature.padEnd(8)} 0.${String(text.integer(10, 99)).padEnd(8)} ${text.pick(["ok", "ok", "ok", "checked", "drift"])}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** A Markdown page with sections. A section has about 600 characters. */
export function documentText(text: SeededText, title: string, sections: number): string {
  const parts = [`# ${title}\n`];
  for (let section = 1; section <= sections; section += 1)
    parts.push(
      `## ${String(section)}. ${text.pick(headings)}\n\n${text.remarks(45)}\n\n- ${text.sentence()}\n- ${text.sentence()}\n`,
    );
  return parts.join("\n");
}

const headings = [
  "Purpose",
  "What to check first",
  "Notes of the last review",
  "Open questions",
  "Parts and tools",
  "People",
  "Where it was used",
  "Limits",
  "History",
  "Costs",
];

/** Functions of a JavaScript module that nothing depends on. A function has about 330 characters. */
export function sideFunctions(text: SeededText, count: number): string {
  const functions: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const name = text.pick(verbs) + text.pick(nouns) + String(made + 1);
    const [first, second] = [text.integer(2, 90), text.integer(2, 90)];
    functions.push(
      `// ${text.sentence()}\nfunction ${name}(rows) {\n  const kept = rows.filter((row) => row.amount > ${String(first)});\n  if (kept.length === 0) return { amount: ${String(second)}, rows: [] };\n  return { amount: kept.reduce((sum, row) => sum + row.amount, 0), rows: kept };\n}\n`,
    );
  }
  return functions.join("\n");
}

const verbs = ["collect", "order", "merge", "check", "split", "count"];
const nouns = ["Rows", "Totals", "Dates", "Entries", "Parts", "Lines"];
