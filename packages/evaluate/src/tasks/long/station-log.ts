import type { Task } from "../../model/task.ts";
import { measuredTable, withLines } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/**
 * A log book that is kept in the talk alone: readings of ten pumps over 270 prompts, of which some are corrected, and
 * tables of a program whose values are replaced while the work continues.
 */
export function stationLog(seed: number): Task {
  const name = "long-episode/station-log";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "long-episode",
    seed,
    title: "A log book over 280 prompts: the newest, the first and the corrected readings",
  });
  const pumps = text.names(10).map((pump): Pump => ({ pump, readings: [], first: 0 }));
  draft.file("tools/table.sh", 'cat "tables/$1.txt"\n');
  draft.prompt(rules(pumps), answer("Noted."));
  const tables = tablesOf(draft, text);
  for (let entry = 1; entry <= 270; entry += 1) {
    if (entry % 9 === 0) lookAtTable(draft, text, tables, entry / 9);
    else addEntry(draft, text, pumps, entry);
    // Between the tables, so that a request of the time before still has the old value.
    if (entry === 200)
      draft.change({ "tables/rotated.txt": "Tables 1 to 15 were archived.\n", ...archived() });
  }
  askLate(draft, text, pumps, tables);
  return draft.task();
}

interface Pump {
  readonly pump: string;
  /** All readings, in order. A corrected one is replaced. */
  readonly readings: number[];
  /** The first reading as it was reported first. */
  first: number;
}

interface Table {
  readonly bearing: string;
  readonly wear: number;
}

const tableCount = 30;

function rules(pumps: readonly Pump[]): string {
  return `We keep the log of the pumping station together, here in the talk. I report readings of the pumps ${pumps.map(({ pump }) => pump).join(", ")}, in kPa. Answer each entry with the word "Noted." and nothing else. Do not write files until I ask for it. A correction replaces the last reading of its pump: from then on the corrected number counts as the newest. Now and then I ask you to run \`sh tools/table.sh NUMBER\`, which prints a table of the station. Later I shall ask for some of the numbers, so it has to be possible to find them. If I ask for "the newest" I mean the last reading with its correction, and "as first reported" means the very first number that I gave for a pump. Answer such questions with the number alone.`;
}

function tablesOf(draft: TaskDraft, text: SeededText): readonly Table[] {
  const files: Record<string, string> = {};
  const tables = Array.from({ length: tableCount }, (_, index) => {
    const table = { bearing: text.name(), wear: text.unique(4) };
    const rows = index % 6 === 2 ? text.integer(220, 300) : text.integer(70, 140);
    files[`tables/${String(index + 1)}.txt`] = withLines(measuredTable(text, rows), [
      { at: 0.5, line: `bearing ${table.bearing}: wear ${String(table.wear)} nm` },
    ]);
    return table;
  });
  // The tables arrive after the beginning, so the history of the workspace does not have them.
  draft.change(files);
  return tables;
}

function archived(): Record<string, null> {
  return Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [`tables/${String(index + 1)}.txt`, null] as const),
  );
}

function lookAtTable(
  draft: TaskDraft,
  text: SeededText,
  tables: readonly Table[],
  number: number,
): void {
  const table = tables[number - 1];
  if (table === undefined) return;
  const command = `sh tools/table.sh ${String(number)}`;
  const id = draft.fact({
    id: `wear-${String(number)}`,
    pattern: `bearing ${table.bearing}: wear (\\d{4}) nm`,
    value: String(table.wear),
    source: command,
    // The first half is archived before it is asked for.
    ...(number > 15 && { recover: [run(command)] }),
  });
  draft.prompt(
    `Please run \`${command}\`. ${text.remarks(text.pick([0, 12, 40]))} Which bearing does it name, and what is its wear?`,
    run(command),
    answer(`${table.bearing}, ${id} nm.`),
  );
}

function addEntry(draft: TaskDraft, text: SeededText, pumps: readonly Pump[], entry: number): void {
  const pump = text.pick(pumps);
  const reading = text.unique(4);
  const last = pump.readings.at(-1);
  const talk = text.remarks(text.pick([0, 0, 8, 30, 60, 170]));
  if (last !== undefined && text.integer(1, 6) === 1) {
    pump.readings[pump.readings.length - 1] = reading;
    draft.prompt(
      `Correction: I misread the gauge. Pump ${pump.pump} read ${String(reading)} kPa, not ${String(last)}. ${talk}`,
      answer("Noted."),
    );
    return;
  }
  if (last === undefined) pump.first = reading;
  pump.readings.push(reading);
  const order = last === undefined ? ` That is the first report of ${pump.pump}.` : "";
  draft.prompt(
    `Entry ${String(entry)}: pump ${pump.pump} reads ${String(reading)} kPa.${order} ${talk}`,
    answer("Noted."),
  );
}

function askLate(
  draft: TaskDraft,
  text: SeededText,
  pumps: readonly Pump[],
  tables: readonly Table[],
): void {
  const asked = text.shuffle(pumps.filter(({ readings }) => readings.length > 1));
  const newest = (pump: Pump): string => {
    const value = String(pump.readings.at(-1));
    return draft.fact({
      id: `newest-${pump.pump.toLowerCase()}`,
      pattern: `[Pp]ump ${pump.pump} reads? (\\d{4}) kPa`,
      value,
      source: `pump ${pump.pump} reads`,
    });
  };
  for (const pump of asked.slice(0, 3)) {
    const step = draft.prompt(
      `What is the newest reading of pump ${pump.pump}? The number alone.`,
      answer(`${newest(pump)} kPa`),
    );
    const older = pump.readings.slice(0, -1).map(String);
    draft.answers(
      step,
      `the newest reading of ${pump.pump}`,
      [String(pump.readings.at(-1))],
      older,
    );
  }
  for (const pump of asked.slice(3, 6)) {
    const id = draft.fact({
      id: `first-${pump.pump.toLowerCase()}`,
      pattern: `reads (\\d{4}) kPa\\. That is the first report of ${pump.pump}\\.`,
      value: String(pump.first),
      source: `the first report of ${pump.pump}`,
    });
    const step = draft.prompt(
      `What was the reading of pump ${pump.pump} as first reported? The number alone.`,
      answer(`${id} kPa`),
    );
    draft.answers(step, `the first reading of ${pump.pump}`, [String(pump.first)]);
  }
  for (const [least, most] of [
    [2, 5],
    [6, 9],
    [10, 14],
    [17, 20],
    [21, 26],
  ] as const) {
    const number = text.integer(least, most);
    const table = tables[number - 1];
    if (table === undefined) continue;
    const step = draft.prompt(
      `Which wear did the table name for the bearing ${table.bearing}? The number alone, in nm.`,
      answer(`{{wear-${String(number)}}} nm`),
    );
    draft.answers(step, `the wear of ${table.bearing}`, [String(table.wear)]);
  }
  askForSum(draft, asked.slice(6, 9), newest);
}

function askForSum(draft: TaskDraft, pumps: readonly Pump[], newest: (pump: Pump) => string): void {
  const names = pumps.map(({ pump }) => pump).join(", ");
  const sum = pumps.reduce((total, { readings }) => total + (readings.at(-1) ?? 0), 0);
  const ids = pumps.map(newest);
  const total = draft.fact({
    id: "sum",
    pattern: String.raw`sum of the newest: (\d+) kPa`,
    value: String(sum),
    source: "the sum of the newest readings",
  });
  const step = draft.prompt(
    `What is the sum of the newest readings of ${names}? Answer with the number alone, and write the three readings to \`report.md\`, one in a line, in this order, as NAME: NUMBER.`,
    run(`echo "sum of the newest: $((${ids.join(" + ")})) kPa"`),
    write("report.md", pumps.map(({ pump }, index) => `${pump}: ${String(ids[index])}\n`).join("")),
    answer(`${total} kPa`),
  );
  draft.answers(step, "the sum of three pumps", [String(sum)]);
  draft.check({
    type: "file",
    name: "the report has the newest readings",
    path: "report.md",
    includes: pumps.map(({ pump, readings }) => `${pump}: ${String(readings.at(-1))}`),
  });
}
