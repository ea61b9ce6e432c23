import type { Task } from "../../model/task.ts";
import { askPage, pageTurn, talkTurn } from "../episode-turns.ts";
import { sideFunctions, testLog, withLines } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, edit, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/**
 * A debugging session around a test suite that gives another log at each run. Each failure names a number of its run.
 * These numbers, and the limits that older runs reported, are needed eighty prompts later.
 */
export function flakySuite(seed: number): Task {
  const name = "long-episode/flaky-suite";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "long-episode",
    seed,
    title: "A debugging session whose long logs cannot be printed again",
  });
  const parts = text.words(6);
  const settings = parts.map((part) => ({ part, limit: text.unique(3) }));
  draft.file("tools/suite.sh", suiteScript);
  draft.file("state/run", "1\n");
  draft.file(
    "src/limits.json",
    `{\n${settings.map(({ part, limit }) => `  "${part}": ${String(limit)}`).join(",\n")}\n}\n`,
  );
  draft.prompt(opening, answer("Understood. I begin when you ask me to."));
  const pages = [pageTurn(draft, text, "docs", 6), pageTurn(draft, text, "docs", 22)];

  const runs = Array.from({ length: 8 }, (_, index) => {
    const part = text.pick(parts);
    const shown = suiteTurn(draft, text, part, index + 1);
    for (let turn = 0; turn < 7; turn += 1) talkTurn(draft, text);
    for (let turn = 0; turn < 3; turn += 1) sourceTurn(draft, text);
    pages.push(pageTurn(draft, text, "docs", text.pick([5, 8])));
    return shown;
  });
  fixLimits(draft, settings, runs);
  for (let turn = 0; turn < 6; turn += 1) talkTurn(draft, text);
  for (const page of text.shuffle(pages.slice(0, 5)).slice(0, 2)) askPage(draft, page);
  writePostmortem(draft, [runs.slice(0, 1), runs.slice(2, 3), runs.slice(4, 6)].flat());
  return draft.task();
}

interface SuiteRun {
  readonly number: number;
  readonly part: string;
  /** The number from which the failed run began. */
  readonly start: number;
  /** The limit at which the failed test would pass. */
  readonly limit: number;
}

const opening =
  "Today we look for the reason why the suite of this repository fails now and then. `sh tools/suite.sh` runs it. Each run shuffles the tests, begins from another start number, and fails somewhere else, so no log can be had twice: read each one carefully. A failure names its start number and the limit with which it would have passed. We collect these for a few hours, talk about them, and only at the end you change `src/limits.json` and write a short report. Please change nothing before I ask.";

// A log is deleted once it was printed.
const suiteScript = `n=$(cat state/run)
cat "state/log-$n.txt" && rm "state/log-$n.txt"
echo $((n + 1)) > state/run
`;

function suiteTurn(draft: TaskDraft, text: SeededText, part: string, number: number): SuiteRun {
  const shown = { number, part, start: text.unique(6), limit: text.unique(4) };
  const log = withLines(testLog(text, text.pick([150, 260, 380, 430])), [
    { at: 0, line: `run ${String(number)} of the suite` },
    {
      at: 0.55,
      line: `not ok - ${part} is too slow in run ${String(number)}: start number ${String(shown.start)}, passes with limit ${String(shown.limit)} ms`,
    },
  ]);
  // The log arrives just before it is printed, so the history of the workspace does not have it.
  draft.change({
    [`state/log-${String(number)}.txt`]: `${log}1 test failed in run ${String(number)}\n`,
  });
  draft.fact({
    id: `start-${String(number)}`,
    pattern: `in run ${String(number)}: start number (\\d{6}), passes`,
    value: String(shown.start),
    source: "sh tools/suite.sh",
  });
  draft.fact({
    id: `limit-${String(number)}`,
    pattern: `in run ${String(number)}: start number \\d{6}, passes with limit (\\d{4}) ms`,
    value: String(shown.limit),
    source: "sh tools/suite.sh",
  });
  draft.fact({
    id: `part-${String(number)}`,
    pattern: `not ok - (\\w+) is too slow in run ${String(number)}:`,
    value: part,
    source: "sh tools/suite.sh",
  });
  const step = draft.prompt(
    `${text.remarks(text.pick([0, 20, 40]))} Run \`sh tools/suite.sh\` once. Which part failed this time?`,
    run("sh tools/suite.sh"),
    answer(`The part {{part-${String(number)}}} failed.`),
  );
  draft.answers(step, `the part that failed in run ${String(number)}`, [part]);
  return shown;
}

/** A source file is read: something to think about, which is not the reason. */
function sourceTurn(draft: TaskDraft, text: SeededText): void {
  const name = text.word();
  const path = `src/${name}.mjs`;
  draft.file(
    path,
    `${sideFunctions(text, text.pick([6, 12, 16, 40]))}\nexport const part = "${name}";\n`,
  );
  draft.prompt(
    `Could \`${path}\` be the reason? Read it and answer with yes or no. ${text.remarks(text.pick([0, 10, 25]))}`,
    read(path),
    answer("No."),
  );
}

function fixLimits(
  draft: TaskDraft,
  settings: readonly { readonly part: string; readonly limit: number }[],
  runs: readonly SuiteRun[],
): void {
  const last = new Map(runs.map((shown) => [shown.part, shown]));
  const changed = settings.filter(({ part }) => last.has(part));
  draft.prompt(
    "Now change `src/limits.json`: each part that failed in one of the runs gets the limit with which it would have passed. If a part failed more than once, the last run counts. Leave the other parts alone.",
    read("src/limits.json"),
    ...changed.map(({ part, limit }) =>
      edit(
        "src/limits.json",
        `"${part}": ${String(limit)}`,
        `"${part}": {{limit-${String(last.get(part)?.number)}}}`,
      ),
    ),
    answer("The limits are changed."),
  );
  const expected = settings.map(
    ({ part, limit }) => [part, last.get(part)?.limit ?? limit] as const,
  );
  draft.hide(
    "hidden/limits.test.mjs",
    `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const limits = JSON.parse(readFileSync(new URL("../src/limits.json", import.meta.url), "utf8"));

test("the limits are those of the last failed runs", () => {
  assert.deepEqual(limits, ${JSON.stringify(Object.fromEntries(expected))});
});
`,
  );
  draft.check({
    type: "command",
    name: "the limits are those of the last failed runs",
    command: ["node", "--test", "hidden/limits.test.mjs"],
  });
}

function writePostmortem(draft: TaskDraft, runs: readonly SuiteRun[]): void {
  const lines = runs.map(({ number }) => `run ${String(number)}: {{start-${String(number)}}}\n`);
  draft.prompt(
    `Last, write \`report.md\` with the start numbers of the runs ${runs.map(({ number }) => String(number)).join(", ")}: one line for each, as \`run N: START\`, and nothing else.`,
    write("report.md", lines.join("")),
    answer("The report is written."),
  );
  draft.check({
    type: "file",
    name: "the report has the start numbers",
    path: "report.md",
    includes: runs.map(({ number, start }) => `run ${String(number)}: ${String(start)}`),
  });
}
