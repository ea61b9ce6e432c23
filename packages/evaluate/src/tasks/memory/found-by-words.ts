import type { Task } from "../../model/task.ts";
import { otherWork, pageTurn, talkTurn } from "../episode-turns.ts";
import { documentText } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/** Incidents are noted among sixty other notes; a later question describes them with other words. */
export function foundByWords(seed: number): Task {
  const name = "memory/found-by-words";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "memory",
    seed,
    title: "Incidents that have to be found among sixty notes by a description",
  });
  for (let note = 0; note < 60; note += 1) {
    const topic = text.name();
    draft.file(`notes/${topic.toLowerCase()}.md`, documentText(text, topic, text.integer(1, 5)));
  }
  const incidents = text
    .shuffle(kinds)
    .slice(0, 4)
    .map((kind): Incident => ({
      ...kind,
      number: String(text.unique(5)),
      path: `notes/${text.word()}.md`,
    }));
  draft.prompt(
    "I describe some incidents to you. After each one, please write a note about it into `notes/`, with the number that I give. Any file name will do; do not make a list of them.",
    run("ls notes"),
    answer("Understood."),
  );
  for (const incident of incidents) {
    noteTurn(draft, text, incident);
    talkTurn(draft, text);
  }
  pageTurn(draft, text, "docs", 8);

  draft.session();
  otherWork(draft, text, 8);

  draft.session();
  otherWork(draft, text, 3);
  for (const { question, word, number, id, path } of incidents) {
    const step = draft.prompt(
      `${text.remarks(text.pick([0, 12]))} ${question} Which number did it get? The number alone.`,
      run(`grep -rli "${word}" notes`),
      read(path),
      answer(`{{${id}}}`),
    );
    draft.answers(step, `the number of the incident “${id}”`, [number]);
  }
  return draft.task();
}

interface Kind {
  readonly id: string;
  /** The words of the note. */
  readonly note: string;
  /** Other words for the same. */
  readonly question: string;
  /** A word of the note that an agent may think of. */
  readonly word: string;
}

interface Incident extends Kind {
  readonly number: string;
  readonly path: string;
}

// No word of a note that is searched for is in the generated pages.
const kinds: readonly Kind[] = [
  {
    id: "leak",
    note: "Water leaked from the boiler and covered the floor on Sunday",
    question: "Once there was liquid under the heating machine at a weekend.",
    word: "leak",
  },
  {
    id: "theft",
    note: "Two bicycles were stolen from the yard behind the kitchen",
    question: "There was a theft: somebody took what people ride to work with.",
    word: "stolen",
  },
  {
    id: "fire",
    note: "Smoke came from a charger, and the fire brigade arrived within minutes",
    question: "Something nearly burned when a battery was filled, and help came fast.",
    word: "smoke",
  },
  {
    id: "bird",
    note: "A pigeon flew into the hall and could only be caught with a net",
    question: "An animal with wings got into the building.",
    word: "pigeon",
  },
  {
    id: "glass",
    note: "A window of the canteen cracked in the frost, and nobody was hurt",
    question: "A pane broke when it was very cold.",
    word: "window",
  },
  {
    id: "alarm",
    note: "The siren howled all night, although no door had been opened",
    question: "The neighbours could not sleep because of a false alarm.",
    word: "siren",
  },
];

function noteTurn(draft: TaskDraft, text: SeededText, incident: Incident): void {
  const { id, note, number, path } = incident;
  draft.fact({
    id,
    pattern: `${note}; its number is (\\d{5})\\.`,
    value: number,
    source: path,
    recover: [read(path)],
  });
  draft.prompt(
    `${text.remarks(text.pick([0, 20]))} ${note}; its number is ${number}. ${text.remarks(text.pick([10, 40]))}`,
    write(path, `# Incident\n\n${note}; its number is {{${id}}}.\n`),
    answer("There is a note about it."),
  );
}
