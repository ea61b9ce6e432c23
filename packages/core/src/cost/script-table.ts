/** Which set a character is looked up in, before it is counted as one of the rest. */
type FrequentForm = "none" | "pairs" | "characters" | "both";

/** The tokens of the characters of one script, as o200k counts them. */
export interface Script {
  readonly name: string;
  readonly frequent: FrequentForm;
  /** Tokens of a character that is frequent after the one before it. */
  readonly paired: number;
  /** Tokens of a character that is frequent alone. */
  readonly single: number;
  /** Tokens of another character. */
  readonly other: number;
  /** Tokens of another character after an ASCII character, or at the beginning. */
  readonly first: number;
}

type Weights = readonly [paired: number, single: number, other: number, first: number];

function script(name: string, frequent: FrequentForm, weights: Weights): Script {
  const [paired, single, other, first] = weights;
  return { name, frequent, paired, single, other, first };
}

/** A script of which every character has about the same number of tokens. */
function evenScript(name: string, other: number, first = other): Script {
  return script(name, "none", [other, other, other, first]);
}

const latin = script("latin", "pairs", [1.15, 1, 1.1, 1.4]);
const latinExtended = script("latin", "pairs", [0.3, 1, 1.85, 1.85]);
const rare = evenScript("rare", 3.05, 4);
const symbols = script("symbols", "both", [0.2, 2, 3.5, 2]);
const rareSymbols = evenScript("symbols", 2.9);
const emoji = evenScript("emoji", 2.4);

/**
 * The scripts by the first code unit of each, in steps of 16. The weights were fitted to sentences of each language and
 * to random letters of each script: letters in an order that no language has are more tokens than words.
 */
const scripts: readonly (readonly [from: number, script: Script])[] = [
  [0x0080, latin],
  [0x0100, latinExtended],
  [0x0180, evenScript("latin", 2.1)],
  [0x0300, evenScript("marks", 1.95, 2.8)],
  [0x0370, script("greek", "pairs", [0.1, 1, 1.3, 0.7])],
  [0x0400, script("cyrillic", "pairs", [0.15, 1, 1.35, 1])],
  [0x0480, script("cyrillic", "pairs", [0.1, 1, 2.8, 1.5])],
  [0x0530, script("armenian", "pairs", [0.1, 1, 1.25, 0.5])],
  [0x0590, script("hebrew", "pairs", [0.4, 1, 1.4, 0.5])],
  [0x0600, script("arabic", "pairs", [0.2, 1, 1.75, 0.5])],
  [0x0700, rare],
  [0x0900, script("devanagari", "pairs", [0.1, 1, 1.5, 0.5])],
  [0x0980, script("bengali", "pairs", [0.1, 1, 1.5, 0.4])],
  [0x0a00, script("gurmukhi", "pairs", [0.1, 1, 1.7, 0.5])],
  [0x0a80, script("gujarati", "pairs", [0.1, 1, 1.45, 0.5])],
  [0x0b00, script("odia", "pairs", [1.4, 1, 1.4, 1.1])],
  [0x0b80, script("tamil", "pairs", [0.1, 1, 1.75, 0.4])],
  [0x0c00, script("telugu", "pairs", [0.1, 1, 1.65, 0.4])],
  [0x0c80, script("kannada", "pairs", [0.1, 1, 1.5, 0.5])],
  [0x0d00, script("malayalam", "pairs", [0.1, 1, 1.5, 0.4])],
  [0x0d80, script("sinhala", "pairs", [0.1, 1, 2.05, 0.7])],
  [0x0e00, script("thai", "pairs", [0.1, 1, 1.4, 1.3])],
  [0x0e80, evenScript("lao", 2.05, 2.65)],
  [0x0f00, evenScript("tibetan", 1.95, 3)],
  [0x1000, script("burmese", "pairs", [0.1, 1, 1.55, 0.8])],
  [0x10a0, script("georgian", "pairs", [0.1, 1, 1.3, 0.5])],
  [0x1100, evenScript("rare", 2.05)],
  [0x1200, evenScript("ethiopic", 2.05, 3.1)],
  [0x13a0, rare],
  [0x1780, script("khmer", "pairs", [0.1, 1, 1.7, 1.2])],
  [0x1800, rare],
  [0x1e00, script("latin", "pairs", [0.1, 1, 2.4, 0.8])],
  [0x1f00, evenScript("greek", 2.05)],
  [0x2000, script("symbols", "both", [1, 0.9, 3.3, 2.9])],
  [0x2070, symbols],
  [0x2300, rareSymbols],
  [0x2400, symbols],
  [0x2500, script("symbols", "both", [0.1, 1.75, 3.5, 1.5])],
  [0x2600, symbols],
  [0x2800, rare],
  [0x2900, symbols],
  [0x2c00, rare],
  [0x3000, script("symbols", "both", [0.3, 0.6, 2, 2.2])],
  [0x3040, script("kana", "pairs", [0.25, 1, 1.45, 1.5])],
  [0x3100, symbols],
  [0x3400, evenScript("rare han", 3.1, 3.3)],
  [0x4dc0, symbols],
  [0x4e00, script("han", "characters", [1, 0.96, 3.25, 3.25])],
  [0xa000, rare],
  [0xac00, script("hangul", "characters", [1, 0.95, 3.9, 2.5])],
  [0xd7b0, rare],
  // An astral character is two code units, and the first one has all the tokens.
  [0xd800, evenScript("astral", 4.15)],
  [0xdc00, evenScript("astral", 0)],
  [0xe000, evenScript("private use", 3.05)],
  [0xfb00, rare],
  [0xfe00, evenScript("emoji", 0.6, 2.2)],
  [0xfe10, rare],
  [0xff00, script("symbols", "characters", [1, 1.15, 2.35, 2.8])],
];

/** First code units of mathematical letters and of emojis. */
const astral: readonly (readonly [code: number, script: Script])[] = [
  [0xd835, evenScript("astral", 3)],
  [0xd83c, emoji],
  [0xd83d, emoji],
  [0xd83e, emoji],
];

/** Returns the script of each code unit. */
export function scriptsByCode(): { readonly all: readonly Script[]; readonly byCode: Uint8Array } {
  const byCode = new Uint8Array(0x1_00_00);
  for (const [index, [from]] of scripts.entries()) byCode.fill(index, from);
  for (const [index, [code]] of astral.entries()) byCode[code] = scripts.length + index;
  return { all: [...scripts, ...astral].map(([, each]) => each), byCode };
}
