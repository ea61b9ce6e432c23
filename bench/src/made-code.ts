import { seededRandom } from "@self-context-manager/store-contract";

// Texts that have the words of real code as often as real code has them: see `code-words.ts` for the comparison.

const syllables =
  "ba co di fu ge ha ki lo mu ne pa ro si tu ve wa ex in or ta el st re con de ter ion al er ed".split(
    " ",
  );

/** Words of TypeScript and of comments in it, the most frequent first. */
const keywords =
  "const if return string type to the this function for of export is a from import number in new boolean as not undefined void interface true null else default value it and false id be name typeof options key class get extends set with throw length error async await or that static any object case public map data array index result node use when break while by push readonly var let end an on promise private file path code start state test all can only one".split(
    " ",
  );

/** The number of words beside these, and of the identifiers that are made of all words. */
const vocabulary = 100_000;
const identifiers = 120_000;

/** The number of the first words that are about equally frequent. */
const flat = 12;

/** The number of forms of lines. */
const formCount = 11;

/** Lines that many files have. */
const commonLines = [
  "",
  "",
  "",
  "",
  "}",
  "  }",
  "});",
  "    }",
  "  });",
  "};",
  "  };",
  "  /**",
  "   */",
  "/**",
  " */",
  "  {",
  "    });",
  "      }",
  "  } else {",
  "  ) {",
  "      break;",
  "    return undefined;",
  "    ),",
  "  ];",
];

/** Makes texts by a seed. */
export interface MadeCode {
  below(limit: number): number;
  /** Returns a part of a file with about so many characters. */
  text(characters: number): string;
}

export function madeCode(seed = 53): MadeCode {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const from = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const words = Array.from({ length: vocabulary }, () =>
    Array.from({ length: 2 + below(3) }, () => from(syllables)).join(""),
  );
  /** Zipf and Mandelbrot: a frequency falls with the rank, but less among the first ones. */
  const ranked = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(flat * ((items.length + flat) / flat) ** random()) - flat] as Item;
  const keyword = (): string => ranked(keywords);
  const word = (): string => (random() < 0.2 ? keyword() : ranked(words));
  const identifier = (): string => {
    const parts = Array.from({ length: 1 + below(3) }, word);
    const [first = "", ...others] = parts;
    const name = first + others.map((part) => part[0]?.toUpperCase() + part.slice(1)).join("");
    return random() < 0.15 ? name[0]?.toUpperCase() + name.slice(1) : name;
  };

  const known = Array.from({ length: identifiers }, identifier);

  function line(names: readonly string[], kinds: readonly number[]): string {
    const name = (): string => from(names);
    const indent = "  ".repeat(below(8));
    const forms = [
      () => `${indent}const ${name()} = ${name()}.${name()}(${name()}, ${name()});`,
      () => `${indent}${name()}: ${keyword()};`,
      () => `${indent}if (${name()} === ${name()}) return ${name()}(${name()});`,
      () => `${indent}return ${name()}.${name()}(${name()}, "${name()}");`,
      () => `import { ${name()}, ${name()} } from "./${name()}.js";`,
      () =>
        `${indent}export function ${name()}(${name()}: ${name()}, ${name()}?: ${keyword()}): ${name()} {`,
      () => `${indent}this.${name()} = ${name()};`,
      () => `${indent}${name()}(${name()}, (${name()}) => ${name()}.${name()});`,
      () =>
        `${indent}// ${Array.from({ length: 5 + below(8) }, () => (random() < 0.5 ? keyword() : word())).join(" ")}`,
      () => `${indent}${name()}: ${name()}<${name()}>[];`,
      () => `${indent}case ${below(100)}:`,
    ];
    return forms[from(kinds)]?.() ?? "";
  }

  return {
    below,
    text(characters) {
      // A part of a file has few names, and repeats them.
      const names = Array.from({ length: 3 + Math.ceil(characters / 48) }, () => ranked(known));
      const kinds = Array.from({ length: 3 }, () => below(formCount));
      const lines: string[] = [];
      for (let length = 0; length < characters;) {
        const next = random() < 0.4 ? from(commonLines) : line(names, kinds);
        lines.push(next);
        length += next.length + 1;
      }
      return lines.join("\n");
    },
  };
}
