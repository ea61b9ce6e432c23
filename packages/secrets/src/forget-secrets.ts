import { markPattern } from "./secret-mark.ts";
import type { SecretBook } from "./secret-mask.ts";

/** Secrets that the user wants to be forgotten: the texts, and where their marks are. */
export interface KnownMarks {
  readonly secrets: readonly string[];
  /** Returns the places of the marks of these secrets in a text. */
  places(text: string): Iterable<{ readonly start: number; readonly end: number }>;
  /** Removes the bytes of these secrets, so that a mark that is left cannot be put back. */
  remove(): void;
}

/** Returns the ids of the marks in a text. */
export function markIds(text: string): readonly string[] {
  return [...text.matchAll(markPattern)].flatMap(({ groups }) => groups?.["id"] ?? []);
}

/** Returns the secrets of a book that are meant. Of these the store has marks, and not the texts. */
export function marksOf(
  book: SecretBook,
  isMeant: (secret: string, id: string) => boolean,
): KnownMarks {
  const known = [...new Set(book.secrets())].map((secret) => [secret, book.idOf(secret)] as const);
  const meant = known.filter(([secret, id]) => isMeant(secret, id));
  const secrets = meant.map(([secret]) => secret);
  const ids = new Set(meant.map(([, id]) => id));
  return {
    secrets,
    *places(text) {
      if (ids.size === 0) return;
      for (const { 0: mark, index, groups } of text.matchAll(markPattern))
        if (ids.has(groups?.["id"] ?? "")) yield { start: index, end: index + mark.length };
    },
    remove() {
      if (ids.size > 0) book.remove(ids);
    },
  };
}
