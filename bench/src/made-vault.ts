import { seededRandom } from "@self-context-manager/store-contract";
import { type ObjectBody, objectId } from "@self-context-manager/objects";

/** A note of a made vault. */
export interface MadeNote {
  /** Its path in the vault. */
  readonly path: string;
  readonly text: string;
}

export const vaultFolder = "/vault";

/**
 * Shapes that were measured in public vaults of Markdown notes: half of the notes have less than 700 characters, one in
 * ten more than 4,600, one in a hundred more than 23,000. There are about 2.8 wiki links in a note, and front matter in
 * a third of the notes. Of the links, 3 % lead nowhere and 0.6 % have several meanings. A line has about 40 characters, a
 * paragraph 140, and 3 of 100 characters can begin a mark.
 */
const shapes = {
  medianCharacters: 700,
  /** Of the logarithms of the lengths. */
  deviation: 1.5,
  longestNote: 60_000,
  charactersPerLink: 600,
  charactersPerHeading: 450,
  frontMatter: 0.33,
  broken: 0.03,
  ambiguous: 0.006,
} as const;

const folders = [
  "",
  "daily/",
  "projects/",
  "projects/archive/",
  "people/",
  "topics/a/",
  "topics/b/",
];
const syllables = "ba co di fu ge ha ki lo mu ne pa ro si tu ve wa".split(" ");

/** Makes a vault of notes that link to each other. The seed determines all of it. */
export function madeVault(count: number, seed = 17): readonly MadeNote[] {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const chosen = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const vocabulary = Array.from({ length: 4_000 }, () =>
    Array.from({ length: 1 + below(4) }, () => chosen(syllables)).join(""),
  );
  // Frequent words are frequent, as in any language.
  const word = (): string => vocabulary[Math.floor(vocabulary.length * random() ** 3)] as string;
  const words = (length: number): string => Array.from({ length }, word).join(" ");
  const twins = Math.max(1, Math.floor(count / 500));
  const titles = Array.from({ length: count }, (_, note) =>
    note < 2 * twins ? `Twin ${note % twins}` : `${words(1 + below(3))} ${note}`,
  );
  const paths = titles.map((title, note) => `${folders[note % folders.length] ?? ""}${title}.md`);

  /** Some notes are hubs: the links to a note are distributed like the words. */
  const linked = (): string => {
    const kind = random();
    if (kind < shapes.broken) return `missing ${below(count)}`;
    if (kind < shapes.broken + shapes.ambiguous) return `Twin ${below(twins)}`;
    return titles[2 * twins + Math.floor((count - 2 * twins) * random() ** 3)] as string;
  };
  const link = (): string => {
    const kind = below(10);
    if (kind === 0) return `[[${linked()}|${words(2)}]]`;
    if (kind < 4) return `[[${linked()}#${word()}]]`;
    return `[[${linked()}]]`;
  };
  /** A line of prose with the marks that people write. */
  const line = (): string => {
    const text = words(4 + below(9));
    const kind = below(14);
    if (kind === 0) return `${text} \`${word()}.${word()}\` ${word()}`;
    if (kind === 1) return `${text} **${words(2)}**, ${word()}!`;
    if (kind === 2)
      return `${text} [${words(2)}](https://${word()}.example/${word()}?a=1&b=${word()})`;
    if (kind === 3) return `${text} ![${word()}](./${word()}.png) <br>`;
    if (kind === 4) return `${text} [ ] ${word()} & ${word()}`;
    return random() < text.length / shapes.charactersPerLink ? `${text} ${link()}.` : text;
  };
  const lines = (mark: string): string =>
    Array.from({ length: 1 + below(6) }, () => `${mark}${line()}`).join("\n");
  const paragraph = (): string => {
    const kind = below(14);
    if (kind === 0) return `\`\`\`ts\nconst ${word()} = "[[${word()}]]";\n\`\`\``;
    if (kind === 1) return `- part_of ${link()}\n${lines("- ")}`;
    if (kind === 2) return lines("> ");
    if (kind === 3) return lines("- [ ] ");
    if (kind < 7) return lines("* ");
    return lines("");
  };

  return paths.map((path, note) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const length = shapes.medianCharacters * Math.exp(shapes.deviation * normal);
    const front =
      random() < shapes.frontMatter
        ? `---\ntags: [topic-${below(60)}, kind/${below(8)}]\naliases: [${words(2)} ${note}]\nrelated: "[[${linked()}]]"\n---\n`
        : "";
    let text = `${front}# ${titles[note] ?? ""}\n`;
    let untilHeading: number = shapes.charactersPerHeading;
    while (text.length < Math.min(length, shapes.longestNote)) {
      const next = paragraph();
      untilHeading -= next.length;
      text += `\n${next}\n`;
      if (untilHeading > 0) continue;
      untilHeading = shapes.charactersPerHeading;
      text += `\n## ${words(3)} #tag-${below(40)}\n`;
    }
    return { path, text };
  });
}

/** The object of a note, as a watched file is. */
export function noteBody(note: number, { path, text }: MadeNote): ObjectBody {
  return {
    id: objectId(`0199aaaa-0000-7000-8000-${String(note).padStart(12, "0")}`),
    type: "file",
    locked: false,
    content: text,
    path: `${vaultFolder}/${path}`,
    file_type: "markdown",
    char_count: text.length,
    provenance: { origin: "bench", generator: "human" },
  };
}
