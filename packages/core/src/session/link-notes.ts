import {
  documentKinds,
  type FollowedLink,
  hasHeading,
  isDocument,
  nearestNames,
} from "@self-context-manager/links";
import type { FrontMatter, IndexedNames, ObjectId } from "@self-context-manager/objects";
import { linkProblems } from "../lines/notices.ts";
import { distinctNames } from "../render/distinct-names.ts";
import { shortName } from "../render/short-name.ts";
import type { SessionScope } from "../state/session-scope.ts";
import { withDiskTargets } from "./disk-targets.ts";
import { linkParts, listWithin, withinReach } from "./reach.ts";
import { visibleLinks } from "./visible-links.ts";

/** The number of links that one line names. */
const mostLinks = 5;

/** Objects with the name of a link that are looked at. */
const mostCandidates = 20;

/** Characters of a link's name that are shown. */
const longestName = 80;

/** Notes among whose names similar ones are looked for. */
const mostNames = 1_000;

/**
 * Returns a line for each document that a tool has written since the last view: its new links that have no target or
 * several, with the nearest names, and a line of its front matter that cannot be read. A document that the index does not have yet waits for a later view.
 */
export async function linkNotes(scope: SessionScope): Promise<readonly string[]> {
  const { dependencies, written, state } = scope;
  const { documents, store, workspace } = dependencies;
  if (documents === undefined || written.size === 0) return [];
  const { parser } = documents;
  const notes: string[] = [];
  for (const [id, { isWaiting, known }] of written) {
    const entry = state.pool.get(id);
    if (!isWaiting || entry === undefined) continue;
    const [indexed] = await store.documents.entries(parser.name, [id]);
    if (indexed?.contentHash !== entry.stored.hashes.content_hash) continue;
    const followed = await visibleLinks(scope, [entry], linkParts(scope, parser));
    const open = await openLinks(scope, await withDiskTargets(scope, followed.get(id) ?? []));
    const isNew = open.filter((one) => !known.has(one.written));
    const badLine = badLineOf(indexed.document?.front_matter);
    const bad = badLine === undefined ? [] : [badFrontMatter];
    written.set(id, {
      isWaiting: false,
      known: new Set([...bad, ...open.map((one) => one.written)]),
    });
    const problems = [
      ...(badLine === undefined || known.has(badFrontMatter) ? [] : [badLine]),
      ...(await problemsOf(scope, isNew)),
    ];
    const name = shortName(workspace, entry.stored.body);
    if (problems.length > 0)
      notes.push(linkProblems.write(entry.handle, `${name}: ${problems.join("; ")}`));
  }
  return notes;
}

/**
 * Notes that a tool has written a document, whose links are looked at when the index has them. Returns whether it is one.
 */
export function noteWrittenDocument(
  { dependencies: { documents }, state, written }: SessionScope,
  id: ObjectId,
): boolean {
  const entry = state.pool.get(id);
  if (documents === undefined || entry === undefined || !isDocument(entry.stored.body))
    return false;
  written.set(id, { isWaiting: true, known: written.get(id)?.known ?? new Set() });
  return true;
}

/** A link without one target, or to a heading that its target does not have, as it is written. */
interface OpenLink {
  readonly written: string;
  readonly followed: FollowedLink;
}

/** Returns the links that lead nowhere, or to several objects, each name once. */
async function openLinks(
  scope: SessionScope,
  links: readonly FollowedLink[],
): Promise<readonly OpenLink[]> {
  const { documents, store } = scope.dependencies;
  if (documents === undefined) return [];
  const withHeading = links.flatMap(({ target }) =>
    target.state === "resolved" && target.heading !== undefined ? [target.id] : [],
  );
  const entries = await store.documents.entries(documents.parser.name, [...new Set(withHeading)]);
  const targets = new Map(entries.map((entry) => [entry?.names.id, entry?.document]));
  const open = new Map<string, OpenLink>();
  for (const followed of links) {
    const { link, target } = followed;
    const document = target.state === "resolved" ? targets.get(target.id) : undefined;
    const lacksHeading =
      target.state === "resolved" &&
      target.heading !== undefined &&
      document !== undefined &&
      !hasHeading(document, target.heading);
    if (target.state === "resolved" && !lacksHeading) continue;
    const whole = lacksHeading ? `${link.name}#${link.heading ?? ""}` : link.name;
    const name = whole.length > longestName ? `${whole.slice(0, longestName - 1)}…` : whole;
    const written = link.syntax === "wiki" ? `[[${name}]]` : `(${name})`;
    if (!open.has(written)) open.set(written, { written, followed });
  }
  return [...open.values()];
}

/** Stands for a bad line of the front matter among the problems that were named. No link is written so. */
const badFrontMatter = "front matter";

/** The reason that the parser gives can repeat the text, so only the line is named. */
function badLineOf(front: FrontMatter | undefined): string | undefined {
  return front?.state === "invalid"
    ? `line ${front.line} of its front matter cannot be read, the fields of other lines are`
    : undefined;
}

async function problemsOf(
  scope: SessionScope,
  open: readonly OpenLink[],
): Promise<readonly string[]> {
  const shown = open.slice(0, mostLinks);
  const names = shown.some(({ followed }) => followed.target.state === "unresolved")
    ? await namesOfStore(scope)
    : [];
  const problems: string[] = [];
  for (const one of shown) problems.push(await problemOf(scope, one, names));
  const others = open.length - shown.length;
  if (others > 0) problems.push(`${others} other links have no target`);
  return problems;
}

async function problemOf(
  scope: SessionScope,
  { written, followed: { link, target } }: OpenLink,
  names: readonly IndexedNames[],
): Promise<string> {
  const { state, dependencies } = scope;
  if (target.state === "resolved") return `${written}: there is no such heading`;
  if (target.state === "ambiguous") {
    const stored = await dependencies.store.describe(target.candidates.slice(0, mostCandidates));
    const within = await withinReach(
      scope,
      stored.filter((one) => one !== undefined),
    );
    const candidates = distinctNames(
      dependencies.workspace,
      within.slice(0, 3).map(({ body }) => body),
    );
    return `${written} names several objects: ${candidates.join(", ")}`;
  }
  const id = state.pool.handles.get(link.name);
  const known = id === undefined ? undefined : state.pool.get(id);
  if (known !== undefined)
    return `${written} is a handle of this session only; link to ${shortName(dependencies.workspace, known.stored.body, Number.POSITIVE_INFINITY)}`;
  const near = nearestNames(link.name, names);
  return `${written} has no target yet${near.length === 0 ? "" : `, near: ${near.join(", ")}`}`;
}

/** Returns the names of the notes within reach, and of the session's other objects. */
async function namesOfStore(scope: SessionScope): Promise<readonly IndexedNames[]> {
  const { documents, store } = scope.dependencies;
  if (documents === undefined) return [];
  const ids = new Set(scope.state.pool.entries.keys());
  for (const { body } of await listWithin(scope, documentKinds, mostNames)) ids.add(body.id);
  const entries = await store.documents.entries(documents.parser.name, [...ids]);
  return entries.flatMap((entry) => (entry === undefined ? [] : [entry.names]));
}
