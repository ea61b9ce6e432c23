import { seeded, type Seeded } from "./seeded.ts";

/** Choices of a seed, with numbers and sentences. Equal seeds and names give equal texts. */
export interface SeededText extends Seeded {
  words(count: number): readonly string[];
  /** A made-up word with a capital letter. */
  name(): string;
  names(count: number): readonly string[];
  /** A number with this many digits. No number is given twice. */
  unique(digits: number): number;
  /** A sentence about the work of a day. */
  sentence(): string;
  /** Sentences with about this many words. */
  remarks(words: number): string;
}

const subjects = [
  "The late shift",
  "The early shift",
  "The crew of the second hall",
  "Our supplier",
  "The team from the coast",
  "The new colleague",
  "The office",
  "Somebody from the workshop",
  "The planner",
  "The inspector",
  "The customer with the long contract",
  "The driver",
  "The person who writes the minutes",
  "The group for quality",
  "The neighbour",
  "The apprentice",
  "The woman from the reception",
  "A visitor from the north",
  "The electrician",
  "The team for the tests",
  "The manager of the second hall",
  "A friend of the planner",
  "The company from Halle",
  "The person at the gate",
  "The substitute",
  "One of the students",
  "The cleaner",
  "The accountant",
  "The committee",
  "The warehouse",
];

const actions = [
  "checked the seals",
  "asked for the drawings of the cover",
  "moved the meeting to the small room",
  "found dust behind the second panel",
  "sent the papers in the wrong order",
  "counted the spare screws",
  "painted the rail by the door",
  "wrote a long message about the noise",
  "replaced the lamp above the bench",
  "was surprised by the smell of the oil",
  "compared the two catalogues",
  "looked for the missing label",
  "cleaned the filter of the fan",
  "repeated the measurement with the old gauge",
  "complained about the cold",
  "brought the ladder back",
  "read the manual from the beginning",
  "closed the valve a little too early",
  "measured the height of the shelf",
  "ordered two boxes of gloves",
  "left the window of the store open",
  "borrowed the small trolley",
  "drew a plan of the corridor",
  "asked when the printer will be repaired",
  "sorted the tickets by their age",
  "forgot the second page of the form",
  "tested the new pens on the whiteboard",
  "washed the gloves",
  "turned the table to the other wall",
  "put a sign on the broken chair",
  "tried the spare battery",
  "saved the photos of the floor",
  "wanted to know who owns the green folder",
  "made coffee for everybody",
  "checked the date of the fire extinguisher",
  "carried the empty boxes to the yard",
];

const circumstances = [
  "before the rain began",
  "while the others were at lunch",
  "because the list was not complete",
  "without a reason that I know of",
  "as we had agreed in spring",
  "although nobody had asked for it",
  "and nothing else was unusual",
  "and that took the whole morning",
  "so the plan for the week stays as it is",
  "after a short talk with the office",
  "and there is no need to do anything about it",
  "when the power was off for a minute",
  "for the third time this month",
  "and the result was the same as before",
  "which was a good idea",
  "and then went home",
  "during the break",
  "in spite of the noise",
  "as always on such a day",
  "and sent a photo of it",
  "two hours later than planned",
  "with the help of a neighbour",
  "and will do so again next week",
  "so we have one thing less on the list",
];

/** A generator of texts for one purpose. */
export function seededText(seed: number, purpose: string): SeededText {
  const choices = seeded(seed, purpose);
  const numbers = new Set<number>();

  const name = (): string => {
    const word = choices.word();
    return word.charAt(0).toUpperCase() + word.slice(1);
  };
  const unique = (digits: number): number => {
    const number = choices.integer(10 ** (digits - 1), 10 ** digits - 1);
    if (numbers.has(number)) return unique(digits);
    numbers.add(number);
    return number;
  };
  const sentence = (): string =>
    `${choices.pick(subjects)} ${choices.pick(actions)} ${choices.pick(circumstances)}.`;

  return {
    ...choices,
    words: (count) => Array.from({ length: count }, () => choices.word()),
    name,
    names: (count) => Array.from({ length: count }, name),
    unique,
    sentence,
    remarks: (words) => {
      const sentences: string[] = [];
      let count = 0;
      while (count < words) {
        const one = sentence();
        sentences.push(one);
        count += one.split(" ").length;
      }
      return sentences.join(" ");
    },
  };
}
