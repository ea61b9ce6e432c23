import type { Task } from "../../model/task.ts";
import { askPage, pageTurn, talkTurn, type ShownPage } from "../episode-turns.ts";
import { documentText, withLines } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, read, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/**
 * Terms of an invented language are agreed one by one and in between applied to pages of a manual. Six terms change,
 * and pages that come later must have the new ones.
 */
export function glossary(seed: number): Task {
  const name = "long-episode/glossary";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "long-episode",
    seed,
    title: "A translation with 36 agreed terms, of which six change",
  });
  const terms = text
    .shuffle(nouns)
    .map((noun): Term => ({ noun, first: text.word(), second: text.word(), change: 0 }));
  draft.prompt(opening, answer("Understood."));
  const pages: ShownPage[] = [];
  let number = 0;
  for (const [index, term] of terms.entries()) {
    termTurn(draft, text, term);
    if (index % 2 === 1) talkTurn(draft, text);
    if (index % 4 === 2) pages.push(pageTurn(draft, text, "background", text.pick([7, 10, 27])));
    // The first pages need terms that were agreed a short time before.
    if (index % 3 === 2) translateTurn(draft, text, (number += 1), terms.slice(0, index + 1));
    if (index > 24 && index % 2 === 0) termTurn(draft, text, terms[index - 25] ?? term);
  }
  for (let turn = 0; turn < 15; turn += 1) {
    talkTurn(draft, text);
    translateTurn(draft, text, (number += 1), turn % 3 === 0 ? terms.slice(0, 12) : terms);
    if (turn % 2 === 0) pages.push(pageTurn(draft, text, "background", text.pick([8, 12, 16])));
  }
  askFirstTerms(draft, terms);
  for (const page of text.shuffle(pages.slice(0, 8)).slice(0, 2)) askPage(draft, page);
  writeGlossary(draft, text.shuffle(terms).slice(0, 14));
  return draft.task();
}

interface Term {
  readonly noun: string;
  readonly first: string;
  readonly second: string;
  /** How often the term was agreed. */
  change: number;
}

const nouns = (
  "valve pump gate belt gear hose lever spring bolt nut washer bearing shaft wheel motor fuse cable " +
  "switch lamp sensor gauge filter tank pipe nozzle hinge latch frame panel cover handle pedal chain hook drum spindle"
).split(" ");

const opening =
  "We translate a manual into a language that was invented for a film, so no dictionary has it. I give you the terms one after the other. A term that I give again replaces the earlier one, for all pages from then on; pages that are finished stay as they are. Each page of the manual has a line that names three parts. To translate a page means: read it, find that line, and write a file with only the three terms, in the order of the line, separated by spaces. Do not translate anything that I have not asked for, and write no list of terms before I ask for it.";

const currentTerm = ({ first, second, change }: Term): string => (change > 1 ? second : first);
const termId = ({ noun, change }: Term): string => `term-${noun}-${String(change)}`;

function termTurn(draft: TaskDraft, text: SeededText, term: Term): void {
  term.change += 1;
  draft.fact({
    id: termId(term),
    pattern: `the term for ${term.noun} is (\\w+)\\.`,
    value: currentTerm(term),
    source: `the term for ${term.noun}`,
  });
  const before = term.change > 1 ? "I have changed my mind:" : text.pick(starts);
  draft.prompt(
    `${text.remarks(text.pick([0, 0, 10, 30]))} ${before} the term for ${term.noun} is ${currentTerm(term)}. ${text.remarks(text.pick([0, 0, 15, 80]))}`,
    answer(text.pick(["Noted.", "All right.", "I have it."])),
  );
}

const starts = [
  "The next one:",
  "For the glossary:",
  "Please remember:",
  "Agreed with the author:",
];

function translateTurn(
  draft: TaskDraft,
  text: SeededText,
  number: number,
  terms: readonly Term[],
): void {
  const [one, two, three] = text.shuffle(terms);
  if (one === undefined || two === undefined || three === undefined) return;
  const path = `manual/${String(number).padStart(2, "0")}.md`;
  draft.file(
    path,
    withLines(documentText(text, `Page ${String(number)}`, text.pick([5, 7, 10, 27])), [
      {
        at: 0.5,
        line: `The parts on this page are the ${one.noun}, the ${two.noun} and the ${three.noun}.`,
      },
    ]),
  );
  const target = `translated/${String(number).padStart(2, "0")}.md`;
  draft.prompt(
    `Translate \`${path}\` to \`${target}\`. ${text.remarks(text.pick([0, 0, 20]))}`,
    read(path),
    write(target, `{{${termId(one)}}} {{${termId(two)}}} {{${termId(three)}}}\n`),
    answer("Translated."),
  );
  draft.check({
    type: "file",
    name: `page ${String(number)} has the terms of its time`,
    path: target,
    content: [one, two, three].map(currentTerm).join(" "),
  });
}

function askFirstTerms(draft: TaskDraft, terms: readonly Term[]): void {
  for (const { noun, first } of terms.filter(({ change }) => change > 1).slice(1, 3)) {
    const step = draft.prompt(
      `What was our first term for ${noun}, before I changed my mind? The word alone.`,
      answer(
        draft.fact({
          id: `first-${noun}`,
          pattern: `(?:${starts.join("|")}) the term for ${noun} is (\\w+)\\.`,
          value: first,
          source: `the term for ${noun}`,
        }),
      ),
    );
    draft.answers(step, `the first term for ${noun}`, [first]);
  }
}

function writeGlossary(draft: TaskDraft, terms: readonly Term[]): void {
  draft.prompt(
    `Write \`glossary.md\` with the terms that count now for ${terms.map(({ noun }) => noun).join(", ")}: one line for each as \`ENGLISH: TERM\`, in this order, and nothing else.`,
    write("glossary.md", terms.map((term) => `${term.noun}: {{${termId(term)}}}\n`).join("")),
    answer("The glossary is written."),
  );
  draft.check({
    type: "file",
    name: "the glossary has the newest terms",
    path: "glossary.md",
    content: terms.map((term) => `${term.noun}: ${currentTerm(term)}\n`).join(""),
  });
}
