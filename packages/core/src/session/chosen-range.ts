import { onVisibleLines, sectionOf } from "@self-context-manager/links";
import { type DocumentParser, type LineRange, rangeOf } from "@self-context-manager/objects";

/** The part of an object to activate. Default: all. */
export interface ActivateRange {
  readonly from?: number;
  readonly to?: number;
  /** A heading of a document: its section is activated. It is not given together with lines. */
  readonly heading?: string;
  /** Of a chat: the turn that is shown as it was, from 1, or from the end with -1. Lines are then those of the turn. */
  readonly turn?: number;
  /** Of a turn: the field of its summary that is shown instead, `short_summary` or `long_summary`. */
  readonly field?: string;
}

/** Whether a part is asked for. */
export function isPart({ from, to, heading }: ActivateRange): boolean {
  return (from ?? to ?? heading) !== undefined;
}

/** The most headings that an answer names. */
const mostHeadings = 12;

/** What headings are found with. */
export interface HeadingParts {
  readonly parser: DocumentParser | undefined;
  /** Whether a line may be seen. A heading on another line is not there for the model. */
  readonly isVisible: (line: number) => boolean;
}

/** Returns the lines of a text that are asked for; undefined for all, or a sentence that says what is wrong. */
export function chosenRange(
  text: string,
  { from, to, heading }: ActivateRange,
  parts?: HeadingParts,
): LineRange | undefined | string {
  if (heading !== undefined) return sectionRange(text, heading, parts);
  try {
    return rangeOf(text, from, to);
  } catch (error) {
    if (error instanceof RangeError) return `${error.message}.`;
    throw error;
  }
}

function sectionRange(
  text: string,
  heading: string,
  { parser, isVisible }: Partial<HeadingParts> = {},
): LineRange | string {
  if (parser === undefined || isVisible === undefined)
    return "headings are not read here; give from and to.";
  const { headings } = parser.parse(text);
  const visible = onVisibleLines(headings, text, isVisible);
  const found = sectionOf({ headings }, text, heading, visible);
  if (found !== undefined) return found;
  const names = visible.map((one) => one.text);
  if (names.length === 0) return "it has no headings; give from and to.";
  const more = names.length > mostHeadings ? " …" : "";
  const shown = names.slice(0, mostHeadings).map((name) => JSON.stringify(name));
  return `it has no heading ${JSON.stringify(heading)}; its headings are ${shown.join(", ")}${more}.`;
}
