import { isFrequent } from "./frequent-characters.ts";
import { type Script, scriptsByCode } from "./script-table.ts";

/**
 * The classes of characters that are counted apart: `plain` is ASCII prose and code, `dense` is ASCII that a tokenizer
 * hardly merges, such as base64, hashes and colour codes. The others are the scripts of the table.
 */
const { all: scripts, byCode } = scriptsByCode();
export const textClasses: readonly string[] = [
  "plain",
  "dense",
  ...new Set(scripts.flatMap((each) => [each.name, rareName(each)])),
];

/** Kinds of ASCII characters; `other` is a character that is not ASCII. */
const blank = 0;
const lower = 1;
const upper = 2;
const digit = 3;
const sign = 4;
const control = 5;
const other = 6;
/** A line break or a tab: like a blank, but with the tokens of a sign. */
const line = 7;

const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 32) return blank;
  if (code === 9 || code === 10 || code === 13) return line;
  if (code < 32 || code === 127) return control;
  if (code >= 97 && code <= 122) return lower;
  if (code >= 65 && code <= 90) return upper;
  return code >= 48 && code <= 57 ? digit : sign;
});

/** Units of one token. A letter or a space has 10 of them, and any other ASCII character 22. */
const unit = 44;

/**
 * What the last of three ASCII characters has beside its own tokens, by the kinds of the three: `_` blank, `l` lower
 * case, `U` upper case, `d` digit, `p` sign, `C` control. Fitted to base64, hashes, identifiers, hex dumps, tables of
 * numbers, ANSI colours and minified code, so that prose and ordinary code change little.
 */
const extras: Readonly<Record<string, number>> = {
  _dl: 3.35,
  lUd: 3,
  Uld: 2.9,
  dUU: 2.05,
  dUl: 1.75,
  lUp: 1.5,
  UUl: 1.35,
  pdl: 1.3,
  ddl: 1.25,
  Upd: 1.05,
  lpd: 1,
  ldU: 0.9,
  _dd: 0.8,
  Cpd: 0.75,
  dpl: 0.7,
  UlU: 0.65,
  lCp: 0.6,
  l_C: 0.55,
  Upp: 0.5,
  dpd: 0.4,
  plp: 0.35,
  pCp: 0.3,
  UUd: 0.25,
  dlC: 0.25,
  lpC: 0.25,
  _Cp: 0.2,
  Upl: 0.15,
  ppd: 0.1,
  UdU: 0.1,
};

/** Additional tokens from which a character counts as dense. */
const leastDense = 0.5;

/** Units of a character by the kinds of the last three, in 3 bits each: one table for each of the two ASCII classes. */
const plainUnits = new Int32Array(512);
const denseUnits = new Int32Array(512);
for (let kindsOfThree = 0; kindsOfThree < 512; kindsOfThree += 1) {
  const names = [kindsOfThree >> 6, (kindsOfThree >> 3) & 7, kindsOfThree & 7];
  const extra = extras[names.map((kind) => "_lUdpC?_"[kind] ?? "?").join("")] ?? 0;
  const table = extra >= leastDense ? denseUnits : plainUnits;
  table[kindsOfThree] = unitsOf(kindsOfThree & 7) + Math.round(extra * unit);
}

function unitsOf(kind: number): number {
  if (kind === other) return 0;
  return kind === blank || kind === lower || kind === upper ? 10 : 22;
}

/** Ways in which a character is counted, in the order of a script's four entries in the tables below. */
const paired = 0;
const single = 1;
const rest = 2;
const first = 3;

const usesPairs = Uint8Array.from(scripts, ({ frequent }) =>
  Number(frequent === "pairs" || frequent === "both"),
);
const usesCharacters = Uint8Array.from(scripts, ({ frequent }) =>
  Number(frequent === "characters" || frequent === "both"),
);
const weights = Float64Array.from(
  scripts.flatMap((each) => [each.paired, each.single, each.other, each.first]),
);
const classes = Uint8Array.from(
  scripts.flatMap((each) =>
    [each.name, each.name, rareName(each), rareName(each)].map((name) => textClasses.indexOf(name)),
  ),
);

/** What is rare in a large script is a class of its own: its tokens are bytes and no characters. */
function rareName({ name, frequent }: Script): string {
  return frequent === "characters" ? `rare ${name}` : name;
}

/** The tokens of the text that was counted last, by class. Only `tallyText` writes them. */
const sums = new Float64Array(textClasses.length);

/**
 * Counts the tokens of a text by class, without a tokenizer and in one pass. The answer is valid until the next call.
 * A longer text never has fewer tokens.
 */
export function tallyText(text: string): Readonly<Float64Array> {
  sums.fill(0);
  let plain = 0;
  let dense = 0;
  let three = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 128) {
      three = ((three << 3) | (kinds[code] ?? 0)) & 511;
      plain += plainUnits[three] ?? 0;
      dense += denseUnits[three] ?? 0;
    } else {
      three = ((three << 3) | other) & 511;
      addCharacter(code, index === 0 ? 0 : text.charCodeAt(index - 1));
    }
  }
  sums[0] = plain / unit;
  sums[1] = dense / unit;
  return sums;
}

function addCharacter(code: number, before: number): void {
  const script = byCode[code] ?? 0;
  let way = before < 128 ? first : rest;
  if (way === rest && usesPairs[script] === 1 && isFrequent(before, code)) way = paired;
  else if (usesCharacters[script] === 1 && isFrequent(0, code)) way = single;
  const entry = script * 4 + way;
  const index = classes[entry] ?? 0;
  sums[index] = (sums[index] ?? 0) + (weights[entry] ?? 0);
}
