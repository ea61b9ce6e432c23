import { composed, type ParsedLink } from "@self-context-manager/objects";

/** What a link can call an object by, beside its id. */
export interface ObjectNames {
  readonly nickname?: string | undefined;
  /** The absolute path of its file. */
  readonly path?: string | undefined;
  readonly aliases: readonly string[];
}

const note = /\.md$/u;

/** Returns the segments of a path or of a name that is written like one, with `.` and `..` as they are. */
export function segmentsOf(path: string): readonly string[] {
  return path.split(/[/\\]/u).filter((segment) => segment !== "");
}

/** A text for comparison: in any case, in any composition of its letters, with single blanks. */
export function folded(text: string): string {
  return composed(text).toLowerCase().trim().replaceAll(/\s+/gu, " ");
}

/** A folded name without the ending of a note. */
export function withoutEnding(name: string): string {
  return name.replace(note, "");
}

/** The key of a name: its last segment, folded, without `.md`. Equal names have equal keys. */
export function nameKey(name: string): string {
  return withoutEnding(folded(segmentsOf(name).at(-1) ?? ""));
}

/** The key of a tag, with or without its number sign. */
export function tagKey(tag: string): string {
  return folded(tag).replace(/^#/u, "");
}

/** The key of the tag in the front matter of a document that shares it with all workspaces (decision D68). */
export const sharedTag = "shared";

/** The keys by which an object can be found: a link that means the object has one of them. */
export function objectKeys(
  id: string,
  { nickname, path, aliases }: ObjectNames,
): readonly string[] {
  const names = [id, nickname, path, ...aliases].filter((name) => name !== undefined);
  return [...new Set(names.map(nameKey))].filter((key) => key !== "");
}

/** The parts of a link that say what it means. */
export type WrittenLink = Pick<ParsedLink, "name" | "heading" | "syntax" | "raw">;

/**
 * The names that a link can mean, in the order in which they are tried: the whole text first, because a name can contain
 * a number sign.
 */
export function linkTargets(link: WrittenLink): readonly string[] {
  const { name, heading } = link;
  return heading === undefined ? [name] : [wholeTarget(link), name];
}

/** The name with the number sign and what follows it. Blanks at the sign are a part of it. */
function wholeTarget({ name, heading = "", syntax, raw }: WrittenLink): string {
  return syntax === "wiki" ? raw.replace(/\\?\|.*$/su, "").trim() : `${name}#${heading}`;
}

/** The keys of a link. Only objects with one of them can be its target. A link to its own document has none. */
export function linkKeys(link: WrittenLink): readonly string[] {
  return [...new Set(linkTargets(link).map(nameKey))].filter((key) => key !== "");
}
