import { createHash, type Hash } from "node:crypto";
import { addedTo } from "./growing-text.ts";

/**
 * The SHA-256 states of long texts that grow at their end, by name: hashing a text that begins with the one of the
 * last time costs what was added.
 */
interface KeptText {
  readonly text: string;
  readonly prefix: string;
  /** Of the text. */
  readonly plain: Hash;
  /** Of the prefix and the text as the inside of a JSON string. */
  readonly escaped: Hash;
}

/** Both states of a text, to be copied and not to be changed. */
export type TextStates = Pick<KeptText, "plain" | "escaped">;

/** Shorter texts are not worth a place. */
export const shortestKept = 32_768;

/** How many characters are kept in all; a text above this is not kept. */
const mostKept = 16_000_000;

const kept = new Map<string, KeptText>();

/** What is kept of a text's beginning, which was the whole when it was hashed last, and what follows it. */
interface Continued {
  readonly known: KeptText | undefined;
  readonly added: string;
}

/** The last answer of `continued`: a text is checked and then hashed. */
let asked: (Continued & { readonly former: KeptText; readonly text: string }) | undefined;

function continued(name: string, text: string): Continued {
  const former = kept.get(name);
  if (former === undefined) return { known: undefined, added: text };
  if (asked?.former === former && asked.text === text) return asked;
  const told = addedTo(former.text, text);
  // Slices are compared as memory; `startsWith` goes unit by unit.
  const isLonger = told !== undefined || text.slice(0, former.text.length) === former.text;
  const added = told ?? (isLonger ? text.slice(former.text.length) : text);
  asked = { former, text, known: isLonger ? former : undefined, added };
  return asked;
}

/** Whether a text has no lone surrogate; of one that has grown only what was added is looked at. */
export function isWellFormed(name: string, text: string): boolean {
  return continued(name, text).added.isWellFormed();
}

/**
 * SHA-256 states over a long text, and over a prefix with the text as the inside of a JSON string after it (its opening
 * quote is the prefix's last character, its closing quote is not written).
 */
export function textStates(name: string, prefix: string, text: string): TextStates {
  const { known, added: appended } = continued(name, text);
  const grows = known?.prefix === prefix;
  const plain = grows ? known.plain.copy() : createHash("sha256");
  const escaped = grows ? known.escaped.copy() : createHash("sha256").update(prefix, "utf8");
  const added = grows ? appended : text;
  plain.update(added, "utf8");
  escaped.update(JSON.stringify(added).slice(1, -1), "utf8");
  // A damaged text can be hashed; what goes on from it is to be looked at whole.
  if (added.isWellFormed()) keep(name, { text, prefix, plain, escaped });
  return { plain, escaped };
}

function keep(name: string, grown: KeptText): void {
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
