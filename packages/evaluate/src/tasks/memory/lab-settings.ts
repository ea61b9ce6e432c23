import type { Task } from "../../model/task.ts";
import { askPage, pageTurn, talkTurn } from "../episode-turns.ts";
import { documentText } from "../generated-texts.ts";
import { seededText, type SeededText } from "../seeded-text.ts";
import { answer, read, run, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/** Settings are written down where the agent likes, and are needed two sessions later, when nobody says where. */
export function labSettings(seed: number): Task {
  const name = "memory/lab-settings";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "memory",
    seed,
    title: "Notes of the first session have to be found in the third one",
  });
  otherNotes(draft, text, 24);
  const devices = text.names(8).map((device): Device => {
    const heat = text.unique(3);
    return { device, heat, first: heat, id: `heat-${device.toLowerCase()}` };
  });
  draft.prompt(
    "I set up the ovens of the laboratory today, and I report each one to you. Answer shortly; at the end of the day you write it down.",
    answer("Understood."),
  );
  for (const device of devices) {
    sayHeat(draft, text, device);
    talkTurn(draft, text);
  }
  for (const device of devices.slice(2, 4)) {
    device.heat = text.unique(3);
    device.id = `${device.id}-2`;
    sayHeat(draft, text, device);
  }
  pageTurn(draft, text, "docs", 8);
  draft.prompt(
    "Now write down the heat of each oven in a Markdown file of this repository, with the values that count. Choose the place yourself; in some weeks we shall need it again.",
    write(
      "notes/ovens-of-the-laboratory.md",
      `# Ovens\n\n${devices.map(({ device, id }) => `- Oven ${device} runs at {{${id}}} degrees.`).join("\n")}\n`,
    ),
    answer("It is written down."),
  );

  draft.session();
  draft.prompt("Today is about other things.", answer("All right."));
  const pages = Array.from({ length: 5 }, () => pageTurn(draft, text, "docs", text.pick([7, 24])));
  for (let turn = 0; turn < 4; turn += 1) talkTurn(draft, text);
  for (const page of pages.slice(0, 1)) askPage(draft, page);

  draft.session();
  pageTurn(draft, text, "docs", 9);
  askHeats(draft, devices);
  return draft.task();
}

interface Device {
  readonly device: string;
  heat: number;
  readonly first: number;
  id: string;
}

function otherNotes(draft: TaskDraft, text: SeededText, count: number): void {
  for (let note = 0; note < count; note += 1) {
    const topic = text.name();
    draft.file(
      `notes/${topic.toLowerCase()}.md`,
      `${documentText(text, topic, text.integer(2, 6))}\nOven ${text.name()} was sold in spring.\n`,
    );
  }
}

function sayHeat(draft: TaskDraft, text: SeededText, { device, heat, id }: Device): void {
  draft.fact({
    id,
    pattern: `Oven ${device} runs at (\\d{3}) degrees\\.`,
    value: String(heat),
    source: `Oven ${device} runs at`,
    recover: [run(`grep -rhi "oven ${device}" --include=*.md .`)],
  });
  draft.prompt(
    `Oven ${device} runs at ${String(heat)} degrees. ${text.remarks(text.pick([0, 15, 50]))}`,
    answer("Noted."),
  );
}

function askHeats(draft: TaskDraft, devices: readonly Device[]): void {
  for (const { device, heat, first, id } of [...devices.slice(0, 1), ...devices.slice(3, 4)]) {
    const step = draft.prompt(
      `Some weeks ago we agreed on the heat of oven ${device}. What is it? The number alone.`,
      run(`grep -rli "oven ${device}" --include=*.md .`),
      read("notes/ovens-of-the-laboratory.md"),
      answer(`{{${id}}}`),
    );
    draft.answers(
      step,
      `the heat of oven ${device}`,
      [String(heat)],
      first === heat ? undefined : [String(first)],
    );
  }
  const listed = devices.slice(1);
  draft.prompt(
    `Write \`ovens.json\`: an object with the ovens ${listed.map(({ device }) => device).join(", ")} as names and their degrees as numbers, as we wrote them down.`,
    run('grep -rhi "oven .* runs at" --include=*.md .'),
    write(
      "ovens.json",
      `{\n${listed.map(({ device, id }) => `  "${device}": {{${id}}}`).join(",\n")}\n}\n`,
    ),
    answer("`ovens.json` is written."),
  );
  draft.hide(
    "hidden/ovens.test.mjs",
    `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

test("the ovens have the heat of the notes", () => {
  const ovens = JSON.parse(readFileSync(new URL("../ovens.json", import.meta.url), "utf8"));
  assert.deepEqual(ovens, ${JSON.stringify(Object.fromEntries(listed.map(({ device, heat }) => [device, heat])))});
});
`,
  );
  draft.check({
    type: "command",
    name: "the file has the heat of each oven",
    command: ["node", "--test", "hidden/ovens.test.mjs"],
  });
}
