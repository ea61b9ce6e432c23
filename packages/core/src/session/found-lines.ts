import {
  type DocumentUpkeep,
  headingOf,
  lineAt,
  matchingLine,
  type ShownLine,
} from "@self-context-manager/links";
import {
  type IndexedObject,
  metadataVersion,
  oneLine,
  type StoredMetadata,
  type StoredVersion,
} from "@self-context-manager/objects";
import { chatHandle } from "../lines/handles.ts";
import { poolLine } from "../render/reference-line.ts";
import { visibleLines } from "../state/host-shown.ts";
import { joinPool, type SessionScope } from "../state/session-scope.ts";

/** An object that was found. */
export interface Found {
  readonly stored: StoredMetadata;
  /** The version that has the words, if it is not the newest one. */
  readonly version: number;
  /** The place of the tag or of the link in the content. */
  readonly offset?: number;
}

/** Characters of the contents that are read at once. */
const charactersAtOnce = 4_000_000;

/** Returns the lines of objects that were found. The objects join the pool, except records of other sessions. */
export async function foundLines(
  scope: SessionScope,
  documents: DocumentUpkeep,
  found: readonly Found[],
  question: string,
): Promise<readonly ObjectLine[]> {
  const lines: ObjectLine[] = [];
  for (const some of inGroups(found))
    lines.push(...(await linesOfGroup(scope, documents, some, question)));
  return lines;
}

/** Returns objects in groups whose contents together are not too long to be read at once. */
function inGroups(found: readonly Found[]): readonly (readonly Found[])[] {
  const groups: Found[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const one of found) {
    const count = Number(one.stored.body["char_count"] ?? 0);
    characters += count;
    if (characters > charactersAtOnce) {
      groups.push([]);
      characters = count;
    }
    groups.at(-1)?.push(one);
  }
  return groups;
}

async function linesOfGroup(
  scope: SessionScope,
  { parser }: DocumentUpkeep,
  found: readonly Found[],
  question: string,
): Promise<readonly ObjectLine[]> {
  const { store } = scope.dependencies;
  const ids = found.map(({ stored }) => stored.body.id);
  const contents = await store.getMany(ids);
  const entries = await store.documents.entries(parser.name, ids);
  const lines: ObjectLine[] = [];
  for (const [index, one] of found.entries()) {
    const shown = await shownLine(scope, one, contents[index], question);
    lines.push(await lineFor(scope, one.stored, shown, entries[index]));
  }
  return lines;
}

/** The line of an object in an answer. */
export interface ObjectLine {
  readonly text: string;
  /** Whether the object has a line that the model may not see. */
  readonly isHidden: boolean;
}

/** The weight that a name may have here, so that paths can be given to a tool of the host. */
const nameWeight = 60;

async function lineFor(
  scope: SessionScope,
  stored: StoredMetadata,
  shown: VersionLine | undefined,
  entry: IndexedObject | undefined,
): Promise<ObjectLine> {
  const { body } = stored;
  const handle = handleFor(scope, stored);
  const object = { id: body.id, handle, stored };
  const title = poolLine(object, scope.dependencies.workspace, { nameWeight });
  if (shown === undefined) return { text: `- ${title}`, isHidden: false };
  const { version, text: content, line } = shown;
  const isVisible = await visibleLines(scope, version);
  if (!isVisible(line.line)) return { text: `- ${title}`, isHidden: true };
  const isSame = entry?.contentHash === version.hashes.content_hash;
  const headings = isSame ? (entry.document?.headings ?? []) : [];
  const heading = headingOf({ headings }, content, line.line);
  const isNamed = heading !== undefined && isVisible(lineAt(content, heading.range[0]).line);
  const section = isNamed ? ` #${oneLine(heading.text)}` : "";
  const earlier = version.version === stored.version ? "" : ` v${version.version}`;
  const text = `- ${title},${earlier} line ${line.line}${section}: ${line.text}`;
  return { text, isHidden: false };
}

/** Returns the name by which `activate` shows an object; the records of other sessions do not join the pool. */
function handleFor({ state }: SessionScope, stored: StoredMetadata): string {
  const { id, locked } = stored.body;
  if (id === state.chat.id) return chatHandle;
  return locked ? id : joinPool(state, stored).handle;
}

interface VersionLine {
  readonly version: StoredMetadata;
  readonly text: string;
  readonly line: ShownLine;
}

/**
 * Returns the line that fits, of the newest version if it has as many of the words as the one that was found. Without such a
 * line, it is the first one.
 */
async function shownLine(
  { dependencies: { store } }: SessionScope,
  { stored, version, offset }: Found,
  newest: StoredVersion | undefined,
  question: string,
): Promise<VersionLine | undefined> {
  const { id } = stored.body;
  const latest = versionText(newest);
  if (latest !== undefined && offset !== undefined)
    return { ...latest, line: lineAt(latest.text, offset) };
  const match = latest === undefined ? undefined : matchingLine(latest.text, question);
  const former =
    version === stored.version ? undefined : versionText(await store.get(id, { version }));
  const formerMatch = former === undefined ? undefined : matchingLine(former.text, question);
  if (former !== undefined && formerMatch !== undefined && formerMatch.words > (match?.words ?? 0))
    return { ...former, line: formerMatch };
  if (latest === undefined) return undefined;
  const line = match ?? matchingLine(latest.text, "");
  return line === undefined ? undefined : { ...latest, line };
}

function versionText(stored: StoredVersion | undefined): Omit<VersionLine, "line"> | undefined {
  const text = stored?.body.content;
  return stored === undefined || typeof text !== "string"
    ? undefined
    : { version: metadataVersion(stored), text };
}
