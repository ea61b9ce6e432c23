/**
 * Replaces parts of the texts that come into the store by marks, and puts them back into what is sent to the model, so that
 * the store has no secret and the model sees the texts as its host has them.
 *
 * Laws:
 *
 * - `reveal-undoes-hide`: `reveal(hide(text))` is the text, whatever it contains, also a text in the form of a mark.
 * - `same-text-same-marks`: `hide` of the same text is the same text, in each process that uses the same files, as long as
 *   no other text has shown that a part of it is a secret.
 * - `lines-stay`: a mark has no line break and replaces none.
 * - `hidden-is-kept`: when `hide` returns, what it replaced can be put back, also by another process.
 * - `one-pass`: what `reveal` puts back is not looked at again, so a text that quotes a mark gets nothing else.
 * - `lost-marks-stay`: a mark whose bytes are gone, and a part of a mark, stay as they are. `reveal` never throws.
 */
export interface TextMask {
  /** Whether marks replace what is found. If not, it is only reported. */
  readonly isHiding: boolean;
  /** Returns a text with marks. Throws `StoreError` if what was replaced cannot be kept; then no text may be stored. */
  hide(text: string, onFound?: (found: FoundText) => void): string;
  /** Returns a text in which the marks of `hide` are replaced by what they stand for. */
  reveal(text: string, onLost?: () => void): string;
}

/** What `hide` found. */
export interface FoundText {
  /** The name of the rule that found it. */
  readonly rule: string;
  /** The same for the same bytes. */
  readonly id: string;
}
