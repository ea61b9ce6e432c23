import type { ParsedDocument } from "../model/parsed-document.ts";

/**
 * Reads documents that people and agents write (§3.1, §10).
 *
 * Laws:
 *
 * - `parsing-never-fails`: every text has a result. What cannot be read is named in it.
 * - `parsing-is-a-function`: the same text has the same result.
 * - `places-are-true`: the text at each range is what was parsed there.
 * - `time-is-bounded`: a text costs time in proportion to its length, whatever it contains.
 */
export interface DocumentParser {
  /** The name and version of the parser. It changes with every change of a result. */
  readonly name: string;
  parse(text: string): ParsedDocument;
}
