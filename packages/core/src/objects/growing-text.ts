import { createHash, type Hash } from "node:crypto";

/**
 * The SHA-256 states of long texts that grow at their end, by name: hashing a text that begins with the one of the
 * last time costs what was added.
 */
interface GrownText {
  readonly text: string;
  readonly prefix: string;
  /** Of the text. */
  readonly plain: Hash;
  /** Of the prefix and the text as the inside of a JSON string. */
  readonly escaped: Hash;
}

/** Both states of a text, to be copied and not to be changed. */
export type TextStates = Pick<GrownText, "plain" | "escaped">;

/** Shorter texts are not worth a place. */
export const shortestKept = 32_768;

/** How many characters are kept in all; a text above this is not kept. */
const mostKept = 16_000_000;

const kept = new Map<string, GrownText>();

/** The last answer of `grownFrom`: a text is checked and then hashed. */
let asked: { readonly text: string; readonly known: GrownText | undefined } | undefined;

/** What is kept of a text's beginning, which was the whole when it was hashed last. */
function grownFrom(name: string, text: string): GrownText | undefined {
  const known = kept.get(name);
  if (known === undefined) return undefined;
  if (asked?.known !== known || asked.text !== text)
    asked = { text, known: text.startsWith(known.text) ? known : undefined };
  return asked.known;
}

/** Whether a text has no lone surrogate; of one that has grown only what was added is looked at. */
export function isWellFormed(name: string, text: string): boolean {
  const known = grownFrom(name, text);
  return (known === undefined ? text : text.slice(known.text.length)).isWellFormed();
}

/**
 * SHA-256 states over a long text, and over a prefix with the text as the inside of a JSON string after it (its opening
 * quote is the prefix's last character, its closing quote is not written).
 */
export function textStates(name: string, prefix: string, text: string): TextStates {
  const known = grownFrom(name, text);
  const grows = known?.prefix === prefix;
  const plain = grows ? known.plain.copy() : createHash("sha256");
  const escaped = grows ? known.escaped.copy() : createHash("sha256").update(prefix, "utf8");
  const added = grows ? text.slice(known.text.length) : text;
  plain.update(added, "utf8");
  escaped.update(JSON.stringify(added).slice(1, -1), "utf8");
  // A damaged text can be hashed; what goes on from it is to be looked at whole.
  if (added.isWellFormed()) keep(name, { text, prefix, plain, escaped });
  return { plain, escaped };
}

function keep(name: string, grown: GrownText): void {
  kept.delete(name);
  kept.set(name, grown);
  let length = 0;
  for (const { text } of kept.values()) length += text.length;
  for (const [oldest, { text }] of kept) {
    if (length <= mostKept) return;
    kept.delete(oldest);
    length -= text.length;
  }
}
