import { isContent, type ShownPart, type ViewEntry } from "../view/view-entry.ts";

/** The object, by its handle, or the part without an object, to which tokens belong. */
export type FillName =
  | { readonly handle: string }
  | { readonly kind: "messages" | "answers" | "lines" };

/** Tokens of an entry that belong to one part of the timeline. */
interface Fill {
  readonly name: FillName;
  readonly tokens: number;
}

/** Content of a version in a view: all of it, or lines. */
export interface Showing {
  /** `handle@version`. */
  readonly of: string;
  readonly lines?: { readonly from: number; readonly to: number };
  readonly tokens: number;
}

/** What an entry adds to a view. The tokens of the fills add up to those of the entry. */
export interface EntryFill {
  readonly tokens: number;
  readonly fills: readonly Fill[];
  readonly showings: readonly Showing[];
}

/**
 * Returns to which parts the tokens of an entry belong. An entry that shows content belongs to the objects of the content;
 * lines beside it are counted with it. If it shows several contents, its tokens are divided by their estimated lengths.
 * A user message with long parts that are objects, texts or files, belongs to these objects.
 */
export function entryFill(entry: ViewEntry): EntryFill {
  const { tokens } = entry;
  switch (entry.type) {
    case "assistant":
      return onlyOf({ kind: "answers" }, tokens);
    case "opaque":
    case "summary":
    case "added":
      return onlyOf({ kind: "messages" }, tokens);
    case "notice":
      return onlyOf({ kind: "lines" }, tokens);
    case "user":
    case "result":
    case "object": {
      const contents = contentsOf(entry);
      if (contents.length > 0) return dividedBy(contents, tokens);
      return onlyOf({ kind: entry.type === "user" ? "messages" : "lines" }, tokens);
    }
  }
}

/** Returns the contents of objects that an entry shows. Lines that only name an object are none. */
export function contentsOf(entry: ViewEntry): readonly ShownPart[] {
  switch (entry.type) {
    case "user":
      return (entry.parts ?? [])
        .filter(({ gone }) => gone !== true)
        .map(({ of, version, head, tail }): ShownPart =>
          head === undefined || tail === undefined
            ? { of, version, form: "whole" }
            : { of, version, form: "part", head, tail },
        );
    case "result":
      return entry.form === "bare" && entry.of !== undefined
        ? [{ of: entry.of, version: entry.version ?? 1, form: "whole" }]
        : (entry.shows ?? []).filter(isContent);
    case "object":
      return entry.shows.filter(isContent);
    default:
      return [];
  }
}

function onlyOf(name: FillName, tokens: number): EntryFill {
  return { tokens, fills: [{ name, tokens }], showings: [] };
}

function dividedBy(parts: readonly ShownPart[], tokens: number): EntryFill {
  const lengths = parts.map(lengthOf);
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  let rest = tokens;
  const fills = parts.map(({ of }, index): Fill => {
    const isLast = index === parts.length - 1;
    const share = isLast ? rest : Math.floor((tokens * (lengths[index] ?? 0)) / whole);
    rest -= share;
    return { name: { handle: of }, tokens: share };
  });
  const showings = parts.flatMap((part, index) => showingOf(part, fills[index]?.tokens ?? 0));
  return { tokens, fills, showings };
}

/** A difference repeats nothing: it shows only changed lines and a few around them. */
function showingOf(part: ShownPart, tokens: number): readonly Showing[] {
  const of = `${part.of}@${part.version}`;
  const { form, from, to } = part;
  if (form === "whole") return [{ of, tokens }];
  if (form === "lines" && from !== undefined && to !== undefined)
    return [{ of, lines: { from, to }, tokens }];
  return [];
}

/** Characters of a line, a difference and a whole content, where a view does not record their length. */
const usual = { line: 40, difference: 400, whole: 2_000 };

function lengthOf({ form, from, to, head, tail }: ShownPart): number {
  if (form === "lines" && from !== undefined && to !== undefined)
    return Math.max(1, to - from + 1) * usual.line;
  if (form === "part") return Math.max(1, (head ?? 0) + (tail ?? 0));
  return form === "diff" ? usual.difference : usual.whole;
}
