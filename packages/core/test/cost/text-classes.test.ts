import { decode, encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it, test } from "vitest";
import { rawTokens } from "../../src/cost/calibrated-estimator.ts";
import { frequencyBit, isFrequent } from "../../src/cost/frequent-characters.ts";
import { madeNames, madeText } from "./made-texts.ts";
import { scriptSamples } from "./script-samples.ts";

/** Returns the estimate of a text for each token of o200k. */
const ratio = (text: string): number => rawTokens(text) / encode(text).length;

/**
 * Letters in an order of no language have up to twice the tokens of words, and both are counted by the same weights. So
 * sentences of a script whose words o200k merges can be overestimated by half.
 */
const mostOfSentences = 1.6;

const code = `export function total(rows: readonly Row[], limit = 20): number {
  let sum = 0;
  for (const { price, count } of rows.slice(0, limit)) {
    if (count === undefined) continue;
    sum += price * count;
  }
  return Math.round(sum * 100) / 100;
}

it("adds the prices of all rows", () => {
  const rows = [{ price: 2.5, count: 4 }, { price: 10, count: 1 }];

  expect(total(rows)).toBe(20);
});
`;

const report = `# Report of the build

The build of package **core** failed after 3 minutes. Two of 514 tests found a wrong number:

- \`total.test.ts\` expected 20 and got 19.99, because the sum is rounded once for each row.
- \`rows.test.ts\` could not open the file \`rows.json\`; the folder was renamed on Monday.

Please correct both, and run \`npm test\` before the next commit.
`;

describe("the estimate of a text compared with o200k", () => {
  it.each([
    ["prose", scriptSamples["English"] ?? ""],
    ["Markdown", report],
    ["code", code],
  ])("is close for %s", (_name, text) => {
    expect(ratio(text)).toBeGreaterThan(0.95);
    expect(ratio(text)).toBeLessThan(1.15);
  });

  it.each(Object.keys(scriptSamples))("is not too low for sentences in %s", (name) => {
    const text = scriptSamples[name] ?? "";

    expect(ratio(text)).toBeGreaterThan(0.95);
    expect(ratio(text)).toBeLessThan(mostOfSentences);
  });

  it.each(madeNames)("is close for %s", (name) => {
    for (const number of [1, 2, 3]) {
      const text = madeText(name, 6_000, number);

      expect(ratio(text)).toBeGreaterThan(0.95);
      expect(ratio(text)).toBeLessThan(1.35);
    }
  });
});

describe("the set of frequent characters", () => {
  test("contains the pairs of letters and the characters that are one token of o200k", () => {
    const { pairs, characters } = frequentInO200k();

    const missing = [...pairs, ...characters.map((each) => `\0${each}`)].filter(
      ([before = "", after = ""]) => !isFrequent(before.charCodeAt(0), after.charCodeAt(0)),
    );

    expect(pairs.length).toBeGreaterThan(3_000);
    expect(characters.length).toBeGreaterThan(3_000);
    expect(missing).toEqual([]);
  });

  test("contains about a quarter of all other characters", () => {
    const set = Array.from({ length: 20_000 }, (_, index) => isFrequent(index, index * 3 + 1));

    expect(set.filter(Boolean).length / set.length).toBeLessThan(0.3);
    expect(frequencyBit(0xff_ff, 0xff_ff)).toBeLessThan(32_768);
  });
});

/** Returns the pairs and the single characters that are tokens of o200k. */
function frequentInO200k(): {
  readonly pairs: readonly string[];
  readonly characters: readonly string[];
} {
  const pairs: string[] = [];
  const characters: string[] = [];
  for (let token = 0; token < 199_998; token += 1) {
    const text = decode([token]);
    const [first, second] = [text.charCodeAt(0), text.charCodeAt(1)];
    if (text.includes("\uFFFD") || first < 128) continue;
    if (text.length === 1 && hasSingles(first)) characters.push(text);
    if (text.length === 2 && hasPairs(first) && hasPairs(second)) pairs.push(text);
  }
  return { pairs, characters };
}

const hasPairs = (code: number): boolean =>
  (code > 127 && code < 0x2c_00) || (code >= 0x30_00 && code < 0x31_00);

const hasSingles = (code: number): boolean =>
  (code >= 0x20_00 && code < 0x2c_00) ||
  (code >= 0x30_00 && code < 0x30_40) ||
  (code >= 0x34_00 && code < 0xd8_00) ||
  code >= 0xff_00;
