import { documentText, withLines } from "./generated-texts.ts";
import type { SeededText } from "./seeded-text.ts";
import { answer, read, type TaskDraft } from "./task-draft.ts";

/** A page that was read in a turn. */
export interface ShownPage {
  readonly path: string;
  /** The word that only this page has. */
  readonly topic: string;
  /** The room that the page names for the topic. */
  readonly room: string;
  /** The id of this fact. */
  readonly id: string;
}

/** A turn in which a page is read. Its fact can be asked for later; the page can be read again. */
export function pageTurn(
  draft: TaskDraft,
  text: SeededText,
  folder: string,
  sections: number,
): ShownPage {
  const topic = text.name();
  const room = String(text.unique(4));
  const path = `${folder}/${topic.toLowerCase()}.md`;
  draft.file(
    path,
    withLines(documentText(text, topic, sections), [
      { at: 0.6, line: `The papers about ${topic} are kept in room ${room} on the left side.` },
    ]),
  );
  const id = `room-${topic.toLowerCase()}`;
  draft.fact({
    id,
    pattern: `papers about ${topic} are kept in room (\\d{4}) on`,
    value: room,
    source: path,
    recover: [read(path)],
  });
  const [ask, say] = text.pick(pageQuestions);
  draft.prompt(
    `${text.remarks(text.pick([0, 10, 30]))} ${ask.replace("PATH", `\`${path}\``)}`,
    read(path),
    answer(say.replace("ROOM", `{{${id}}}`)),
  );
  return { path, topic, room, id };
}

const pageQuestions: readonly (readonly [ask: string, say: string])[] = [
  ["Read PATH, we come back to it. Just say that you have read it.", "I have read it."],
  ["Have a look at PATH and name the room of the papers.", "Room ROOM."],
  ["I need you to know PATH. Read it and say “done”.", "Done."],
  ["Please go through PATH from beginning to end, and say when you are ready.", "I am ready."],
  ["Read PATH, too.", "I have read it."],
];

/** A turn in which the user only reports something. */
export function talkTurn(draft: TaskDraft, text: SeededText): void {
  const [before, after] = text.pick(frames);
  draft.prompt(
    `${before} ${text.remarks(text.pick([8, 20, 20, 50, 110, 160]))} ${after}`,
    answer(text.pick(["Noted.", "Understood.", "Thank you, noted.", "All right."])),
  );
}

/** Turns about other things, with pages that are read: what was read before them can leave the view. */
export function otherWork(draft: TaskDraft, text: SeededText, turns: number): void {
  for (let turn = 1; turn <= turns; turn += 1) {
    if (turn % 3 === 0) talkTurn(draft, text);
    else pageTurn(draft, text, "docs", text.pick([8, 12, 15, 26]));
  }
}

const frames: readonly (readonly [before: string, after: string])[] = [
  ["For your information:", "There is nothing to do for now."],
  ["", "I only mention it; a short answer is enough."],
  ["One more thing from today.", ""],
  ["While we wait:", "No action, please."],
  ["From the minutes:", "Keep it in mind."],
];

/** Asks for the fact of a page that was read earlier, without its path. */
export function askPage(draft: TaskDraft, { topic, room, id }: ShownPage): void {
  const step = draft.prompt(
    `You have read a page about ${topic} today. In which room are its papers kept? The number alone.`,
    answer(`{{${id}}}`),
  );
  draft.answers(step, `the room of the papers about ${topic}`, [room]);
}
