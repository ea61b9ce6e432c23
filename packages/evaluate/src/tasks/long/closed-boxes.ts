import type { Task } from "../../model/task.ts";
import { talkTurn } from "../episode-turns.ts";
import { measuredTable, withLines } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/**
 * Sixty-two outputs of about 16,000 characters that a program prints once. Together they are longer than the context
 * window of many models; each has one label that may be needed later.
 */
export function closedBoxes(seed: number): Task {
  const name = "long-episode/closed-boxes";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "long-episode",
    seed,
    title: "Labels from sixty long outputs that are printed once, more text than most windows have",
  });
  draft.file("tools/open.sh", 'cat "boxes/$1.txt" && rm "boxes/$1.txt"\n');
  draft.prompt(opening, answer("Understood."));
  const boxes: Box[] = [];
  for (let number = 1; number <= boxCount; number += 1) {
    boxes.push(openTurn(draft, text, number));
    if (number % 12 === 0) askLabel(draft, text.pick(boxes.slice(-10, -4)));
    else talkTurn(draft, text);
  }
  askCloser(draft, boxes[8]);
  askCloser(draft, boxes[40]);
  writeManifest(
    draft,
    [3, 7, 15, 22, 29, 33, 38, 47, 52, 60].flatMap((at) => boxes[at] ?? []),
  );
  return draft.task();
}

interface Box {
  readonly number: number;
  readonly label: string;
  readonly closer: string;
}

const boxCount = 62;

const opening =
  "In the store room are 62 boxes with measurements. We open them one by one with `sh tools/open.sh NUMBER`. The program prints what is in a box, and the content is gone afterwards, so open a box only when I ask for it, and let the program print all of it. In the middle of each print is a line with the label of the box and with the person who closed it. At the end I need some of the labels for a list. Answer shortly.";

function openTurn(draft: TaskDraft, text: SeededText, number: number): Box {
  const box = {
    number,
    label: `${text.word()}-${String(text.unique(4))}`,
    closer: text.name(),
  };
  const command = `sh tools/open.sh ${String(number)}`;
  // A box arrives just before it is opened, so the history of the workspace does not have it.
  draft.change({
    [`boxes/${String(number)}.txt`]: withLines(measuredTable(text, text.integer(210, 330)), [
      {
        at: 0.4,
        line: `box ${String(number)} has the label ${box.label} and was closed by ${box.closer} in the evening`,
      },
    ]),
  });
  draft.fact({
    id: `label-${String(number)}`,
    pattern: `box ${String(number)} has the label (\\w+-\\d{4}) and was`,
    value: box.label,
    source: command,
  });
  draft.fact({
    id: `closer-${String(number)}`,
    pattern: `box ${String(number)} has the label \\S+ and was closed by (\\w+) in`,
    value: box.closer,
    source: command,
  });
  draft.prompt(
    `${text.remarks(text.pick([0, 0, 20, 70]))} Open box ${String(number)}: \`${command}\`. Is everything there?`,
    run(command),
    answer(text.pick(["Yes, the print is complete.", "Yes, with its label."])),
  );
  return box;
}

function askLabel(draft: TaskDraft, { number, label }: Box): void {
  const step = draft.prompt(
    `Which label did box ${String(number)} have? The label alone.`,
    answer(`{{label-${String(number)}}}`),
  );
  draft.answers(step, `the label of box ${String(number)}, soon after`, [label]);
}

function askCloser(draft: TaskDraft, box: Box | undefined): void {
  if (box === undefined) return;
  const step = draft.prompt(
    `Who closed box ${String(box.number)}? The name alone.`,
    answer(`{{closer-${String(box.number)}}}`),
  );
  draft.answers(step, `who closed box ${String(box.number)}`, [box.closer]);
}

function writeManifest(draft: TaskDraft, boxes: readonly Box[]): void {
  draft.prompt(
    `Now the list. Write \`labels.md\` with the labels of the boxes ${boxes.map(({ number }) => String(number)).join(", ")}: one line for each as \`NUMBER: LABEL\`, in this order, and nothing else.`,
    write(
      "labels.md",
      boxes.map(({ number }) => `${String(number)}: {{label-${String(number)}}}\n`).join(""),
    ),
    answer("The list is written."),
  );
  draft.check({
    type: "file",
    name: "the list has the labels",
    path: "labels.md",
    content: boxes.map(({ number, label }) => `${String(number)}: ${label}\n`).join(""),
  });
}
