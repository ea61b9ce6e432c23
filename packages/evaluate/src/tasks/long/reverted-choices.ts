import type { Task } from "../../model/task.ts";
import { askPage, pageTurn, talkTurn } from "../episode-turns.ts";
import { measuredTable, withLines } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/**
 * Ten choices of parts of a system. Six of them are replaced later, four of these are taken back, and one is taken back
 * twice. The final file has the choice that counts at the end.
 */
export function revertedChoices(seed: number): Task {
  const name = "long-episode/reverted-choices";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "long-episode",
    seed,
    title: "Ten decisions, of which some are replaced and some are taken back",
  });
  draft.file("tools/measure.sh", 'cat "measured/$1.txt"\n');
  const choices = text.shuffle(topics).map((topic): Choice => {
    const [first, second, third] = [text.name(), text.name(), text.name()];
    return { topic, first, second, third, current: first, tickets: [] };
  });
  draft.prompt(opening, answer("Understood."));
  const pages = [pageTurn(draft, text, "docs", 8)];

  const times = new Map<string, string>();
  const between = (candidate: string): void => {
    times.set(candidate, measureTurn(draft, text, candidate));
    talkTurn(draft, text);
    rumourTurn(draft, text, choices);
    talkTurn(draft, text);
    pages.push(pageTurn(draft, text, "docs", text.pick([6, 9, 26])));
  };
  for (const choice of choices) {
    decideTurn(draft, text, choice, "use", choice.first);
    between(choice.first);
  }
  for (const choice of choices.slice(0, 6)) {
    decideTurn(draft, text, choice, "take", choice.second);
    between(choice.second);
  }
  for (const choice of choices.slice(0, 4)) {
    decideTurn(draft, text, choice, "go back to", choice.first);
    between(choice.third);
  }
  for (const choice of choices.slice(0, 1)) {
    decideTurn(draft, text, choice, "go back to", choice.second);
    between(text.name());
  }
  askTickets(draft, choices);
  askMeasured(draft, choices.slice(2, 4), times);
  for (const page of text.shuffle(pages.slice(0, 9)).slice(0, 2)) askPage(draft, page);
  writeChoices(draft, choices);
  return draft.task();
}

interface Choice {
  readonly topic: string;
  readonly first: string;
  readonly second: string;
  readonly third: string;
  current: string;
  /** The tickets that were the reasons, in order. */
  readonly tickets: string[];
}

const topics = [
  "queue",
  "cache",
  "parser",
  "clock",
  "archive",
  "mailer",
  "index",
  "exporter",
  "scheduler",
  "uploader",
];

const opening =
  "We choose ten parts of our new system in this session: " +
  topics.join(", ") +
  ". I decide, you keep in mind what was decided. A decision counts only if I say it in the form “for the … we …”; what others wish or suggest is no decision. A later decision about the same part replaces the earlier one. Programs that we compare are measured with `sh tools/measure.sh NAME`. Write nothing to files until the end, when I ask for the whole list.";

function decideTurn(
  draft: TaskDraft,
  text: SeededText,
  choice: Choice,
  how: "use" | "take" | "go back to",
  value: string,
): void {
  const ticket = String(text.unique(4));
  choice.current = value;
  choice.tickets.push(ticket);
  draft.prompt(
    `${text.remarks(text.pick([0, 10, 35, 90]))} For the ${choice.topic} we ${how} ${value} from now on, because of ticket ${ticket}. ${text.remarks(text.pick([0, 12]))}`,
    answer(text.pick(["Agreed.", "Understood.", "That is decided, then."])),
  );
}

/** Returns the time that was measured. */
function measureTurn(draft: TaskDraft, text: SeededText, candidate: string): string {
  const time = String(text.unique(4));
  const command = `sh tools/measure.sh ${candidate}`;
  const id = `time-${candidate.toLowerCase()}`;
  draft.file(
    `measured/${candidate}.txt`,
    withLines(measuredTable(text, text.pick([50, 80, 120, 250])), [
      { at: 0.5, line: `${candidate} needs ${time} ms for the sample` },
    ]),
  );
  draft.fact({
    id,
    pattern: `${candidate} needs (\\d{4}) ms for`,
    value: time,
    source: command,
    recover: [run(command)],
  });
  draft.prompt(
    `Please measure ${candidate}: \`${command}\`. How many ms does it need for the sample?`,
    run(command),
    answer(`It needs {{${id}}} ms.`),
  );
  return time;
}

/** Somebody wishes for something that is not decided. */
function rumourTurn(draft: TaskDraft, text: SeededText, choices: readonly Choice[]): void {
  const { topic, second, third } = text.pick(choices);
  draft.prompt(
    `The office would like ${text.pick([second, third])} for the ${topic}, but nothing is decided about that. ${text.remarks(text.pick([10, 30]))}`,
    answer("Then nothing changes."),
  );
}

function askTickets(draft: TaskDraft, choices: readonly Choice[]): void {
  for (const { topic, tickets } of [...choices.slice(1, 3), ...choices.slice(7, 8)]) {
    const ticket = tickets.at(-1) ?? "";
    const id = draft.fact({
      id: `ticket-${topic}`,
      pattern: `For the ${topic} we (?:use|take|go back to) \\w+ from now on, because of ticket (\\d{4})\\.`,
      value: ticket,
      source: `for the ${topic} we`,
    });
    const step = draft.prompt(
      `Which ticket was the reason for the decision about the ${topic} that counts today? The number alone.`,
      answer(id),
    );
    draft.answers(step, `the ticket of the ${topic}`, [ticket], tickets.slice(0, -1));
  }
}

function askMeasured(
  draft: TaskDraft,
  choices: readonly Choice[],
  times: ReadonlyMap<string, string>,
): void {
  for (const { topic, second } of choices) {
    const dropped = draft.fact({
      id: `dropped-${topic}`,
      pattern: `For the ${topic} we take (\\w+) from now on`,
      value: second,
      source: `for the ${topic} we take`,
    });
    const step = draft.prompt(
      `With which program did we replace the ${topic} for a while, before we went back? The name alone.`,
      answer(dropped),
    );
    draft.answers(step, `the replaced ${topic}`, [second]);
    const time = draft.prompt(
      "And how many ms did it need for the sample? The number alone.",
      answer(`{{time-${second.toLowerCase()}}}`),
    );
    draft.answers(time, `the time of ${second}`, [times.get(second) ?? ""]);
  }
}

function writeChoices(draft: TaskDraft, choices: readonly Choice[]): void {
  const lines = choices.map(({ topic, current }) => {
    const id = draft.fact({
      id: `choice-${topic}`,
      pattern: `For the ${topic} we (?:use|take|go back to) (\\w+) from now on`,
      value: current,
      source: `for the ${topic} we`,
    });
    return `  "${topic}": "${id}"`;
  });
  draft.prompt(
    "That was the last decision. Write `choices.json` now: an object with the ten parts as names, and as values the names of the programs that we use in the end.",
    write("choices.json", `{\n${lines.join(",\n")}\n}\n`),
    answer("`choices.json` is written."),
  );
  draft.hide(
    "hidden/choices.test.mjs",
    `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const choices = JSON.parse(readFileSync(new URL("../choices.json", import.meta.url), "utf8"));
const expected = ${JSON.stringify(Object.fromEntries(choices.map(({ topic, current }) => [topic, current])), undefined, 2)};

for (const [topic, choice] of Object.entries(expected)) {
  test(\`the choice for the \${topic}\`, () => {
    assert.equal(String(choices[topic]).toLowerCase(), choice.toLowerCase());
  });
}
`,
  );
  draft.check({
    type: "command",
    name: "the file has the choices that count at the end",
    command: ["node", "--test", "hidden/choices.test.mjs"],
  });
}
