import type { Task } from "../../model/task.ts";
import { otherWork, talkTurn } from "../episode-turns.ts";
import { seededText } from "../seeded-text.ts";
import { answer, read, taskDraft, write, type TaskDraft } from "../task-draft.ts";

/** Three files with the same name and the same words, in three folders, of which one changes. */
export function equalNames(seed: number): Task {
  const name = "interference/equal-names";
  const text = seededText(seed, name);
  const draft = taskDraft({
    name,
    family: "interference",
    seed,
    title: "Three files with one name in three folders, which differ only in their numbers",
  });
  const keys = text.names(45);
  const [north, south, old] = ["north", "south", "old"].map((plant): Plant => ({
    plant,
    limits: new Map(keys.map((key) => [key, String(text.unique(4))])),
    change: 1,
  }));
  if (north === undefined || south === undefined || old === undefined)
    throw new RangeError("there are not enough plants");
  for (const plant of [north, south, old]) draft.file(pathOf(plant), limitsOf(plant));

  const [one, two, three] = [keys[11] ?? "", keys[23] ?? "", keys[30] ?? ""];
  for (const plant of [north, south, old]) {
    draft.prompt(
      `Please read \`${pathOf(plant)}\` completely. ${text.remarks(15)}`,
      read(pathOf(plant)),
      answer("I have read it."),
    );
    otherWork(draft, text, 3);
  }
  askLimit(draft, north, one, [south, old]);
  askLimit(draft, south, two, [north, old]);
  otherWork(draft, text, 6);
  const before = south.limits.get(one) ?? "";
  south.limits.set(one, String(text.unique(4)));
  south.limits.set(three, String(text.unique(4)));
  south.change += 1;
  draft.change({ [pathOf(south)]: limitsOf(south) });
  draft.prompt(
    `I have changed two limits in \`${pathOf(south)}\`; have a look.`,
    read(pathOf(south)),
    answer("I have read it again."),
  );
  talkTurn(draft, text);
  askLimit(draft, north, three, [south, old]);
  askLimit(draft, south, one, [north, old], [before]);
  askLimit(draft, old, one, [north, south], [before]);
  writeComparison(draft, [north, south, old], three);
  return draft.task();
}

interface Plant {
  readonly plant: string;
  readonly limits: Map<string, string>;
  change: number;
}

const pathOf = ({ plant }: Plant): string => `plants/${plant}/limits.txt`;

function limitsOf({ plant, limits }: Plant): string {
  const lines = [...limits].map(([key, limit]) => `${key}: ${limit} kg`);
  return `# Limits of the plant ${plant}\n\n${lines.join("\n")}\n`;
}

function limitFact(draft: TaskDraft, place: Plant, key: string): string {
  return draft.fact({
    id: `${place.plant}-${key.toLowerCase()}-${String(place.change)}`,
    // Only the heading says which file it is. Each file has one, so the text up to the value has no second one.
    pattern: `# Limits of the plant ${place.plant}[^#]*?${key}: (\\d{4}) kg`,
    value: place.limits.get(key) ?? "",
    source: pathOf(place),
    recover: [read(pathOf(place))],
  });
}

function askLimit(
  draft: TaskDraft,
  place: Plant,
  key: string,
  others: readonly Plant[],
  older: readonly string[] = [],
): void {
  const step = draft.prompt(
    `Which limit does ${key} have in the plant ${place.plant}? The number alone.`,
    answer(limitFact(draft, place, key)),
  );
  draft.answers(
    step,
    `the limit of ${key} in ${place.plant}`,
    [place.limits.get(key) ?? ""],
    [...others.flatMap(({ limits }) => limits.get(key) ?? []), ...older],
  );
}

function writeComparison(draft: TaskDraft, plants: readonly Plant[], key: string): void {
  draft.prompt(
    `Write \`comparison.md\` with the limits of ${key} in the plants ${plants.map(({ plant }) => plant).join(", ")}: one line for each as \`PLANT: LIMIT\`, and nothing else.`,
    write(
      "comparison.md",
      plants
        .map(
          ({ plant, change }) => `${plant}: {{${plant}-${key.toLowerCase()}-${String(change)}}}\n`,
        )
        .join(""),
    ),
    answer("The comparison is written."),
  );
  const known = plants.filter(({ plant }) => plant !== "north");
  for (const plant of known) limitFact(draft, plant, key);
  draft.check({
    type: "file",
    name: "the comparison has the limit of each plant",
    path: "comparison.md",
    includes: plants.map(({ plant, limits }) => `${plant}: ${limits.get(key) ?? ""}`),
  });
}
