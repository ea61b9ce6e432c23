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

/** Returns the secrets of a book that are meant. Of these the store has marks, and not the texts. */
export function marksOf(book: SecretBook, isMeant: (secret: string) => boolean): KnownMarks {
  const secrets = [...new Set(book.secrets())].filter(isMeant);
  const ids = new Set(secrets.map((secret) => book.idOf(secret)));
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
