import type { FoundText, TextMask } from "@self-context-manager/objects";
import { findSecrets } from "./find-secrets.ts";
import { type KnownSecrets, knownSecrets } from "./known-secrets.ts";
import { markPattern, markStart, secretMark } from "./secret-mark.ts";
import type { SecretSpan } from "./secret-rule.ts";

/** Where the bytes of secrets are kept. */
export interface SecretBook {
  /** Whether there are marks of an earlier text, so that a text in the form of a mark has to be replaced too. */
  readonly isBegun: boolean;
  /** Returns 12 hexadecimal digits that are the same for the same secret and say nothing of it. */
  idOf(secret: string): string;
  /** Returns the secret with an id; undefined if it is not known. */
  secretOf(id: string): string | undefined;
  /** Returns the secrets that are known now. */
  secrets(): Iterable<string>;
  /** Keeps secrets. When it returns, other processes find them too. Throws `StoreError` if it cannot. */
  keep(secrets: ReadonlyMap<string, string>): void;
  /** Removes the bytes of secrets for good, by their ids. Throws `StoreError` if it cannot. */
  remove(ids: ReadonlySet<string>): void;
}

/** `mask`: marks replace secrets. `keep`: secrets are found and reported, and stay. `off`: nothing is looked for. */
export type SecretsSetting = "mask" | "keep" | "off";

/** The rule of a text that has the form of a mark, so that nobody gets the bytes of a secret by a quoted mark. */
const markRule = "mark";

/** Returns a mask that replaces secrets by marks. */
export function secretMask(book: SecretBook, setting: SecretsSetting = "mask"): TextMask {
  const isHiding = setting === "mask";
  let known: KnownSecrets | undefined;

  /** Returns what rules find in a text, and known secrets wherever else they are in it. */
  function hiddenIn(text: string): readonly SecretSpan[] {
    const found = findSecrets(text);
    if (known === undefined) {
      known = knownSecrets();
      for (const secret of book.secrets()) if (!secret.startsWith(markStart)) known.add(secret);
    }
    for (const { start, end } of found) known.add(text.slice(start, end));
    return withMore(known.find(text), found);
  }

  return {
    isHiding,
    hide(text, onFound) {
      if (setting === "keep")
        for (const span of findSecrets(text)) onFound?.(foundText(book, text, span));
      const hidden = isHiding ? hiddenIn(text) : [];
      const hasMarks = text.includes(markStart) && (isHiding || book.isBegun);
      const spans = hasMarks ? withMore(hidden, marksIn(text)) : hidden;
      return spans.length === 0 ? text : replaced(text, spans, book, onFound);
    },
    reveal(text, onLost) {
      if (!text.includes(markStart)) return text;
      return text.replaceAll(markPattern, (mark, ...groups) => {
        const { length, id } = groups.at(-1) as { readonly length: string; readonly id: string };
        const secret = book.secretOf(id);
        if (secret?.length === Number(length)) return secret;
        onLost?.();
        return mark;
      });
    },
  };
}

function foundText(book: SecretBook, text: string, { start, end, rule }: SecretSpan): FoundText {
  return { rule, id: book.idOf(text.slice(start, end)) };
}

function marksIn(text: string): readonly SecretSpan[] {
  return [...text.matchAll(markPattern)].map(({ 0: mark, index }) => ({
    start: index,
    end: index + mark.length,
    rule: markRule,
  }));
}

/** Returns both in order, without those that overlap one of `certain`. */
function withMore(
  others: readonly SecretSpan[],
  certain: readonly SecretSpan[],
): readonly SecretSpan[] {
  if (certain.length === 0 || others.length === 0) return certain.length === 0 ? others : certain;
  const merged: SecretSpan[] = [];
  let next = 0;
  for (const one of others) {
    while (next < certain.length && (certain[next]?.end ?? 0) <= one.start)
      merged.push(certain[next++] as SecretSpan);
    if (next === certain.length || one.end <= (certain[next]?.start ?? 0)) merged.push(one);
  }
  return [...merged, ...certain.slice(next)];
}

function replaced(
  text: string,
  spans: readonly SecretSpan[],
  book: SecretBook,
  onFound: ((found: FoundText) => void) | undefined,
): string {
  const fresh = new Map<string, string>();
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, rule } of spans) {
    const secret = text.slice(start, end);
    const id = book.idOf(secret);
    const known = book.secretOf(id) ?? fresh.get(id);
    // Two secrets with one id cannot both be put back, so the second one stays.
    if (known !== undefined && known !== secret) continue;
    if (known === undefined) fresh.set(id, secret);
    parts.push(text.slice(from, start), secretMark({ rule, length: secret.length, id }));
    from = end;
    if (rule !== markRule) onFound?.({ rule, id });
  }
  if (fresh.size > 0) book.keep(fresh);
  return parts.join("") + text.slice(from);
}
