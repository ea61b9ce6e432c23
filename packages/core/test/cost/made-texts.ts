import { scriptSamples } from "./script-samples.ts";

/** Returns numbers from 0 up to a limit that look random and are the same in every run. */
function numbersFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return (state >>> 8) % limit;
  };
}

type Make = (next: (limit: number) => number) => string;

/**
 * Characters of a range of code points, in words of a length or in lines of 50. The tokenizer is slow for longer runs
 * of letters.
 */
function letters(from: number, to: number, word = 0): Make {
  let count = 0;
  return (next) => {
    count += 1;
    const letter = String.fromCodePoint(from + next(to - from + 1));
    if (count % 50 === 0) return `${letter}\n`;
    return word > 0 && count % word === 0 ? `${letter} ` : letter;
  };
}

const bytes = (next: (limit: number) => number): Buffer =>
  Buffer.from(Array.from({ length: 57 }, () => next(256)));

const words = ["error", "warning", "built", "test", "passed", "file", "line", "in", "of", "ms"];

const word = (next: (limit: number) => number): string => words[next(words.length)] ?? "";

const name = (next: (limit: number) => number): string => "abcdefghijkmnoprstuvw"[next(21)] ?? "";

const made: Readonly<Record<string, Make>> = {
  base64: (next) => bytes(next).toString("base64"),
  "base64 in lines": (next) => `${bytes(next).toString("base64")}\n`,
  base64url: (next) => bytes(next).toString("base64url"),
  hex: (next) => bytes(next).toString("hex"),
  "upper case hex": (next) => bytes(next).toString("hex").toUpperCase(),
  "hex dump": (next) =>
    `${next(9e6).toString(16).padStart(8, "0")}  ${bytes(next).toString("hex").slice(0, 32).replaceAll(/../gu, "$& ")}\n`,
  "SHA-256 sums": (next) =>
    `${bytes(next).toString("hex")}${next(1e7)}  packages/${word(next)}/${word(next)}.ts\n`,
  UUIDs: (next) =>
    `${bytes(next)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/u, "$1-$2-$3-$4-$5")}\n`,
  "ANSI colours": (next) =>
    `\u001b[${31 + next(7)}m${word(next)}\u001b[0m ${word(next)}${next(4) === 0 ? "\n" : " "}`,
  "ANSI colours of 256": (next) => `\u001b[38;5;${next(256)}m${word(next)}\u001b[39m `,
  "minified code": (next) =>
    [
      () =>
        `function ${name(next)}(${name(next)},${name(next)}){return ${name(next)}.${word(next)}(${name(next)})}`,
      () => `var ${name(next)}=${name(next)}[${next(99)}],${name(next)}=!0;`,
      () => `if(${name(next)}===void 0)throw new Error("${word(next)}");`,
      () =>
        `${name(next)}.forEach(${name(next)}=>{${name(next)}.${word(next)}&&${name(next)}.push({${name(next)}:${name(next)}})});`,
    ][next(4)]?.() ?? "",
  "table of numbers": (next) => `${next(1e6)}.${next(90) + 10},${next(1e4)},${next(1e6)}\n`,
  emojis: letters(0x1_f6_00, 0x1_f6_4f),
  "symbols of people and nature": letters(0x1_f3_00, 0x1_f5_ff),
  "joined emojis": (next) => ["👩‍💻", "👍🏽", "❤️", "🏳️‍🌈", "👨‍👩‍👧"][next(5)] ?? "",
  "combining marks": letters(0x03_00, 0x03_6f),
  "letters with combining marks": (next) => `${name(next)}${letters(0x03_00, 0x03_6f)(next)}`,
  "private use": letters(0xe0_00, 0xf8_ff),
  "rare Han": letters(0x34_00, 0x4d_bf),
  "Han of any frequency": letters(0x4e_00, 0x9f_a5),
  "astral Han": letters(0x2_00_00, 0x2_a6_df),
  "letters of Amharic": letters(0x12_00, 0x13_57, 5),
  "letters of Thai": letters(0x0e_01, 0x0e_2e),
  "letters of Russian": letters(0x04_30, 0x04_4f, 6),
  "letters of Arabic": letters(0x06_27, 0x06_4a, 6),
  "letters of Hindi": letters(0x09_05, 0x09_39, 6),
  "letters of Greek": letters(0x03_b1, 0x03_c9, 6),
  "letters of Hebrew": letters(0x05_d0, 0x05_ea, 6),
  "letters of Tibetan": letters(0x0f_40, 0x0f_6c, 6),
  "letters of Lao": letters(0x0e_81, 0x0e_b0, 6),
  "letters of Cherokee": letters(0x13_a0, 0x13_f4, 6),
  "letters of Mongolian": letters(0x18_20, 0x18_42, 6),
  "syllables of Korean": letters(0xac_00, 0xd7_a3, 4),
  kana: letters(0x30_41, 0x30_93),
  braille: letters(0x28_01, 0x28_ff),
  arrows: letters(0x21_90, 0x21_ff),
};

/** The names of the texts that `madeText` makes beside those in the scripts of the world. */
export const madeNames: readonly string[] = Object.keys(made);

/** Returns a text of about a length, of one script or of made characters. Another number makes another text. */
export function madeText(of: string, length: number, number = 1): string {
  const sample = scriptSamples[of];
  if (sample !== undefined) {
    const sentences = sample.split(/(?<=[.。։።]) ?/u);
    const from = number % sentences.length;
    const turned = [...sentences.slice(from), ...sentences.slice(0, from)].join(" ");
    return `${number}. ${turned}\n`.repeat(Math.ceil(length / turned.length)).slice(0, length);
  }
  const make = made[of];
  if (make === undefined) throw new RangeError(`there is no text named ${of}`);
  const next = numbersFrom(number * 7_919);
  let text = "";
  while (text.length < length) text += make(next);
  return text;
}
