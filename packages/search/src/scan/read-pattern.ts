import { compositions, messageOf } from "@self-context-manager/objects";

/** What a scan looks for: a literal text, or a regular expression. `flags` are `i`, `s`, `u` and `v`; `i` for both. */
export type ScanPattern = { readonly flags?: string } & (
  | { readonly literal: string; readonly regex?: never }
  | { readonly regex: string; readonly literal?: never }
);

/** A pattern that can be looked for. A slow one may take any time on a text. */
export interface ReadPattern {
  readonly expression: RegExp;
  readonly isSlow: boolean;
}

/** Characters of an expression that an error repeats. */
const shownCharacters = 200;

/** Reads a pattern. `^` and `$` are at the ends of lines. Throws a `TypeError` for a pattern that cannot be read. */
export function readPattern({ literal, regex, flags = "" }: ScanPattern): ReadPattern {
  const wanted = literal ?? regex;
  if (wanted === "") throw new TypeError("the text or regular expression to scan for is empty");
  const allowed = literal === undefined ? /^[isuv]*$/u : /^i?$/u;
  if (!allowed.test(flags)) {
    const names = literal === undefined ? "i, s, u and v" : "i";
    throw new TypeError(`the flags ${flags} cannot be used; only ${names} can`);
  }
  const source = literal === undefined ? regex : compositions(literal).map(escaped).join("|");
  const all = `gm${flags}${literal === undefined ? "" : "u"}`;
  try {
    return { expression: new RegExp(source, all), isSlow: literal === undefined };
  } catch (error) {
    const shown = source.slice(0, shownCharacters);
    throw new TypeError(`the regular expression ${shown} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
}

/** The engine's message repeats the expression before the reason. */
function reasonOf(error: unknown): string {
  const message = messageOf(error);
  return message.slice(message.lastIndexOf(": ") + 1).trim();
}
