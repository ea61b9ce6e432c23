import type { ParsedLink } from "../model/parsed-document.ts";

/**
 * A link as stores keep it: a list, without what most links have. A store of notes has many links, and they need less
 * space so.
 */
type StoredLink = readonly [
  start: number,
  length: number,
  raw: string,
  /** The path, the syntax and the other fields that a plain wiki link of the content does not have. */
  others?: Partial<ParsedLink>,
];

/** Returns the stored form of a link. */
export function storedLink({ range, raw, ...others }: ParsedLink): string {
  const { path, syntax, name, ...rest } = others;
  const kept: Partial<ParsedLink> = {
    ...(path === "content" ? {} : { path }),
    ...(syntax === "wiki" ? {} : { syntax }),
    ...(name === raw ? {} : { name }),
    ...rest,
  };
  const [start, end] = range;
  const isPlain = Object.keys(kept).length === 0;
  const stored: StoredLink = isPlain ? [start, end - start, raw] : [start, end - start, raw, kept];
  return JSON.stringify(stored);
}

/** Returns the link of a stored form. Throws `SyntaxError` for a text that `storedLink` did not make. */
export function readStoredLink(text: string): ParsedLink {
  const [start, length, raw, others = {}] = JSON.parse(text) as StoredLink;
  const { path = "content", syntax = "wiki", name = raw, ...rest } = others;
  return { path, range: [start, start + length], syntax, raw, name, ...rest };
}
