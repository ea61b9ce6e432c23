import type { Task } from "../../model/task.ts";
import { otherWork, pageTurn, talkTurn } from "../episode-turns.ts";
import { seededText } from "../seeded-text.ts";
import { answer, taskDraft, write } from "../task-draft.ts";

/**
 * Decisions of the first session are in no file, so a plain host cannot know them in the third one. This task shows a
 * capability of a store of all sessions; it does not belong into a comparison of costs.
 */
export function spokenDecisions(seed: number): Task {
  const name = "memory/spoken-decisions";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "memory",
    seed,
    title: "Decisions that were only said in an earlier session (possible only with a store)",
  });
  const decisions = text
    .shuffle(["paint", "floor", "roof", "fence", "carpet", "curtain"])
    .map((topic) => ({ topic, choice: text.name() }));
  draft.prompt(
    "Today we decide how the new hall will look. Please write nothing to files; we only talk.",
    answer("Understood."),
  );
  for (const { topic, choice } of decisions) {
    draft.fact({
      id: topic,
      pattern: `we have decided that the ${topic} will be (\\w+),`,
      value: choice,
      source: `we have decided that the ${topic} will be`,
    });
    draft.prompt(
      `${text.remarks(text.pick([0, 20, 60]))} So we have decided that the ${topic} will be ${choice}, and nobody was against it.`,
      answer("A good choice."),
    );
    talkTurn(draft, text);
    pageTurn(draft, text, "docs", text.pick([5, 8]));
  }

  draft.session();
  otherWork(draft, text, 8);

  draft.session();
  talkTurn(draft, text);
  for (const { topic, choice } of decisions.slice(0, 2)) {
    const step = draft.prompt(
      `In an earlier session we have decided what the ${topic} of the new hall will be. What was it? The name alone; say “unknown” if it cannot be found.`,
      answer(`{{${topic}}}`),
    );
    draft.answers(step, `the ${topic} of the hall`, [choice]);
  }
  const listed = decisions.slice(2, 5);
  draft.prompt(
    `Write \`hall.md\` with our decisions about ${listed.map(({ topic }) => topic).join(", ")}: one line for each as \`THING: DECISION\`, in this order.`,
    write("hall.md", listed.map(({ topic }) => `${topic}: {{${topic}}}\n`).join("")),
    answer("`hall.md` is written."),
  );
  draft.check({
    type: "file",
    name: "the file has the decisions",
    path: "hall.md",
    includes: listed.map(({ topic, choice }) => `${topic}: ${choice}`),
  });
  return draft.task();
}
