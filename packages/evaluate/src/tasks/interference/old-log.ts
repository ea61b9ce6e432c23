import type { Task } from "../../model/task.ts";
import { otherWork, talkTurn } from "../episode-turns.ts";
import { testLog, withLines } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/** The log of a test run becomes old when somebody else changes the code. Only a new run shows what fails now. */
export function oldLog(seed: number): Task {
  const name = "interference/old-log";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "interference",
    seed,
    title: "A log from before a correction, and the tests that fail after it",
  });
  const rounds = Array.from({ length: 3 }, (_, index): Round => ({
    number: index + 1,
    failed: text.word(),
    seconds: String(text.unique(4)),
  }));
  draft.file("tools/suite.sh", "cat build/result.txt\n");
  draft.file(
    "build/saved-log.txt",
    logOf(text, { number: 0, failed: text.word(), seconds: String(text.unique(4)) }),
  );
  for (const round of rounds) {
    const files = { "build/result.txt": logOf(text, round) };
    if (round.number === 1) draft.file("build/result.txt", files["build/result.txt"]);
    else draft.change(files);
    askFailed(draft, round, rounds);
    otherWork(draft, text, 5);
    // A change that has nothing to do with the suite.
    draft.change({ "docs/visitors.md": `# Visitors\n\n${text.remarks(40)}\n` });
    talkTurn(draft, text);
  }
  writeState(draft, rounds);
  return draft.task();
}

interface Round {
  readonly number: number;
  readonly failed: string;
  readonly seconds: string;
}

function logOf(text: SeededText, { failed, seconds }: Round): string {
  const log = withLines(testLog(text, text.integer(140, 220)), [
    { at: 0.5, line: `not ok - the part ${failed} stops after ${seconds} ms in the suite` },
  ]);
  return `${log}1 test failed\n`;
}

function askFailed(draft: TaskDraft, round: Round, rounds: readonly Round[]): void {
  const { number, failed, seconds } = round;
  const recover = [run("sh tools/suite.sh")];
  const part = draft.fact({
    id: `part-${String(number)}`,
    pattern: String.raw`not ok - the part (\w+) stops after \d{4} ms in`,
    value: failed,
    source: "sh tools/suite.sh",
    recover,
  });
  draft.fact({
    id: `time-${String(number)}`,
    pattern: `not ok - the part ${failed} stops after (\\d{4}) ms in`,
    value: seconds,
    source: "sh tools/suite.sh",
    // The first log is in the first commit of the workspace.
    recover: number === 3 ? recover : [run("git show HEAD:build/result.txt")],
  });
  const ask =
    number === 1
      ? "The suite runs with `sh tools/suite.sh`. Which part fails? The name alone."
      : `A colleague has ${number === 2 ? "corrected that part" : "changed something again"} while we were talking. Which part fails in the suite now? The name alone.`;
  const step = draft.prompt(ask, run("sh tools/suite.sh"), answer(part));
  draft.answers(
    step,
    `the part that fails in round ${String(number)}`,
    [failed],
    rounds.filter((other) => other !== round).map((other) => other.failed),
  );
}

function writeState(draft: TaskDraft, rounds: readonly Round[]): void {
  const [first, , last] = rounds;
  if (first === undefined || last === undefined) return;
  draft.prompt(
    "Write `state.md` with two lines and nothing else: `then: N`, the milliseconds after which the part of our first run stopped, and `now: N`, the milliseconds of the part that fails at present.",
    run("sh tools/suite.sh"),
    write("state.md", "then: {{time-1}}\nnow: {{time-3}}\n"),
    answer("`state.md` is written."),
  );
  draft.check({
    type: "file",
    name: "the state has both times",
    path: "state.md",
    content: `then: ${first.seconds}\nnow: ${last.seconds}\n`,
  });
}
