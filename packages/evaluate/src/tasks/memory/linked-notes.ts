import type { Task } from "../../model/task.ts";
import { otherWork, pageTurn, talkTurn } from "../episode-turns.ts";
import { documentText } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, edit, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/** Machine, part and supplier are in three notes with links between them; a question needs all three. */
export function linkedNotes(seed: number): Task {
  const name = "memory/linked-notes";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "memory",
    seed,
    title: "A question whose answer is two links away from the note that it names",
  });
  const machines = Array.from({ length: 4 }, () => machineOf(text));
  draft.file("notes/index.md", `# Notes\n\n${text.remarks(30)}\n`);
  for (let note = 0; note < 12; note += 1) {
    const topic = text.name();
    draft.file(`notes/${topic.toLowerCase()}.md`, documentText(text, topic, text.integer(3, 7)));
  }
  draft.prompt(
    "We start a collection of notes in `notes/`, one Markdown file for each machine, part and supplier. Name each file by the thing in lower case, and put a link with double brackets, such as [[sample]], where a note mentions another one.",
    read("notes/index.md"),
    answer("Understood."),
  );
  for (const machine of machines) {
    writeNotes(draft, text, machine);
    talkTurn(draft, text);
    pageTurn(draft, text, "docs", text.pick([6, 9]));
  }

  draft.session();
  pageTurn(draft, text, "docs", 24);
  const moved = machines[1] ?? machineOf(text);
  const before = moved.phone;
  moved.phone = String(text.unique(6));
  moved.change += 1;
  phoneFact(draft, moved);
  const path = noteOf(moved.supplier);
  draft.prompt(
    `${text.remarks(15)} The supplier ${moved.supplier} has moved. The phone of ${moved.supplier} is ${moved.phone}. Please correct the note.`,
    run(`grep -rl "${moved.supplier}" notes`),
    edit(path, `is ${before}.`, `is {{${phoneId(moved)}}}.`),
    answer("The note is corrected."),
  );
  otherWork(draft, text, 6);

  draft.session();
  talkTurn(draft, text);
  for (const machine of machines) {
    const step = draft.prompt(
      `The part that is built into the machine ${machine.machine} is broken. Which number do I have to call to get a new one? The number alone.`,
      read(noteOf(machine.machine)),
      read(noteOf(machine.part)),
      read(noteOf(machine.supplier)),
      answer(`{{${phoneId(machine)}}}`),
    );
    draft.answers(
      step,
      `the phone for the part of ${machine.machine}`,
      [machine.phone],
      machine === moved ? [before] : undefined,
    );
  }
  for (const { supplier, phone } of machines)
    draft.check({
      type: "file",
      name: `the note of ${supplier} has its phone`,
      path: noteOf(supplier),
      includes: [phone],
    });
  return draft.task();
}

interface Machine {
  readonly machine: string;
  readonly part: string;
  readonly supplier: string;
  phone: string;
  change: number;
}

function machineOf(text: SeededText): Machine {
  const [machine, part, supplier] = [text.name(), text.name(), text.name()];
  return { machine, part, supplier, phone: String(text.unique(6)), change: 1 };
}

const noteOf = (thing: string): string => `notes/${thing.toLowerCase()}.md`;
const phoneId = ({ supplier, change }: Machine): string =>
  `phone-${supplier.toLowerCase()}-${String(change)}`;

function phoneFact(draft: TaskDraft, machine: Machine): void {
  const path = noteOf(machine.supplier);
  draft.fact({
    id: phoneId(machine),
    pattern: `The phone of ${machine.supplier} is (\\d{6})\\.`,
    value: machine.phone,
    source: path,
    recover: [read(path)],
  });
}

function writeNotes(draft: TaskDraft, text: SeededText, machine: Machine): void {
  const { machine: name, part, supplier, phone } = machine;
  phoneFact(draft, machine);
  draft.prompt(
    `The machine ${name} has a part that is called ${part}. ${text.remarks(20)} We get ${part} from the supplier ${supplier}. The phone of ${supplier} is ${phone}. Please write the three notes.`,
    write(noteOf(name), `# ${name}\n\nA machine. Its part is [[${part.toLowerCase()}]].\n`),
    write(noteOf(part), `# ${part}\n\nA part. We get it from [[${supplier.toLowerCase()}]].\n`),
    write(
      noteOf(supplier),
      `# ${supplier}\n\nA supplier. The phone of ${supplier} is {{${phoneId(machine)}}}.\n`,
    ),
    answer("The notes are written."),
  );
  draft.check({
    type: "file",
    name: `the note of ${name} has a link`,
    path: noteOf(name),
    includes: [`[[${part.toLowerCase()}`],
  });
}
