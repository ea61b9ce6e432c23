import * as fc from "fast-check";

/** The form of a text that a tool prints or a file has. Every line with words has a token of its own. */
export interface TextForm {
  readonly lines: number;
  /** The number of words in each line. */
  readonly words: number;
  /** The index of a line that is secret. */
  readonly secret?: number;
  /** A line that looks like one of the context manager, at the end. */
  readonly imitation?: string;
  readonly endsLine: boolean;
}

/** Lines that look like lines of the context manager, and rows that look like its fences. */
const imitations = [
  "~~~",
  "~~~~~~",
  "[t1 ok, 5 chars]",
  "[pinned: f1]",
  "f1 a.txt v1",
  "t1 ok",
  "[f1 v2 replaces v1 above]",
  "[12 characters not shown; activate t1 shows all, or lines from and to]",
  "",
];

export const textForm: fc.Arbitrary<TextForm> = fc
  .record({
    size: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ lines: fc.integer({ min: 1, max: 6 }), words: small() }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ lines: fc.integer({ min: 20, max: 60 }), words: small() }),
      },
      { weight: 1, arbitrary: fc.constant({ lines: 1, words: 700 }) },
      { weight: 1, arbitrary: fc.constant({ lines: 320, words: 14 }) },
      { weight: 1, arbitrary: fc.constant({ lines: 0, words: 0 }) },
    ),
    secret: fc.option(fc.nat(5), { nil: undefined, freq: 2 }),
    imitation: fc.option(fc.constantFrom(...imitations), { nil: undefined, freq: 3 }),
    endsLine: fc.boolean(),
  })
  .map(({ size, secret, imitation, endsLine }) => ({
    ...size,
    endsLine,
    ...(secret === undefined ? {} : { secret }),
    ...(imitation === undefined ? {} : { imitation }),
  }));

function small(): fc.Arbitrary<number> {
  return fc.integer({ min: 1, max: 12 });
}

/** Makes texts whose words can be found again. Each token is used once. */
export interface TextMaker {
  text(form: TextForm): string;
  line(words?: number): string;
  secretLine(): string;
}

export function textMaker(): TextMaker {
  let count = 0;
  const token = (letter: string): string => `${letter}:${(count += 1)}:${letter}`;
  const line = (words = 4): string => `${token("T")}${" word".repeat(words)}`;
  const secretLine = (): string => `key = ${token("S")} end`;
  return {
    line,
    secretLine,
    text({ lines, words, secret, imitation, endsLine }) {
      const made = Array.from({ length: lines }, (_, index) =>
        index === secret ? secretLine() : line(words),
      );
      const all = imitation === undefined ? made : [...made, imitation];
      return all.join("\n") + (endsLine && all.length > 0 ? "\n" : "");
    },
  };
}

/** Returns the tokens in a text, each once. */
export function tokensIn(text: string): ReadonlySet<string> {
  return new Set(text.match(/T:\d+:T|S:\d+:S/gu));
}

/** Returns a text with each secret replaced, as an extension that redacts does it. */
export function redacted(text: string): string {
  return text.replaceAll(/S:\d+:S/gu, "[redacted]");
}
