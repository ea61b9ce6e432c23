import {
  compareText,
  composed,
  type ObjectId,
  type ParsedLink,
} from "@self-context-manager/objects";

import {
  folded,
  linkTargets,
  type ObjectNames,
  segmentsOf,
  withoutEnding,
  type WrittenLink,
} from "./name-keys.ts";

/** An object that a link could mean. */
export interface Candidate extends ObjectNames {
  readonly id: ObjectId;
}

/** The ranks by which a name is resolved, strongest first (decision D62). */
export type LinkRank = "self" | "id" | "nickname" | "path" | "suffix" | "alias";

/** What a link means now. */
export type LinkTarget =
  | {
      readonly state: "resolved";
      readonly id: ObjectId;
      readonly rank: LinkRank;
      readonly heading?: string;
    }
  /** Several objects have the name. `id` is the one that is used; `candidates` begins with it. */
  | {
      readonly state: "ambiguous";
      readonly id: ObjectId;
      readonly rank: LinkRank;
      readonly heading?: string;
      readonly candidates: readonly ObjectId[];
    }
  | { readonly state: "unresolved" };

/** The document with the link. `workspace` is the absolute path of the folder in which names are looked up. */
export interface LinkPlace {
  readonly id: ObjectId;
  readonly path?: string | undefined;
  readonly workspace: string;
}

/**
 * Resolves a link among candidates, which must include every object with one of its keys (`linkKeys`). The ranks are: the
 * document itself, id, nickname, path, the end of a path by whole segments, alias. Ids and nicknames are names in the
 * whole store, the others in the workspace. Nothing is guessed (decision D62).
 */
export function resolveLink(
  link: WrittenLink,
  from: LinkPlace,
  candidates: readonly Candidate[],
): LinkTarget {
  const place = placeOf(from);
  const near = candidates.flatMap((candidate) => {
    const segments = relativeSegments(candidate.path, place.workspace);
    return segments === undefined ? [] : [{ candidate, segments }];
  });
  for (const target of linkTargets(link)) {
    const isWhole = target === link.name;
    // The whole text with its heading is a name only if an object is called so.
    if (isWhole && target === "")
      return withHeading({ state: "resolved", id: from.id, rank: "self" }, link);
    const found = resolveName(target, link.syntax, place, candidates, near);
    if (found !== undefined) return isWhole ? withHeading(found, link) : found;
  }
  return { state: "unresolved" };
}

type Found = Exclude<LinkTarget, { readonly state: "unresolved" }>;

function withHeading(found: Found, { heading }: Pick<ParsedLink, "heading">): Found {
  return heading === undefined ? found : { ...found, heading };
}

/** A candidate of the workspace with the segments of its path in it. */
interface Near {
  readonly candidate: Candidate;
  readonly segments: readonly string[];
}

interface Place {
  readonly workspace: readonly string[];
  /** The folder of the document, in the workspace. */
  readonly folder: readonly string[] | undefined;
}

function placeOf({ path, workspace }: LinkPlace): Place {
  const root = segmentsOf(workspace);
  return { workspace: root, folder: relativeSegments(path, root)?.slice(0, -1) };
}

function relativeSegments(
  path: string | undefined,
  workspace: readonly string[],
): readonly string[] | undefined {
  if (path === undefined) return undefined;
  const segments = segmentsOf(path);
  const isInside = workspace.every((segment, index) => segments[index] === segment);
  return isInside && segments.length > workspace.length
    ? segments.slice(workspace.length)
    : undefined;
}

function resolveName(
  name: string,
  syntax: ParsedLink["syntax"],
  place: Place,
  candidates: readonly Candidate[],
  near: readonly Near[],
): Found | undefined {
  if (name === "") return undefined;
  return (
    oneOf(
      "id",
      candidates.filter(({ id }) => id === name),
    ) ??
    oneOf(
      "nickname",
      sameName(name, candidates, ({ nickname }) => nickname),
    ) ??
    byPath(name, syntax, place, near) ??
    bySuffix(name, place, near) ??
    byAlias(name, place, near, candidates)
  );
}

function oneOf(rank: LinkRank, [found]: readonly Candidate[]): Found | undefined {
  return found === undefined ? undefined : { state: "resolved", id: found.id, rank };
}

/** Returns those with exactly a name, or else those with the same letters in another composition. */
function sameName<Named>(
  name: string,
  among: readonly Named[],
  nameOf: (one: Named) => string | undefined,
): readonly Named[] {
  const exact = among.filter((one) => nameOf(one) === name);
  if (exact.length > 0) return exact;
  const wanted = composed(name);
  return among.filter((one) => composed(nameOf(one) ?? "") === wanted);
}

/** By the exact path, with or without `.md`: from the document, from the workspace. */
function byPath(
  name: string,
  syntax: ParsedLink["syntax"],
  place: Place,
  near: readonly Near[],
): Found | undefined {
  const { folder } = place;
  const segments = segmentsOf(name);
  const isRelative = segments[0] === "." || segments[0] === "..";
  const starts: (readonly string[])[] = [];
  // A Markdown link is a relative address, wherever its program runs.
  if (folder !== undefined && (isRelative || (syntax === "markdown" && !name.startsWith("/"))))
    starts.push(folder);
  if (!isRelative) starts.push([]);
  for (const start of starts) {
    const wanted = joined(start, segments);
    if (wanted === undefined) continue;
    for (const path of [wanted, `${wanted}.md`]) {
      // A file that is gone and a later one can have the same path.
      const found = sameName(path, near, ({ segments }) => segments.join("/"));
      if (found.length > 0) return chosen("path", found, place);
    }
  }
  return undefined;
}

/** The path that segments lead to. Undefined if they lead out of the workspace. */
function joined(start: readonly string[], segments: readonly string[]): string | undefined {
  const path = [...start];
  for (const segment of segments) {
    if (segment === ".") continue;
    if (segment !== "..") path.push(segment);
    else if (path.pop() === undefined) return undefined;
  }
  return path.join("/");
}

/** By the last segments of the path, in any case. A note comes before other files unless the name has its ending. */
function bySuffix(name: string, place: Place, near: readonly Near[]): Found | undefined {
  const wanted = segmentsOf(name).map(folded);
  if (wanted.length === 0 || wanted[0] === "." || wanted[0] === "..") return undefined;
  const exact: Near[] = [];
  const notes: Near[] = [];
  for (const one of near) {
    const segments = one.segments.map(folded);
    const last = segments.at(-1) ?? "";
    if (endsWith(segments, wanted)) exact.push(one);
    else if (
      last.endsWith(".md") &&
      endsWith([...segments.slice(0, -1), withoutEnding(last)], wanted)
    )
      notes.push(one);
  }
  const hasEnding = /[^.]\.[^.\s]+$/u.test(wanted.at(-1) ?? "");
  const [first, second] = hasEnding ? [exact, notes] : [notes, exact];
  return chosen("suffix", first.length > 0 ? first : second, place);
}

function endsWith(segments: readonly string[], wanted: readonly string[]): boolean {
  const start = segments.length - wanted.length;
  return start >= 0 && wanted.every((segment, index) => segments[start + index] === segment);
}

function byAlias(
  name: string,
  place: Place,
  near: readonly Near[],
  candidates: readonly Candidate[],
): Found | undefined {
  const wanted = folded(name);
  const hasAlias = ({ aliases }: Candidate): boolean =>
    aliases.some((alias) => folded(alias) === wanted);
  const withoutPath = candidates
    .filter((candidate) => candidate.path === undefined && hasAlias(candidate))
    .map((candidate) => ({ candidate, segments: [] }));
  return chosen(
    "alias",
    [...near.filter(({ candidate }) => hasAlias(candidate)), ...withoutPath],
    place,
  );
}

/** Of several, the one in the document's own folder, then the one with the fewest segments, then by code points. */
function chosen(rank: LinkRank, found: readonly Near[], { folder }: Place): Found | undefined {
  const own = folder?.join("/");
  const isOwn = ({ segments }: Near): number => (segments.slice(0, -1).join("/") === own ? 0 : 1);
  const ids = found
    .toSorted(
      (one, other) =>
        isOwn(one) - isOwn(other) ||
        one.segments.length - other.segments.length ||
        compareText(one.segments.join("/"), other.segments.join("/")) ||
        compareText(one.candidate.id, other.candidate.id),
    )
    .map(({ candidate }) => candidate.id);
  const [first] = ids;
  if (first === undefined) return undefined;
  if (ids.length === 1) return { state: "resolved", id: first, rank };
  return { state: "ambiguous", id: first, rank, candidates: ids };
}
