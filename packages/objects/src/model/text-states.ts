import { createHash, type Hash } from "node:crypto";
import { addedTo } from "./growing-text.ts";

/**
 * The SHA-256 states of long texts that grow at their end, by name. If a text begins with the text that was hashed
 * before, only the added part is hashed.
 */
interface KeptText {
  readonly text: string;
  readonly state: Hash;
}

/** The state of a shorter text is not kept: hashing it again is cheap. */
export const shortestKept = 32_768;

/** The greatest number of characters kept in total; a longer text is not kept. */
const mostKept = 16_000_000;

const kept = new Map<string, KeptText>();

/** A text divided into the part that was hashed before, with its kept state, and the part that follows. */
interface Continued {
  readonly known: KeptText | undefined;
  readonly added: string;
}

/** The last result of `continued`, because each text is first checked and then hashed. */
let asked: (Continued & { readonly former: KeptText; readonly text: string }) | undefined;

function continued(name: string, text: string): Continued {
  const former = kept.get(name);
  if (former === undefined) return { known: undefined, added: text };
  if (asked?.former === former && asked.text === text) return asked;
  const appended = addedTo(former.text, text);
  // Slices are compared as memory; `startsWith` goes unit by unit.
  const isLonger = appended !== undefined || text.slice(0, former.text.length) === former.text;
  const added = appended ?? (isLonger ? text.slice(former.text.length) : text);
  asked = { former, text, known: isLonger ? former : undefined, added };
  return asked;
}

/** Whether a text has no lone surrogate. For a grown text only the added part is checked. */
export function isWellFormed(name: string, text: string): boolean {
  return continued(name, text).added.isWellFormed();
}

/** Computes the SHA-256 of the UTF-8 bytes of a long text, in hexadecimal. */
export function textHash(name: string, text: string): string {
  const { known, added } = continued(name, text);
  const state = known === undefined ? createHash("sha256") : known.state.copy();
  state.update(added, "utf8");
  // A text with a lone surrogate can be hashed, but a text that continues it must be checked as a whole.
  if (added.isWellFormed()) keep(name, { text, state });
  return state.copy().digest("hex");
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
