import type { Seeded } from "../seeded.ts";

/**
 * A design note in Markdown with sections of usual remarks. The rules are in a section in its middle, so a view that keeps
 * only the beginning and the end of a long text does not show them.
 */
export function designNote(
  choices: Seeded,
  title: string,
  rules: { readonly title: string; readonly lines: readonly string[] },
): string {
  const titles = choices.shuffle(sectionTitles).slice(0, 6);
  const remarksOf = (count: number): string => choices.shuffle(remarks).slice(0, count).join(" ");
  const section = (name: string): string =>
    `## ${name}\n\n${remarksOf(5)}\n\n${remarksOf(3)}\n\n- ${choices.pick(remarks)}\n- ${choices.pick(remarks)}\n`;
  const ruled = `## ${rules.title}\n\n${remarksOf(2)}\n\n${rules.lines.join("\n")}\n`;
  const sections = titles.map(section);
  return [
    `# ${title}\n`,
    remarksOf(4),
    "",
    ...sections.slice(0, 3),
    ruled,
    ...sections.slice(3),
  ].join("\n");
}

const sectionTitles = [
  "Background",
  "Goals",
  "What it is not",
  "Who uses it",
  "Earlier attempts",
  "Failure cases",
  "Migration",
  "Open questions",
  "Measurements",
  "Review",
];

const remarks = [
  "The first version was written for one customer, and it shows.",
  "Nobody depends on the order of the rows, but the reports look better with a fixed order.",
  "The numbers come from the pilot of last autumn.",
  "A second reader has checked this part.",
  "We have decided against a database, because the files are small.",
  "If the input is empty, the result is empty, and that is not an error.",
  "The names follow the contract with the customers and not our older documents.",
  "A change here needs a line in the change log.",
  "The old service rounded everywhere, so its figures cannot be compared.",
  "Support asked for messages that name the record.",
  "The nightly run reads all files once and keeps nothing.",
  "Two teams share this module, and both have tests for it.",
  "Performance was never a problem here; clarity was.",
  "The library that we used before is no longer maintained.",
  "Anything that waits has a limit, because somebody has to be called otherwise.",
  "Times are in UTC, and days have no time zone.",
  "A missing value and an empty value are the same for the importer.",
  "The page is read by people who do not write code.",
  "We keep the interface small, since every export is a promise.",
  "The sketch in the meeting room is out of date.",
];
