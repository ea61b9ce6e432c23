import type { FoundText, TextMask } from "@self-context-manager/objects";
import { findSecrets } from "./find-secrets.ts";
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
  /** Keeps secrets. When it returns, other processes find them too. Throws `StoreError` if it cannot. */
  keep(secrets: ReadonlyMap<string, string>): void;
}

/** `mask`: marks replace secrets. `keep`: secrets are found and reported, and stay. `off`: nothing is looked for. */
export type SecretsSetting = "mask" | "keep" | "off";

/** The rule of a text that has the form of a mark, so that nobody gets the bytes of a secret by a quoted mark. */
const markRule = "mark";

/** Returns a mask that replaces secrets by marks. */
export function secretMask(book: SecretBook, setting: SecretsSetting = "mask"): TextMask {
  const isHiding = setting === "mask";

  function spansIn(text: string): readonly SecretSpan[] {
    return setting === "off" ? [] : findSecrets(text);
  }

  return {
    isHiding,
    hide(text, onFound) {
      const found = spansIn(text);
      if (!isHiding) for (const span of found) onFound?.(foundText(book, text, span));
      const hidden = isHiding ? found : [];
      const marks = isHiding || book.isBegun ? marksIn(text) : [];
      if (hidden.length + marks.length === 0) return text;
      return replaced(text, withMarks(hidden, marks), book, onFound);
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
  if (!text.includes(markStart)) return [];
  return [...text.matchAll(markPattern)].map(({ 0: mark, index }) => ({
    start: index,
    end: index + mark.length,
    rule: markRule,
  }));
}

/** Returns both in order. Of a secret and a mark that overlap, the mark counts. */
function withMarks(
  found: readonly SecretSpan[],
  marks: readonly SecretSpan[],
): readonly SecretSpan[] {
  if (marks.length === 0) return found;
  const apart = found.filter(
    ({ start, end }) => !marks.some((mark) => start < mark.end && mark.start < end),
  );
  return [...apart, ...marks].toSorted((left, right) => left.start - right.start);
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
