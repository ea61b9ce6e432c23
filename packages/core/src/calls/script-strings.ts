/** A string literal in a script, with the name of the property whose value it is. */
export interface ScriptString {
  readonly name?: string;
  readonly text: string;
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
};

/** Returns the string literals of a piece of JavaScript in their order. Substitutions in templates stay as written. */
export function scriptStrings(source: string): readonly ScriptString[] {
  const found: ScriptString[] = [];
  const literal =
    /(?:(?:\b(\w+)|"(\w+)"|'(\w+)')\s*:\s*)?(?:"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)'|`((?:[^`\\]|\\[^])*)`)/gu;
  for (const [, bare, double, single, ...texts] of source.matchAll(literal)) {
    const text = unescaped(texts.find((part) => part !== undefined) ?? "");
    const name = bare ?? double ?? single;
    found.push(name === undefined ? { text } : { name, text });
  }
  return found;
}

function unescaped(text: string): string {
  return text.replace(
    /\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([^]))/gu,
    (_, ...parts) => {
      const [long, four, two, single] = parts as (string | undefined)[];
      const code = long ?? four ?? two;
      if (code !== undefined)
        return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10_ff_ff));
      return single === "\n" ? "" : (escapes[single ?? ""] ?? single ?? "");
    },
  );
}
