import type { Task } from "../../model/task.ts";
import { otherWork, pageTurn, talkTurn } from "../episode-turns.ts";
import { measuredTable, withLines } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/**
 * Limits that a program shows are noted in the first session, and change before the third one. The note stays right for
 * its day; for today the program has to be asked again.
 */
export function changedLimit(seed: number): Task {
  const name = "memory/changed-limit";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "memory",
    seed,
    title: "Values that changed since they were noted: the ones of today and those of that day",
  });
  const lines = text.names(5).map((line): Line => ({
    line,
    first: String(text.unique(4)),
    second: String(text.unique(4)),
  }));
  draft.file("tools/limits.sh", "cat plant/limits.txt\n");
  draft.file("plant/limits.txt", limits(text, lines, "first"));
  for (const { line, first } of lines) limitFact(draft, line, first, "first");

  pageTurn(draft, text, "docs", 6);
  draft.prompt(
    "Run `sh tools/limits.sh` and note the limits of the lines in a Markdown file in `notes/`, as those of the spring.",
    run("sh tools/limits.sh"),
    write(
      "notes/spring.md",
      `# Spring\n\n${lines.map(({ line }) => `- line ${line} has the limit {{first-${line.toLowerCase()}}} kg`).join("\n")}\n`,
    ),
    answer("The limits are noted."),
  );
  for (let turn = 0; turn < 4; turn += 1) talkTurn(draft, text);

  draft.session();
  otherWork(draft, text, 6);
  const [same] = lines;
  if (same !== undefined) {
    const step = draft.prompt(
      `Which limit does line ${same.line} have at present? The number alone.`,
      run("sh tools/limits.sh"),
      answer(`{{first-${same.line.toLowerCase()}}}`),
    );
    draft.answers(step, `the limit of ${same.line} before the change`, [same.first]);
  }
  draft.change({ "plant/limits.txt": limits(text, lines, "second") });

  draft.session();
  talkTurn(draft, text);
  for (const { line, second } of lines.slice(1, 4)) limitFact(draft, line, second, "second");
  askToday(draft, lines.slice(1, 4));
  askSpring(draft, lines);
  return draft.task();
}

interface Line {
  readonly line: string;
  readonly first: string;
  readonly second: string;
}

function limits(text: SeededText, lines: readonly Line[], which: "first" | "second"): string {
  return withLines(
    measuredTable(text, 110),
    lines.map((line, index) => ({
      at: 0.3 + index / 12,
      line: `line ${line.line} has the limit ${line[which]} kg`,
    })),
  );
}

function limitFact(draft: TaskDraft, line: string, value: string, which: string): void {
  draft.fact({
    id: `${which}-${line.toLowerCase()}`,
    pattern: `line ${line} has the limit (\\d{4}) kg`,
    value,
    source: which === "first" ? "notes/spring.md" : "sh tools/limits.sh",
    recover: [which === "first" ? read("notes/spring.md") : run("sh tools/limits.sh")],
  });
}

function askToday(draft: TaskDraft, lines: readonly Line[]): void {
  const step = draft.prompt(
    `Which limits do the lines ${lines.map(({ line }) => line).join(", ")} have today? Write them to \`today.md\`, one line for each as \`LINE: LIMIT\`, and nothing else. Answer with the limit of line ${lines[0]?.line ?? ""}.`,
    run("sh tools/limits.sh"),
    write(
      "today.md",
      lines.map(({ line }) => `${line}: {{second-${line.toLowerCase()}}}\n`).join(""),
    ),
    answer(`{{second-${lines[0]?.line.toLowerCase() ?? ""}}}`),
  );
  for (const { line, first, second } of lines.slice(0, 1))
    draft.answers(step, `the limit of ${line} today`, [second], [first]);
  draft.check({
    type: "file",
    name: "the file has the limits of today",
    path: "today.md",
    includes: lines.map(({ line, second }) => `${line}: ${second}`),
  });
}

function askSpring(draft: TaskDraft, lines: readonly Line[]): void {
  draft.prompt(
    `And which limits did the lines ${lines.map(({ line }) => line).join(", ")} have in spring? Write them to \`then.md\` in the same form.`,
    run('grep -rl "limit" --include=*.md notes'),
    read("notes/spring.md"),
    write(
      "then.md",
      lines.map(({ line }) => `${line}: {{first-${line.toLowerCase()}}}\n`).join(""),
    ),
    answer("They are in `then.md`."),
  );
  draft.check({
    type: "file",
    name: "the file has the limits of the spring",
    path: "then.md",
    includes: lines.map(({ line, first }) => `${line}: ${first}`),
  });
}
