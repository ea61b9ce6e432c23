import type { JsonObject } from "./json.ts";

/**
 * What a document says about itself and about other objects: derived data (§4.3, §10, §24.1, decision D60). It is a
 * function of the content, so it is in no hash and in no version, and can be derived again at any time.
 */
export type ParsedDocument = {
  /** The name and version of the parser. Another parser's result is not used. */
  readonly parser: string;
  readonly front_matter: FrontMatter;
  /** Further names of the document, from its front matter. */
  readonly aliases: readonly string[];
  readonly headings: readonly ParsedHeading[];
  /** In the order of their places. */
  readonly links: readonly ParsedLink[];
  readonly tags: readonly ParsedTag[];
};

/** The YAML at the start of a document. Of an invalid one the lines that can be read have fields (decision D60). */
export type FrontMatter =
  | { readonly state: "absent" }
  | { readonly state: "valid"; readonly fields: JsonObject }
  /** `line` is the line of the document, counted from 1. */
  | {
      readonly state: "invalid";
      readonly reason: string;
      readonly line: number;
      readonly fields: JsonObject;
    };

/** A place in the content: the UTF-16 offsets of its start and of its end, which is not included. */
type TextRange = readonly [start: number, end: number];

/** A heading with its line, or its lines if it is underlined. */
export type ParsedHeading = {
  /** From 1 to 6. */
  readonly level: number;
  /** The text without marks; a link is written as its own text. */
  readonly text: string;
  readonly range: TextRange;
};

/** A dynamic reference by name (decision D61). What it means is decided later (decision D62). */
export type ParsedLink = {
  /** `content`, or the JSON pointer of the front matter's field, such as `/front_matter/related/0`. */
  readonly path: string;
  /** The whole link, with its brackets. */
  readonly range: TextRange;
  /** `wiki` for `[[name]]`, `markdown` for `[text](name)`. */
  readonly syntax: "wiki" | "markdown";
  /** What is between the brackets of a wiki link; the destination of a Markdown link. */
  readonly raw: string;
  /** The name as written, without heading and alias; empty for the document itself. */
  readonly name: string;
  readonly heading?: string;
  /** The text that is shown instead of the name. */
  readonly alias?: string;
  /** True if the target is to be shown in this place. */
  readonly embed?: true;
  /** The type of the relation; without one the document just links to the target (decision D63). */
  readonly relation?: string;
};

export type ParsedTag = {
  readonly path: string;
  readonly range: TextRange;
  /** Without the number sign. */
  readonly tag: string;
};
