import type { Task } from "../../model/task.ts";
import { otherWork, talkTurn } from "../episode-turns.ts";
import { measuredTable, withLines } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/** Two configurations with the same fields. A program says which one is in use, and that changes twice. */
export function twoConfigurations(seed: number): Task {
  const name = "interference/two-configurations";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "interference",
    seed,
    title: "Two configurations, of which another program changes the one in use",
  });
  const [blue, green] = [configuration(text), configuration(text)];
  draft.file(
    "tools/state.sh",
    'echo "in use: $(cat plant/in-use) at present"\ncat plant/measured.txt\n',
  );
  draft.file("plant/measured.txt", measuredTable(text, 70));
  draft.file("plant/in-use", `${blue.label}\n`);
  for (const one of [blue, green]) draft.file(pathOf(one), textOf(text, one));
  draft.prompt(
    "The plant has two configurations in `plant/`. `sh tools/state.sh` shows which one is in use, and a table of measured values. Read both configurations.",
    read(pathOf(blue)),
    read(pathOf(green)),
    answer("I have read both."),
  );
  for (const [index, one] of [blue, green, blue].entries()) {
    const other = one === blue ? green : blue;
    askInUse(draft, one, other, index + 1);
    otherWork(draft, text, 5);
    // Before blue is in use again, its values change.
    if (index === 1) {
      blue.older.push(blue.speed);
      blue.speed = String(text.unique(4));
    }
    if (index < 2)
      draft.change({
        "plant/in-use": `${other.label}\n`,
        "plant/measured.txt": measuredTable(text, 70),
        [pathOf(blue)]: textOf(text, blue),
      });
    talkTurn(draft, text);
  }
  return draft.task();
}

interface Configuration {
  readonly label: string;
  speed: string;
  readonly older: string[];
}

function configuration(text: SeededText): Configuration {
  return { label: text.word(), speed: String(text.unique(4)), older: [] };
}

const pathOf = ({ label }: Configuration): string => `plant/${label}.conf`;

function textOf(text: SeededText, { label, speed }: Configuration): string {
  const fields = Array.from(
    { length: 60 },
    (_, index) => `field ${String(index + 1)} of ${label} is ${String(text.integer(100, 999))}`,
  );
  return withLines(`${fields.join("\n")}\n`, [
    { at: 0.5, line: `the speed of ${label} is ${speed} mm/s` },
  ]);
}

function askInUse(draft: TaskDraft, one: Configuration, other: Configuration, round: number): void {
  const inUse = draft.fact({
    id: `in-use-${String(round)}`,
    pattern: String.raw`in use: ([a-z]+) at present`,
    value: one.label,
    source: "sh tools/state.sh",
    recover: [run("sh tools/state.sh")],
  });
  const speed = draft.fact({
    id: `speed-${String(round)}`,
    pattern: `the speed of ${one.label} is (\\d{4}) mm/s`,
    value: one.speed,
    source: pathOf(one),
    recover: [read(pathOf(one))],
  });
  const step = draft.prompt(
    `Which speed does the configuration have that is in use at present? Answer with the number alone, and write the file \`use-${String(round)}.md\` with one line, \`NAME: SPEED\`, where NAME is the name of this configuration.`,
    run("sh tools/state.sh"),
    read(pathOf(one)),
    write(`use-${String(round)}.md`, `${inUse}: ${speed}\n`),
    answer(speed),
  );
  draft.answers(
    step,
    `the speed in round ${String(round)}`,
    [one.speed],
    [other.speed, ...one.older],
  );
  draft.check({
    type: "file",
    name: `the configuration in use in round ${String(round)}`,
    path: `use-${String(round)}.md`,
    content: `${one.label}: ${one.speed}\n`,
  });
}
